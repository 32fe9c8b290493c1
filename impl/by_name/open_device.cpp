#include "impl/by_name/open_device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "impl/sim/faults.hpp"
#include "impl/sim/sim_device.hpp"
#include "impl/verbs/verbs_device.hpp"
#include "model/trace/tool_error.hpp"

namespace mrproof::impl {

namespace {

std::unique_ptr<Device> open_only_device(const VerbsOptions& options) {
  const auto devices = impl::list_verbs_devices();
  if (devices.empty())
    throw model::ToolError(
        "no RDMA device here; run in a virtual machine (ci/conformance, or --target), "
        "or use --device sim");
  if (devices.size() > 1) {
    std::string names;
    for (const auto& d : devices) names += " " + d.name;
    throw model::ToolError("several RDMA devices; name one with --device:" + names);
  }
  return impl::open_verbs_device(devices.front().name, options);
}

/// "sim", "sim@SET" with a set of capabilities, "sim:FAULT", or both: "sim@SET:FAULT".
std::unique_ptr<Device> open_simulated(const std::string& name, const std::string& dialect) {
  SimOptions options;
  const auto colon = name.find(':');
  if (const auto at = name.find('@'); at < colon) {
    const std::string wanted = name.substr(at + 1, colon - at - 1);
    const auto& sets = impl::capability_sets();
    const auto found = std::find_if(sets.begin(), sets.end(),
                                    [&](const auto& set) { return set.first == wanted; });
    if (found == sets.end()) {
      std::string all;
      for (const auto& set : sets) all += " " + std::string(set.first);
      throw model::ToolError(fmt::format(
          "the simulated device has no set of capabilities '{}'; there are:{}", wanted, all));
    }
    options = found->second;
  }
  options.dialect = dialect;
  if (colon != std::string::npos) {
    options.fault = name.substr(colon + 1);
    if (!impl::fault_by_name(*options.fault))
      throw model::ToolError(
          fmt::format("the simulated device has no fault '{}'; 'mrproof devices "
                      "--faults' lists them",
                      *options.fault));
  }
  return std::make_unique<SimDevice>(options);
}

}  // namespace

std::unique_ptr<Device> open_device(const std::string& name, const std::string& dialect,
                                    bool brisk) {
  const bool simulated = name == "sim" || name.starts_with("sim:") || name.starts_with("sim@");
  if (simulated) return open_simulated(name, dialect);
  VerbsOptions options;
  if (brisk) options.be_brisk();
  const auto at = std::min(name.find('@'), name.size());
  if (!options.take(name.substr(std::min(at + 1, name.size()))))
    throw model::ToolError(fmt::format(
        "--device {}: what follows '@' is uverbs, fork, two-processes, or some of them joined by "
        "'+'",
        name));
  const auto bare = name.substr(0, at);
  impl::prepare_library(options);
  return bare.empty() ? open_only_device(options) : impl::open_verbs_device(bare, options);
}

}  // namespace mrproof::impl
