#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/run/read_back.hpp"
#include "conformance/session/merge.hpp"
#include "conformance/session/session.hpp"

namespace mrproof::conformance {
namespace {

struct MergeOptions {
  std::vector<std::string> folders;
  std::string out = "mrproof-report";
  std::string expectations;
  bool full = false;
};

int merge(MergeOptions& options) {
  for (auto& folder : options.folders) folder = folder_of(folder);
  check_out(options.folders, options.out);
  Expectations expectations;
  if (!options.expectations.empty()) expectations = load_expectations(options.expectations);
  Merged merged = merge_reports(options.folders, expectations);
  const Folder folder(options.out);
  copy_traces(merged, options.out);
  auto& facts = merged.facts;
  facts.all_expected = options.full && facts.error.empty() && !facts.cut_short;
  if (facts.all_expected) facts.unmatched = unmatched(expectations, merged.tally, false);
  write_reports(folder, merged.plan, merged.tally, facts);
  fmt::print("{}\nreport: {}/report.json\n", report_text(merged.plan, merged.tally, facts),
             options.out);
  if (!facts.error.empty()) {
    fmt::print(stderr, "mrproof: {}\n", facts.error);
  } else if (facts.cut_short) {
    fmt::print(stderr, "mrproof: {}: cut short; go on with it by run --resume, and merge again\n",
               fmt::join(merged.cut_short, ", "));
    return kExitError;
  }
  return exit_code_of(merged.tally, facts, kExitNothingTested);
}

}  // namespace

void add_merge_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<MergeOptions>();
  auto* command = app.add_subcommand("merge", "Combine the reports of all shards of a run");
  command
      ->add_option("reports", options->folders,
                   "reports (folder or report.json), one for each shard")
      ->required();
  command->add_option("--out", options->out, "report folder")
      ->capture_default_str()
      ->check(kNotEmpty);
  command
      ->add_option("--expect", options->expectations,
                   "file of expected deviations (ci/expectations/)")
      ->check(kNotEmpty);
  command->add_flag("--full", options->full,
                    "the shards ran with --full: an expectation that nothing meets fails");
  command->callback([options, &exit_code] { exit_code = merge(*options); });
}

}  // namespace mrproof::conformance
