// Who a device is: its kernel driver, and the library that drives it.
#pragma once

#include <string>

namespace mrproof::impl {

/// The kernel driver of a device, never concluded from its name: what sysfs links to where the
/// device has hardware behind it, else by the driver's id as the kernel tells it over RDMA netlink
/// (RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID of <rdma/rdma_netlink.h>), else "unknown".
std::string driver_of(const std::string& device);

/// The version of rdma-core that the loaded libibverbs comes from, read off its file's name
/// (libibverbs.so.1.14.44.0 is "44.0"); "unknown" where the name does not carry it.
std::string rdma_core_version();

/// The same from a file name, without the folder.
std::string version_in_name(const std::string& file);

/// The running kernel's release, uname(2).
std::string kernel_release();

/// What no other device of any host is called: the kernel's boot and the device's name there.
std::string device_identity(const std::string& device);

}  // namespace mrproof::impl
