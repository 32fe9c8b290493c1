#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/run/expectations.hpp"
#include "model/trace/trace_scanner.hpp"
#include "model/trace/write_file.hpp"

namespace mrproof::conformance {
namespace {

struct ExpectOptions {
  std::string report;
  std::string file;
  std::string reason;
};

int update(const ExpectOptions& options) {
  const auto before = model::read_text(options.file);
  check_expectations(before, options.file);  // nothing is added to a file that is none
  const auto report = model::read_text(options.report);
  std::string after;
  try {
    after = updated_expectations(before, report, options.reason);
  } catch (const model::ToolError& error) {
    throw model::ToolError(fmt::format("{}: {}", options.report, error.what()));
  }
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  if (after == before) {
    fmt::print("{}: nothing to change\n", options.file);
    return kExitExpected;
  }
  check_expectations(after, options.file + " as updated");
  model::write_whole_file(std::filesystem::canonical(options.file), after);
  fmt::print("{}: {} lines before, {} now\n", options.file, lines(before), lines(after));
  return kExitExpected;
}

}  // namespace

void add_expect_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExpectOptions>();
  auto* command = app.add_subcommand("expect", "Maintain files of expected deviations");
  command->require_subcommand(1);
  auto* updating = command->add_subcommand(
      "update", "Bring a file up to date with a run: remove what nothing met, add what is new");
  updating->add_option("file", options->file, "ci/expectations/DRIVER-TARGET-fails.txt")
      ->required();
  updating->add_option("--report", options->report, "report.json of a run with --full and --expect")
      ->required();
  updating->add_option("--reason", options->reason, "why the new entries are expected");
  updating->callback([options, &exit_code] { exit_code = update(*options); });
}

}  // namespace mrproof::conformance
