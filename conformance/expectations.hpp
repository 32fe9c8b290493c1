// Expected deviations of a driver on a target, each with the reason why it is known.
#pragma once

#include <string>
#include <vector>

#include "conformance/tally.hpp"

namespace mrproof {

/// One line of an expectation file: "reg_mr.ok/accepted/memory_mapped,Deviates  # reason", or of a
/// hang "send.none/none/receive_posted,Hang  # reason".
struct Expectation {
  std::string rule;
  std::string kind;
  std::string broken;
  bool hang = false;
  std::string reason;
  std::size_t line = 0;
};

/// Reads ci/expectations/<driver>-<target>-fails.txt. Throws ToolError naming file and line when a
/// line is not of the form, or has no reason.
std::vector<Expectation> load_expectations(const std::string& file);

/// Writes the reasons into the findings that are expected.
void mark_expected(const std::vector<Expectation>& expectations, Tally& tally);

}  // namespace mrproof
