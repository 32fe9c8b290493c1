// A device's buffers as the oracle compares them.
#pragma once

#include "conformance/oracle/oracle.hpp"
#include "impl/device.hpp"

namespace mrproof {

/// Compares a device's buffers with the oracle's, byte by byte; pages that are not mapped are not
/// looked at.
class DeviceMemory : public MemorySource {
 public:
  /// The device has to outlive this object.
  explicit DeviceMemory(const impl::Device& device) : device_(device) {}
  void differences(const Memory& expected, std::vector<ByteRun>& runs) override;

 private:
  const impl::Device& device_;
};

}  // namespace mrproof
