// Walks on the simulated device with a seeded fault, up to the report that the fault deserves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "impl/sim/faults.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::property_tests::testing {

/// What was seen of a device in one walk.
struct FaultWalk {
  bool reported = false;           ///< a deviation was named as it has to be, and cited the clause
  std::uint64_t steps = 0;         ///< made until then, or in all
  std::string report;              ///< that deviation: "deviates reg_mr.ok accepted memory_mapped"
  std::uint64_t inconclusive = 0;  ///< steps that prove nothing
  /// Every deviation, and whether it cited the fault's clause: how often it was seen.
  std::map<std::pair<std::string, bool>, std::uint64_t> deviations;
};

/// How a fault's deviations are told apart: what is broken, and whether it was seen with a success
/// or a refusal ("ok remote_right"). Which of the verbs shows it first is the walk's luck.
std::string finding_name(const model::DeviationName& name);
std::string finding_name(const impl::ExpectedFinding& expected);

/// Walks the plan's cases on the device with the fault until it is reported. As in a run, what was
/// seen three times is avoided from then on. `processes`: that the device is used in.
FaultWalk walk_fault(const impl::FaultInfo& fault, Plan plan, std::size_t processes = 1);

}  // namespace mrproof::property_tests::testing
