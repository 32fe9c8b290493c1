// Devices by the names that people give.
#pragma once

#include <memory>
#include <string>

#include "impl/device.hpp"

namespace mrproof::impl {

/// Opens a device by its name: "sim[@SET][:FAULT]" (a set of capabilities, a seeded fault; it
/// follows the dialect), a libibverbs name, or "" for the only RDMA device there is;
/// behind these two '@' and words that VerbsOptions::take() takes. `brisk`: as the plan says.
/// Throws DeviceError or ToolError.
std::unique_ptr<Device> open_device(const std::string& name, const std::string& dialect,
                                    bool brisk = false);

}  // namespace mrproof::impl
