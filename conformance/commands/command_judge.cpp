#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/oracle/explain_deviation.hpp"
#include "conformance/oracle/judge_trace.hpp"
#include "conformance/trace/trace_dialect.hpp"

namespace mrproof {
namespace {

int judge_file(const std::string& file, const std::string& dialect) {
  if (!dialect.empty()) book_named(dialect);  // the command line is looked at before the file
  const Trace trace = load_trace(file);
  const Trace judged = judge_trace(trace, book_of(trace, dialect, file), file, explain_deviation);
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
  auto dialect = std::make_shared<std::string>();
  auto* command = app.add_subcommand("judge", "Judge a trace's recorded results, without a device");
  command->add_option("trace", *file, "trace file (.mrt)")->required();
  command->add_option("--dialect", *dialect, "rule set (default: the trace's)");
  command->callback([file, dialect, &exit_code] { exit_code = judge_file(*file, *dialect); });
}

}  // namespace mrproof
