// A finding as a bug report, in a folder.
#pragma once

#include <array>
#include <string>

#include "conformance/report/repro.hpp"
#include "model/judge/rulebook.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::conformance {

/// What write_finding() writes, by name.
inline constexpr std::array<const char*, 4> kFindingFiles{"repro.c", "trace.mrt", "report.md",
                                                          "report.html"};

/// Writes repro.c, trace.mrt, report.md and report.html of the trace into the folder, which is made
/// if it is missing. `file` is the trace's name in errors; `seen_on`: who was tested, if the
/// trace's comments do not tell. Returns a line that says what it is about. Throws TraceError where
/// the trace cannot be read as evidence, or tells of what is left when all was destroyed, ToolError
/// where nothing can be written, or the trace's own file or the report of a run stands where it
/// would be.
std::string write_finding(const model::Trace& trace, const model::Rulebook& book,
                          const std::string& file, const std::string& seen_on,
                          const std::string& folder, Connecting connecting = Connecting::verbs);

}  // namespace mrproof::conformance
