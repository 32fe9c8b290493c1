#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/report/finding_letter.hpp"
#include "conformance/report/finding_page.hpp"
#include "conformance/report/finding_words.hpp"
#include "conformance/report/repro.hpp"
#include "conformance/run/plan.hpp"
#include "conformance/trace/trace_dialect.hpp"

namespace mrproof {
namespace {

struct ReportOptions {
  std::string trace;
  std::string out;
  std::string dialect;
  std::string seen_on;
};

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw ToolError(fmt::format("{}: cannot be written; choose another --out", path.string()));
}

void report_finding(const ReportOptions& options) {
  const Trace trace = load_trace(options.trace);
  const auto& book = book_of(trace, options.dialect, options.trace);
  const Evidence evidence = gather_evidence(trace, book, options.trace);
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  const std::filesystem::path out(options.out);
  const std::string program = repro_program(evidence);
  write_file(out / "repro.c", program);
  write_file(out / "trace.mrt", print_trace(annotated_trace(evidence)));
  write_file(out / "report.md", finding_letter(evidence, program, options.seen_on));
  write_file(out / "report.html", finding_page(evidence, program, options.seen_on));
  fmt::print("{}: {}\n", options.out, finding_title(evidence));
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  auto* command = app.add_subcommand(
      "report", "Write what the finder of a deviation sends: annotated trace, C program, page");
  command->add_option("trace", options->trace, "trace file (.mrt)")->required();
  command->add_option("-o,--out", options->out, "folder; made if it is missing")->required();
  command->add_option("--dialect", options->dialect, "rule set (default: the trace's)");
  command->add_option("--seen-on", options->seen_on,
                      "device, kernel and rdma-core, if the trace's comments do not tell them");
  command->callback([options, &exit_code] {
    report_finding(*options);
    exit_code = kExitExpected;
  });
}

}  // namespace mrproof
