#include "impl/by_name/open_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "impl/sim/faults.hpp"
#include "impl/sim/sim_device.hpp"
#include "impl/verbs/verbs_device.hpp"
#include "model/trace/tool_error.hpp"

namespace mrproof::impl {

std::string only_device() {
  const auto devices = impl::list_verbs_devices();
  if (devices.empty())
    throw model::ToolError(
        "no RDMA device here; run in a virtual machine (ci/conformance, or --target), "
        "or use --device sim");
  if (devices.size() == 1) return devices.front().name;
  std::string names;
  for (const auto& d : devices) names += " " + d.name;
  throw model::ToolError("several RDMA devices; name one with --device:" + names);
}

namespace {

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

NamedDevice verbs_device_by_name(const std::string& name) {
  const auto at = std::min(name.find('@'), name.size());
  NamedDevice device{name.substr(0, at), {}};
  if (!device.options.take(name.substr(std::min(at + 1, name.size()))))
    throw model::ToolError(fmt::format(
        "--device {}: what follows '@' is uverbs, fork, two-processes, lossy, huge, port=N, gid=N, "
        "ack-timeout=N (1 to 31), wait=SECONDS, or some of them joined by '+'",
        name));
  if (const auto longest = device.options.gives_up_ms();
      longest > device.options.completion_limit_ms)
    throw model::ToolError(fmt::format(
        "--device {}: with that timeout the transport may take {} s to give up: add +wait={}, or "
        "more",
        name, longest / 1000, longest / 1000 + 1));
  return device;
}

std::unique_ptr<Device> open_device(const std::string& name, const std::string& dialect,
                                    bool brisk) {
  const bool simulated = name == "sim" || name.starts_with("sim:") || name.starts_with("sim@");
  if (simulated) return open_simulated(name, dialect);
  NamedDevice device = verbs_device_by_name(name);
  if (brisk) device.options.be_brisk();
  if (const char* peer = std::getenv("MRPROOF_PEER"); peer != nullptr) {
    device.options.host = peer;
    device.options.lossy = true;  // no network promises that it loses nothing
  }
  impl::prepare_library(device.options);
  if (device.name.empty()) device.name = only_device();
  return impl::open_verbs_device(device.name, device.options);
}

}  // namespace mrproof::impl
