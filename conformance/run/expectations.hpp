// Expected deviations of a driver on a target, each with the reason why it is known.
#pragma once

#include <string>
#include <vector>

#include "conformance/run/tally.hpp"

namespace mrproof {

/// One line of an expectation file: "reg_mr.ok/accepted/memory_mapped,Deviates  # reason"; of a
/// call that hangs, kills the kernel or makes it complain: "send.none/none/receive_posted,Hang",
/// ",Crash" or ",KernelWarning".
struct Expectation {
  std::string rule;
  std::string kind;
  std::string broken;
  model::Verdict verdict = model::Verdict::deviates;
  std::string reason;
  std::size_t line = 0;
};

/// Reads ci/expectations/<driver>-<target>-fails.txt. Throws ToolError naming file and line when a
/// line is not of the form, or has no reason.
std::vector<Expectation> load_expectations(const std::string& file);

/// Adds the calls that are expected to hang, crash or make the kernel complain to those that a walk
/// leaves out: each would cost a time limit or a boot, and their traces are replayed elsewhere.
void avoid_expected(const std::vector<Expectation>& expectations, WalkOptions& walk);

/// Writes the reasons into the findings that are expected, and marks the cases in which nothing
/// else was seen.
void mark_expected(const std::vector<Expectation>& expectations, Tally& tally);

/// The entries of deviations none of whose reason the tally has seen: mended, or misspelt. (What
/// has one reason comes under many names, not all of them in one run.)
std::vector<Expectation> unmatched(const std::vector<Expectation>& expectations,
                                   const Tally& tally);

/// "RULE/CLASS/CONDITION,Deviates", as files have it.
std::string print_entry(const Expectation& expectation);

}  // namespace mrproof
