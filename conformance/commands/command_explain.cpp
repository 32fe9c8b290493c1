#include <fmt/format.h>

#include <memory>

#include "conformance/commands/commands.hpp"
#include "model/trace/trace_dialect.hpp"
#include "specs/explain/explain.hpp"

namespace mrproof::conformance {

void add_explain_command(CLI::App& app, int& exit_code) {
  auto file = std::make_shared<std::string>();
  auto dialect = std::make_shared<std::string>();
  auto* command = app.add_subcommand(
      "explain", "Explain a trace in words: the state after each step, and why it is allowed");
  command->add_option("trace", *file, "trace file (.mrt)")->required();
  command->add_option("--dialect", *dialect, "rule set (default: the trace's)");
  command->callback([file, dialect, &exit_code] {
    const model::Trace trace = model::load_trace(*file);
    fmt::print("{}", specs::explain_trace(trace, model::book_of(trace, *dialect, *file), *file));
    exit_code = kExitExpected;
  });
}

}  // namespace mrproof::conformance
