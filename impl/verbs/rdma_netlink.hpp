// Questions to the kernel's RDMA subsystem that libibverbs has no call for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mrproof::impl {

/// The enum rdma_driver_id (<rdma/ib_user_ioctl_verbs.h>) of a device's kernel driver. Nothing if
/// the kernel does not tell: before Linux 5.2, or for drivers that do not let it. Needs no rights.
std::optional<std::uint32_t> uverbs_driver_id(const std::string& device);

}  // namespace mrproof::impl
