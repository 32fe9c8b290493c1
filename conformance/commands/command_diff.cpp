#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "conformance/catalogue/diff.hpp"
#include "conformance/commands/commands.hpp"
#include "conformance/trace/trace_dialect.hpp"

namespace mrproof {
namespace {

struct DiffOptions {
  std::string first;
  std::string second;
  DiffScope scope;
};

int diff(const DiffOptions& options) {
  const auto& first = book_named(options.first);
  const auto& second = book_named(options.second);
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
      "diff", "Compare two rule sets: the shortest traces that only one of them allows");
  command->add_option("first", o.first, "dialect")->required();
  command->add_option("second", o.second, "dialect")->required();
  command->add_option("--depth", o.scope.depth, "steps before the one that differs")
      ->capture_default_str();
  command->add_option("--states", o.scope.states, "how many situations to look at")
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = diff(*options); });
}

}  // namespace mrproof
