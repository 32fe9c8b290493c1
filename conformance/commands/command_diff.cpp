#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "conformance/catalogue/diff.hpp"
#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/report/driver_report.hpp"
#include "conformance/run/changed_traces.hpp"
#include "conformance/run/read_back.hpp"
#include "model/trace/trace_dialect.hpp"

namespace mrproof::conformance {
namespace {

/// More situations, or steps to one, than there is memory for.
constexpr std::uint64_t kMostScope = 1'000'000'000;

struct DiffOptions {
  std::string first;
  std::string second;
  DiffScope scope;
};

/// What only one of the runs reached of the driver, if both tell.
void print_reached(const std::string& first, const std::string& second) {
  const auto one = reached_by(first), other = reached_by(second);
  if (!one || !other) return;
  fmt::print("\nreached of the driver by {} only, in instructions:\n{}", first,
             only_reached_by(*one, *other));
  fmt::print("\nreached of the driver by {} only, in instructions:\n{}", second,
             only_reached_by(*other, *one));
}

/// What one run showed and the other did not, each with the shortest trace that the run has of it.
int diff_runs(const DiffOptions& options) {
  const Fingerprint first = load_fingerprint(options.first);
  const Fingerprint second = load_fingerprint(options.second);
  fmt::print("{}", print_changes(first, second));
  bool agree = true;
  const auto traces_of = [&](const std::string& folder, const Fingerprint& one,
                             const Fingerprint& other, const char* mark) {
    const auto entries = only_in(one, other);
    agree = agree && entries.empty();
    for (const auto& [name, trace] : shortest_traces(folder, entries, one.dialect))
      fmt::print("\n{} {}\n{}", mark, name, trace);
  };
  traces_of(options.first, first, second, "-");
  traces_of(options.second, second, first, "+");
  print_reached(options.first, options.second);
  return agree ? kExitExpected : kExitDeviation;
}

int diff(DiffOptions& options) {
  if (const auto folder = folder_of(options.first); std::filesystem::is_directory(folder)) {
    options.first = folder;
    options.second = folder_of(options.second);
    return diff_runs(options);
  }
  const auto& first = model::book_named(options.first);
  const auto& second = model::book_named(options.second);
  const auto differences = compare(first, second, options.scope);
  fmt::print("{}", print_differences(differences, first, second));
  const bool agree = std::all_of(differences.begin(), differences.end(), [](const auto& d) {
    return d.in_first && d.in_second && !d.trace;
  });
  return agree ? kExitExpected : kExitDeviation;
}

}  // namespace

void add_diff_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DiffOptions>();
  auto& o = *options;
  auto* command = app.add_subcommand(
      "diff",
      "Compare two rule sets: the shortest traces that only one allows; or two runs: what only one "
      "showed, with its shortest trace");
  command->add_option("first", o.first, "dialect, or report (folder or report.json) of a run")
      ->required();
  command->add_option("second", o.second, "the same")->required();
  command->add_option("--depth", o.scope.depth, "steps before the one that differs")
      ->capture_default_str()
      ->transform(whole_number(0, kMostScope));
  command->add_option("--states", o.scope.states, "how many situations to look at")
      ->capture_default_str()
      ->transform(whole_number(1, kMostScope));
  command->callback([options, &exit_code] { exit_code = diff(*options); });
}

}  // namespace mrproof::conformance
