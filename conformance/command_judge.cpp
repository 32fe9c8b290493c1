#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "conformance/commands.hpp"
#include "conformance/judge_trace.hpp"
#include "conformance/plan.hpp"

namespace mrproof {
namespace {

int judge_file(const std::string& file, const std::string& dialect) {
  const auto* book = model::find_rulebook(dialect);
  if (book == nullptr) throw ToolError(fmt::format("no dialect '{}'; there is: linux", dialect));
  const Trace judged = judge_trace(load_trace(file), *book, file);
  fmt::print("{}", print_trace(judged));
  const bool deviates = std::any_of(judged.steps.begin(), judged.steps.end(), [](const Step& step) {
    const auto verdict = step.annotations.front().verdict;
    return verdict == model::Verdict::deviates || verdict == model::Verdict::hang;
  });
  return deviates ? kExitDeviation : kExitExpected;
}

}  // namespace

void add_judge_command(CLI::App& app, int& exit_code) {
  auto file = std::make_shared<std::string>();
  auto dialect = std::make_shared<std::string>("linux");
  auto* command = app.add_subcommand("judge", "Judge a trace's recorded results, without a device");
  command->add_option("trace", *file, "trace file (.mrt)")->required();
  command->add_option("--dialect", *dialect, "rule set")->capture_default_str();
  command->callback([file, dialect, &exit_code] { exit_code = judge_file(*file, *dialect); });
}

}  // namespace mrproof
