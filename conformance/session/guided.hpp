// The part of a run that is led by what it reaches of the driver.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/run/kept_case.hpp"
#include "conformance/session/session.hpp"

namespace mrproof::conformance {

/// What became of one case.
struct CaseRun {
  model::Trace trace;
  double seconds = 0;  ///< by the guest's clock
  bool cut_short = false;
  std::optional<DriverCoverage> reached;  ///< since the case before
};
using RunCase = std::function<CaseRun(const property_tests::Plan&, std::uint64_t number)>;

/// Which cases a guest runs: of `of` guests that share them.
struct GuidedPart {
  property_tests::Plan plan;  ///< device, dialect, walks; its scenarios are changed, too
  double seconds = 0;         ///< ends after so long, by the guest's clock
  std::uint64_t number = 0, of = 1;
  const Tally& tally;  ///< to which the cases are added
};

/// Runs cases one by one until the time is over; keeps those that reach what is not in `reached`,
/// or in what another of them reached.
std::vector<KeptCase> run_guided(const GuidedPart& part, const RunCase& run,
                                 DriverCoverage reached);

/// What all guests kept, the first case first; each with what none before it had reached.
std::vector<KeptCase> join_kept(std::vector<KeptCase> all, const DriverCoverage& before);

/// Makes the cases short, each in guests of its own, so many at once.
void minimise(std::vector<KeptCase>& kept, const SessionOptions& options,
              const property_tests::Plan& plan);

/// Writes folder/corpus: the cases as traces, each with what it was the first to reach. Throws
/// ToolError.
void write_corpus(const std::vector<KeptCase>& kept, const Folder& folder);

}  // namespace mrproof::conformance
