// Questions to the kernel's RDMA subsystem that libibverbs has no call for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "model/judge/leftovers.hpp"

namespace mrproof::impl {

/// The enum rdma_driver_id (<rdma/ib_user_ioctl_verbs.h>) of a device's kernel driver. Nothing if
/// the kernel does not tell: before Linux 5.2, or for drivers that do not let it. Needs no rights.
std::optional<std::uint32_t> uverbs_driver_id(const std::string& device);

/// What the kernel counts for this process on a device: what its list of resources tells (since
/// Linux 4.17; needs no rights), and /proc/self.
class OwnHoldings {
 public:
  /// Takes the device's place among the others, which stays as long as the device does.
  explicit OwnHoldings(const std::string& device);
  ~OwnHoldings();
  OwnHoldings(const OwnHoldings&) = delete;
  OwnHoldings& operator=(const OwnHoldings&) = delete;

  [[nodiscard]] model::Holdings take();

 private:
  struct Questions;
  std::unique_ptr<Questions> questions_;
};

}  // namespace mrproof::impl
