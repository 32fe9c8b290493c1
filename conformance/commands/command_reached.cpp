#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/report/driver_report.hpp"
#include "conformance/run/read_back.hpp"
#include "model/trace/tool_error.hpp"
#include "model/trace/write_file.hpp"

namespace mrproof::conformance {
namespace {

struct ReachedOptions {
  std::vector<std::string> reports;
  std::string image, log, console, out;
  bool functions = false, only = false, lines = false;
};

/// The name of a column.
std::string name_of(const std::string& report) {
  const auto path = std::filesystem::path(folder_of(report));
  const auto name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return name.stem().string();
}

int reached(const ReachedOptions& options) {
  std::vector<NamedCoverage> runs;
  if (!options.image.empty()) {
    CodeLog code(options.image);
    code.read(options.log, options.console);
    const DriverCoverage coverage = code.take();
    runs.emplace_back("reached", coverage);
    if (!options.out.empty())
      model::write_whole_file(
          options.out,
          nlohmann::ordered_json{{"driver_coverage", coverage.to_json()}}.dump(1) + "\n");
  }
  for (const auto& report : options.reports) {
    auto coverage = reached_by(report);
    if (!coverage)
      throw model::ToolError(fmt::format(
          "{}: does not tell what was reached of the driver; run with --driver-coverage", report));
    runs.emplace_back(name_of(report), std::move(*coverage));
  }
  if (runs.empty()) throw model::ToolError("name the reports of runs with --driver-coverage");
  if (options.lines) {
    DriverCoverage all = runs.front().second;
    for (const auto& run : runs) all.add(run.second);
    const auto text = lines_by_file(all);
    if (text.empty())
      throw model::ToolError(
          "the driver's module has no debug information, so lines are not known; build it with "
          "CONFIG_DEBUG_INFO, and its image with --module");
    fmt::print("{}", text);
    return kExitExpected;
  }
  if (!options.only) {
    fmt::print("{}", driver_table(runs, options.functions));
    return kExitExpected;
  }
  if (runs.size() != 2) throw model::ToolError("--only compares two runs");
  for (const std::size_t mine : {0U, 1U})
    fmt::print("reached by {} only, in instructions:\n{}\n", runs[mine].first,
               only_reached_by(runs[mine].second, runs[1 - mine].second));
  return kExitExpected;
}

}  // namespace

void add_reached_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReachedOptions>();
  auto& o = *options;
  auto* command = app.add_subcommand(
      "reached", "Print what runs with --driver-coverage reached of the driver, side by side");
  command->add_option("reports", o.reports, "reports (folder or report.json) of one image's runs");
  command->add_flag("--functions", o.functions, "a row for each function, too");
  command->add_flag("--lines", o.lines,
                    "lines of the source that none of them reached, by the module's debug "
                    "information");
  command->add_flag("--only", o.only, "of two runs: the functions of which one reached more");
  auto* image = command->add_option("--image", o.image,
                                    "image whose guest was booted by other means, with --code-log");
  auto* log = command->add_option("--log", o.log, "that log")->needs(image);
  auto* console =
      command->add_option("--console", o.console, "what the guest's console said")->needs(image);
  image->needs(log)->needs(console);
  command->add_option("--out", o.out, "write what it reached to a file that stands for a report")
      ->needs(image);
  command->callback([options, &exit_code] { exit_code = reached(*options); });
}

}  // namespace mrproof::conformance
