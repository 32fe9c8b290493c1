// Devices by the names that people give.
#pragma once

#include <memory>
#include <string>

#include "impl/device.hpp"
#include "impl/verbs/options.hpp"

namespace mrproof::impl {

/// A device of libibverbs, and how it is to be used.
struct NamedDevice {
  std::string name;
  VerbsOptions options;
};

/// What a name of libibverbs means, or "" for the only device that there is, behind which are '@'
/// and words that VerbsOptions::take() takes. Throws ToolError.
NamedDevice verbs_device_by_name(const std::string& name);

/// The name of the only device that there is. Throws ToolError if there are none, or several.
std::string only_device();

/// Opens a device by its name: "sim[@SET][:FAULT]" (a set of capabilities, a seeded fault; it
/// follows the dialect), or what verbs_device_by_name() takes. `brisk`: as the plan says.
/// A device of libibverbs has the other end of its connections on the host that the variable
/// MRPROOF_PEER names (HOST:PORT), if there is one.
/// Throws DeviceError or ToolError.
std::unique_ptr<Device> open_device(const std::string& name, const std::string& dialect,
                                    bool brisk = false);

}  // namespace mrproof::impl
