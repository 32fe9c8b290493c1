#include <fmt/format.h>

#include <memory>
#include <string>

#include "conformance/commands/commands.hpp"
#include "impl/sim/faults.hpp"
#include "impl/sim/sim_options.hpp"
#include "impl/verbs/verbs_device.hpp"

namespace mrproof::conformance {
namespace {

int list_faults() {
  for (const auto& fault : impl::faults())
    fmt::print("sim:{:40} {}{}{}\n", fault.id, fault.breaks,
               fault.why_allowed.empty() ? "" : " Allowed: ", fault.why_allowed);
  return kExitExpected;
}

int list_devices() {
  const auto devices = impl::list_verbs_devices();
  for (const auto& d : devices)
    fmt::print("{:12} driver {:10} {:12} {}{}\n", d.name, d.driver, d.state,
               d.firmware.empty() ? "" : "firmware " + d.firmware,
               d.unusable.empty() ? "" : "  cannot be tested: " + d.unusable);
  if (devices.empty())
    fmt::print("no RDMA device here; 'ci/conformance' runs one in a virtual machine\n");
  fmt::print("{:12} driver {:10} the simulated device, to test the harness\n", "sim", "simulated");
  std::string sets;
  for (const auto& set : impl::capability_sets()) sets += " " + std::string(set.first);
  fmt::print("{:12} driver {:10} what it can do, as SET:{}\n", "sim@SET", "simulated", sets);
  return kExitExpected;
}

}  // namespace

void add_devices_command(CLI::App& app, int& exit_code) {
  auto faults = std::make_shared<bool>(false);
  auto* command = app.add_subcommand("devices", "List the devices that can be tested");
  command->add_flag("--faults", *faults, "list the faults of the simulated device instead");
  command->callback([faults, &exit_code] { exit_code = *faults ? list_faults() : list_devices(); });
}

}  // namespace mrproof::conformance
