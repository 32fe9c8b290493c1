#include <fmt/format.h>

#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/report/finding.hpp"
#include "model/trace/trace_dialect.hpp"

namespace mrproof::conformance {
namespace {

struct ReportOptions {
  std::string trace;
  std::string out;
  std::string dialect;
  std::string seen_on;
  bool rdma_cm = false;
};

void report_finding(const ReportOptions& options) {
  const model::Trace trace = model::load_trace(options.trace);
  const auto& book = model::book_of(trace, options.dialect, options.trace);
  fmt::print("{}: {}\n", options.out,
             write_finding(trace, book, options.trace, options.seen_on, options.out,
                           options.rdma_cm ? Connecting::rdma_cm : Connecting::verbs));
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  auto* command =
      app.add_subcommand("report", "Write a bug report: C program, letter, page, annotated trace");
  command->add_option("trace", options->trace, "trace file (.mrt)")->required();
  command->add_option("-o,--out", options->out, "folder; created if it is missing")
      ->required()
      ->check(kNotEmpty);
  command->add_option("--dialect", options->dialect, "rule set (default: the trace's)");
  command->add_option("--seen-on", options->seen_on,
                      "device, kernel and rdma-core, if the trace's comments do not say");
  command->add_flag("--rdma-cm", options->rdma_cm,
                    "let the program connect through the RDMA CM, as iWARP needs it");
  command->callback([options, &exit_code] {
    report_finding(*options);
    exit_code = kExitExpected;
  });
}

}  // namespace mrproof::conformance
