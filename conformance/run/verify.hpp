// A report's verdicts, computed anew from what its journal says was called and seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mrproof::conformance {

/// What came of it.
struct Verification {
  std::uint64_t cases = 0;
  std::uint64_t steps = 0;
  /// One line each: a step whose verdict is another one, a sum or a deviation that the report has
  /// and the journal has not, or the reverse. Empty: the report says what its journal says.
  std::vector<std::string> differences;
};

/// Judges every step of the folder's journal.jsonl by the rules of the dialect that report.json
/// names, and compares verdicts, sums and deviations. Throws ToolError if a file is missing or
/// malformed. What it cannot tell is whether the device did what the journal says.
Verification verify_report(const std::string& folder);

}  // namespace mrproof::conformance
