// Seeded faults of the simulated device: the mistakes that a harness worth its name must find.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mrproof::impl {

/// A mistake that the simulated device makes on request, one at a time: an enumerator for each
/// entry of faults_*.inc. faults() says what each one breaks.
enum class Fault : std::uint8_t {
  none,  ///< the correct device
#define MRPROOF_FAULT(id, ...) id,
#include "impl/sim/faults.inc"
#undef MRPROOF_FAULT
};

/// What the oracle is to say of a fault, as its annotation names it.
struct ExpectedFinding {
  std::string_view rule;       ///< id of the rule, or `<verb>.<outcome>` where there is none
  std::string_view condition;  ///< ids of what is broken, joined by '+'
};

/// One row of the table of faults.
struct FaultInfo {
  Fault fault;
  std::string_view id;       ///< the enumerator with hyphens; as written on command lines
  std::string_view breaks;   ///< one sentence: what the faulty device does
  ExpectedFinding expected;  ///< the finding that says it best; empty if there must be none
  std::string_view clause;   ///< id of the clause that it breaks (specs/clauses)
  std::string_view why_allowed = {};  ///< why the pages leave it free; empty if they do not

  /// Whether it shows in no step: only in what is left when all was destroyed.
  [[nodiscard]] bool shows_at_reset() const { return expected.rule == "reset.ok"; }
};

/// All seeded faults, without Fault::none, in the order of the enumeration.
const std::vector<FaultInfo>& faults();

/// The fault with this id; nothing if there is none.
std::optional<Fault> fault_by_name(std::string_view id);

}  // namespace mrproof::impl
