// A finding as text for a mailing list or an issue.
#pragma once

#include <string>

#include "conformance/report/evidence.hpp"

namespace mrproof::conformance {

/// The most lines that finding_letter() gives.
inline constexpr std::size_t kLetterLines = 100;

/// Markdown of at most kLetterLines lines: what is wrong, the trace, what was allowed and by which
/// clause, who was tested, the commands, and the program. A program that does not fit is attached
/// (repro.c beside it), and its steps stand in the text. `seen_on`: who was tested, for a trace
/// that does not say it.
std::string finding_letter(const Evidence& evidence, const std::string& program,
                           const std::string& seen_on);

}  // namespace mrproof::conformance
