// The calls of a scope, ready to be asked about.
#pragma once

#include <vector>

#include "specs/explore/packed_state.hpp"
#include "specs/explore/rule_masks.hpp"
#include "specs/explore/scope.hpp"

namespace mrproof::specs {

/// A call of the scope, with the rules for it.
struct ReadyCall {
  model::Call<RuleDomain> call;
  model::Result<RuleDomain> result;  ///< what effects ask for
  const MaskedVerb* verb = nullptr;
};

/// The calls of a scope. Immutable; threads share it.
class ReadyScope {
 public:
  /// `masks` has to outlive it.
  ReadyScope(const Scope& scope, const RuleMasks& masks);
  [[nodiscard]] const std::vector<ReadyCall>& calls() const { return calls_; }
  /// Which regions and windows are live, as a number below 32.
  static unsigned live_objects(const StateNumbers& numbers);
  /// Whether the call is made while these are live. Not if it names the key of a free slot, which
  /// is like any other stale key; and with symmetry, not if it makes an object elsewhere than in
  /// the first free slot.
  [[nodiscard]] bool is_made(std::size_t call, unsigned live) const {
    return (made_[call] >> live & 1U) != 0;
  }

 private:
  std::vector<ReadyCall> calls_;
  std::vector<std::uint32_t> made_;  ///< of each call, a bit for each value of live_objects()
};

}  // namespace mrproof::specs
