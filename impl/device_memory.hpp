// A device's buffers as the oracle compares them.
#pragma once

#include "impl/device.hpp"
#include "model/oracle/oracle.hpp"

namespace mrproof::impl {

/// Compares a device's buffers with the oracle's, byte by byte; pages that are not mapped are not
/// looked at.
class DeviceMemory : public model::MemorySource {
 public:
  /// The device has to outlive this object.
  explicit DeviceMemory(const Device& device) : device_(device) {}
  void differences(const model::Memory& expected, std::vector<model::ByteRun>& runs) override;

 private:
  const Device& device_;
};

}  // namespace mrproof::impl
