#include "conformance/report/finding.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "conformance/report/finding_letter.hpp"
#include "conformance/report/finding_page.hpp"
#include "conformance/report/finding_words.hpp"
#include "conformance/report/repro.hpp"
#include "conformance/run/plan.hpp"

namespace mrproof {
namespace {

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw ToolError(fmt::format("{}: cannot be written; choose another --out", path.string()));
}

}  // namespace

std::string write_finding(const Trace& trace, const model::Rulebook& book, const std::string& file,
                          const std::string& seen_on, const std::string& folder,
                          Connecting connecting) {
  for (const Step& step : trace.steps)
    if (connecting == Connecting::rdma_cm && step.call.verb == model::Verb::connect)
      throw TraceError(fmt::format(
          "{}:{}:1: 'connect' takes queue pairs through RESET, which the RDMA CM does not; leave "
          "out --rdma-cm",
          file, step.line));
  const Evidence evidence = gather_evidence(trace, book, file);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::filesystem::path out(folder);
  const std::string program = repro_program(evidence, connecting);
  write_file(out / "repro.c", program);
  write_file(out / "trace.mrt", print_trace(annotated_trace(evidence)));
  write_file(out / "report.md", finding_letter(evidence, program, seen_on));
  write_file(out / "report.html", finding_page(evidence, program, seen_on));
  return finding_title(evidence);
}

}  // namespace mrproof
