// What a device has to have so that a condition of a rule can decide alone: makes the table of
// specs/deciding.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "specs/deciding.hpp"
#include "specs/prover/prover.hpp"

namespace mrproof::specs {

/// What is needed so that the condition decides alone: is the only one broken of those that are
/// required, or the only reason of those that there are.
struct Deciding {
  std::string rule, condition;  ///< "reg_mr.ok"; the id
  bool reason = false;          ///< it is a reason, not a requirement
  DialectSet dialects = 0;
  bool never = false;   ///< there is no such state and call, whatever the device has
  DeviceParts all;      ///< each of these is needed
  DeviceParts any;      ///< one of these is needed, if there are any
  DeviceParts without;  ///< it has to be without one of these, if there are any
  bool decided = true;  ///< whether the solver had an answer to each question

  /// Whether there is a state and a call on every device, as far as was asked.
  [[nodiscard]] bool needs_nothing() const {
    return !never && all.none() && any.none() && without.none();
  }
};

/// That the caller keeps its preconditions and that term of the rule, a reason or a requirement,
/// decides alone. Uses the current store.
std::vector<smt::Bit> decides_alone(const Row& row, std::size_t term, bool reason,
                                    const model::View<Terms>& view);

/// All rules' conditions that are about the situation, in the order of the catalogue, asked of all
/// states that the invariants allow and all calls that keep their preconditions.
std::vector<Deciding> deciding(const ProofOptions& options,
                               const std::function<void(const Deciding&)>& progress);

/// Whether it is proved that the term never decides alone on a device that has just these parts and
/// carries messages of so many bytes: in no state that the invariants allow and by no call that
/// keeps its preconditions.
bool never_decides_on(const DeviceParts& has, std::uint64_t max_message, const Row& row,
                      std::size_t term, bool reason, const ProofOptions& options);

/// Those that need something, as specs/deciding.inc has them.
std::string deciding_text(const std::vector<Deciding>& all);

}  // namespace mrproof::specs
