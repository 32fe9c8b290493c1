#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/report/model_coverage.hpp"
#include "conformance/run/expectations.hpp"
#include "conformance/run/read_back.hpp"
#include "model/trace/write_file.hpp"

namespace mrproof::conformance {
namespace {

struct CoverageOptions {
  std::string folder, expectations, missed;
  std::vector<std::string> scopes;
  bool json = false, all = false;
};

/// Writes the traces of what was missed, SCOPE-NUMBER.mrt.
void write_missed(const ModelCoverage& covered, const std::string& folder) {
  model::make_empty_folder(folder);
  for (std::size_t i = 0; i < covered.scopes.size(); ++i) {
    const auto& [name, figures] = covered.scopes[i];
    const auto& [traces, out_of_reach] = covered.missed[i];
    std::string scope = name;
    std::replace(scope.begin(), scope.end(), '/', '-');
    for (std::size_t number = 1; number <= traces.size(); ++number) {
      const auto file = fmt::format("{}/{}-{:03}.mrt", folder, scope, number);
      model::write_whole_file(file, model::print_trace(traces[number - 1]));
    }
    if (!figures.missed.empty())
      fmt::print(stderr, "{}: {} traces of {} missed calls in {}; to {} more no way is known\n",
                 name, traces.size(), figures.missed.size() - out_of_reach, folder, out_of_reach);
  }
}

int coverage(const CoverageOptions& options) {
  property_tests::WalkOptions walk;
  if (!options.expectations.empty()) avoid_expected(load_expectations(options.expectations), walk);
  const auto covered =
      cover(folder_of(options.folder), options.scopes, walk.known, !options.missed.empty());
  if (!options.missed.empty()) write_missed(covered, options.missed);
  fmt::print("{}", options.json ? coverage_json(covered) : coverage_text(covered, options.all));
  return covered.complete() ? kExitExpected : kExitDeviation;
}

}  // namespace

void add_coverage_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CoverageOptions>();
  auto& o = *options;
  auto* command = app.add_subcommand("coverage", "Report what of the model a run has covered");
  command
      ->add_option("report", o.folder,
                   "report of the run (folder or report.json), with its journal")
      ->required();
  command->add_option("--tours", o.scopes,
                      "scope whose transitions should all be covered (may be repeated)");
  command
      ->add_option("--expect", o.expectations,
                   "file of expected deviations: calls that were left out as known trouble")
      ->check(kNotEmpty);
  command
      ->add_option("--missed", o.missed,
                   "write traces of the calls that were missed to this folder, by the ways "
                   "that the device went")
      ->check(kNotEmpty);
  command->add_flag("--all", o.all, "list all names, however many");
  command->add_flag("--json", o.json, "as JSON");
  command->callback([options, &exit_code] { exit_code = coverage(*options); });
}

}  // namespace mrproof::conformance
