#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "conformance/commands/commands.hpp"
#include "model/oracle/judge_trace.hpp"
#include "model/trace/trace_dialect.hpp"
#include "specs/explain/explain_deviation.hpp"

namespace mrproof::conformance {
namespace {

int judge_file(const std::string& file, const std::string& dialect) {
  if (!dialect.empty())
    model::book_named(dialect);  // the command line is looked at before the file
  const model::Trace trace = model::load_trace(file);
  const model::Trace judged = model::judge_trace(trace, model::book_of(trace, dialect, file), file,
                                                 specs::explain_deviation);
  fmt::print("{}", model::print_trace(judged));
  const bool deviates =
      std::any_of(judged.steps.begin(), judged.steps.end(), [](const model::Step& step) {
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

}  // namespace mrproof::conformance
