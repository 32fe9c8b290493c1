// What a provider chose where the rules leave a choice, where it deviates, and what changed from
// one provider to the next.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mrproof::conformance {

/// One choice and how to reach it.
struct FingerprintEntry {
  std::string call;
  std::string case_name;
  std::uint64_t step = 0;  ///< of that case, from 0
};

/// A provider's choices and deviations. Which were met depends on the plan: compare runs of one
/// plan.
struct Fingerprint {
  std::string target;  ///< "rxe, kernel 6.1, rdma-core 44.0"
  std::string dialect;
  /// "claims MW_BIND", "reg_mr.refused: refused EINVAL", "rdma_read.ok",
  /// "deviates send.ok detail completion_matches", "hang send.none/none/-": where it was met.
  std::map<std::string, FingerprintEntry> entries;
};

/// Reads a report.json, or that in the folder of a run. Throws ToolError that names the file.
Fingerprint load_fingerprint(const std::string& report);

/// That of the text of a report.json, which is known to be one.
Fingerprint fingerprint_of(const std::string& report);

/// One line an entry.
std::string print_fingerprint(const Fingerprint& fingerprint);

/// What only the first of them has: entries with the name of the second are left out.
std::map<std::string, FingerprintEntry> only_in(const Fingerprint& first,
                                                const Fingerprint& second);

/// What only the first has ("-"), what only the second ("+"); empty if they agree.
std::string print_changes(const Fingerprint& first, const Fingerprint& second);

/// Names of the entries that a provider is held to, though the rules leave it the choice.
using Pin = std::set<std::string>;

/// Reads what print_fingerprint() prints; several of them may follow each other. Throws ToolError
/// that names file and line.
Pin load_pin(const std::string& file);

/// A line for each choice that is not pinned, with the call that shows it, and for each claim that
/// is pinned and not made. Not each run meets all choices, so one that is pinned may be missing.
/// Deviations are no choices.
std::vector<std::string> drift(const Pin& pin, const Fingerprint& now);

}  // namespace mrproof::conformance
