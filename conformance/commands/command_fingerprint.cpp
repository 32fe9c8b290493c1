#include <fmt/format.h>

#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/run/fingerprint.hpp"

namespace mrproof::conformance {
namespace {

int fingerprint(const std::string& report, const std::string& other) {
  const Fingerprint first = load_fingerprint(report);
  if (other.empty()) {
    fmt::print("{}", print_fingerprint(first));
    return kExitExpected;
  }
  const std::string changes = print_changes(first, load_fingerprint(other));
  fmt::print("{}", changes);
  return changes.empty() ? kExitExpected : kExitDeviation;
}

}  // namespace

void add_fingerprint_command(CLI::App& app, int& exit_code) {
  auto report = std::make_shared<std::string>();
  auto other = std::make_shared<std::string>();
  auto* command = app.add_subcommand(
      "fingerprint",
      "Show what a device chose where the rules leave a choice, and where it deviates; with two "
      "reports, what changed");
  command->add_option("report", *report, "report of a run: its folder, or report.json")->required();
  command->add_option("other", *other, "report of another run of the same plan");
  command->callback([report, other, &exit_code] { exit_code = fingerprint(*report, *other); });
}

}  // namespace mrproof::conformance
