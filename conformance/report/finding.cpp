#include "conformance/report/finding.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "conformance/report/finding_letter.hpp"
#include "conformance/report/finding_page.hpp"
#include "conformance/report/finding_words.hpp"
#include "conformance/report/repro.hpp"
#include "model/trace/write_file.hpp"
#include "property-tests/walk/known_deviation.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

namespace fs = std::filesystem;

/// Throws ToolError where the trace itself would be overwritten, or what a run has written. What an
/// earlier finding left may go.
void check_folder(const fs::path& out, const std::string& trace) {
  std::error_code none;
  for (const char* name : kFindingFiles)
    if (fs::equivalent(out / name, trace, none))
      throw model::ToolError(
          fmt::format("{}: would be overwritten, but it is the trace itself; choose another --out",
                      (out / name).string()));
  if (fs::exists(out / "report.json", none))
    throw model::ToolError(fmt::format(
        "{}: holds the report of a run, which would be overwritten; choose another --out",
        out.string()));
}

}  // namespace

std::string write_finding(const model::Trace& trace, const model::Rulebook& book,
                          const std::string& file, const std::string& seen_on,
                          const std::string& folder, Connecting connecting) {
  for (const model::Step& step : trace.steps)
    for (const auto& told : step.annotations)
      if (property_tests::is_of_reset(told))
        throw model::TraceError(fmt::format(
            "{}:{}:1: this tells of what is left when all was destroyed, which no C program shows "
            "yet; send the trace: mrproof replay shows it",
            file, step.line));
  for (const model::Step& step : trace.steps)
    if (connecting == Connecting::rdma_cm && step.call.verb == model::Verb::connect)
      throw model::TraceError(fmt::format(
          "{}:{}:1: 'connect' takes queue pairs through RESET, which the RDMA CM does not; leave "
          "out --rdma-cm",
          file, step.line));
  const fs::path out(folder);
  check_folder(out, file);
  const Evidence evidence = gather_evidence(trace, book, file);
  std::error_code error;
  fs::create_directories(out, error);  // writing tells of what went wrong
  const std::string program = repro_program(evidence, connecting);
  const std::array<std::string, kFindingFiles.size()> texts{
      program, model::print_trace(annotated_trace(evidence)),
      finding_letter(evidence, program, seen_on), finding_page(evidence, program, seen_on)};
  for (std::size_t i = 0; i < kFindingFiles.size(); ++i)
    model::write_whole_file(out / kFindingFiles[i], texts[i]);
  return finding_title(evidence);
}

}  // namespace mrproof::conformance
