// All that can happen in a state: each call of the scope, each rule whose situation allows it.
#pragma once

#include <bit>
#include <optional>
#include <vector>

#include "conformance/explore/packed_state.hpp"
#include "conformance/explore/rule_masks.hpp"
#include "conformance/explore/scope.hpp"

namespace mrproof {

/// A call of the scope, ready to be asked about.
struct ReadyCall {
  WorldCall call;
  WorldResult result;  ///< what effects ask for
  const MaskedVerb* verb = nullptr;
  /// The regions, windows whose keys it names: keys of free slots are like any other stale key, so
  /// the call is made only while they are live.
  std::uint8_t regions = 0, windows = 0;
  /// Where it makes a region or a window. With symmetry it is the first free slot.
  std::optional<std::uint8_t> new_region, new_window;
};

/// The calls of a scope with the rules for them. Immutable; threads share it.
class ReadyScope {
 public:
  /// `masks` has to outlive it.
  ReadyScope(const Scope& scope, const RuleMasks& masks);
  [[nodiscard]] const std::vector<ReadyCall>& calls() const { return calls_; }
  [[nodiscard]] bool symmetry() const { return symmetry_; }

 private:
  std::vector<ReadyCall> calls_;
  bool symmetry_;
};

/// What can happen in one state. One for each thread.
class Moves {
 public:
  Moves(const ReadyScope& scope, StateCodec& codec)
      : scope_(&scope), codec_(&codec), state_(codec.initial()) {}

  /// Looks at a state.
  void look_at(PackedState from) {
    from_ = from;
    numbers_ = StateCodec::numbers(from);
    codec_->unpack(numbers_, state_);
  }
  [[nodiscard]] const WorldState& state() const { return state_; }

  /// Calls move(to, call, rule) for each rule that some call can be answered by, in order: the
  /// packed state after it, the places of the call and of the rule of its verb; and hole(call) for
  /// each call that may be made and has no allowed result.
  template <class Move, class Hole>
  void each(Move&& move, Hole&& hole);

 private:
  [[nodiscard]] std::uint64_t answers(const MaskedVerb& verb, const RuleView& view) const {
    std::uint64_t bits = 0, bit = 1;
    for (const RuleCondition* condition : verb.conditions) {
      if (condition->holds(view).truth()) bits |= bit;
      bit <<= 1U;
    }
    return bits;
  }
  /// Where the rule leads. Several rules of a verb have one effect.
  PackedState after(const RuleRow& rule, const RuleView& view) {
    if (rule.effect == nullptr) return from_;
    for (std::size_t i = 0; i < known_; ++i)
      if (effects_[i] == rule.effect) return ends_[i];
    WorldState end = state_;
    rule.effect(view, end);
    const auto packed = codec_->pack(end, state_, numbers_);
    if (known_ < effects_.size()) {
      effects_[known_] = rule.effect;
      ends_[known_++] = packed;
    }
    return packed;
  }

  const ReadyScope* scope_;
  StateCodec* codec_;
  PackedState from_;
  StateNumbers numbers_;
  WorldState state_;
  std::array<RuleRow::Effect, 4> effects_{};
  std::array<PackedState, 4> ends_{};
  std::size_t known_ = 0;
};

// Here, so that it is inlined where states are counted.
template <class Move, class Hole>
void Moves::each(Move&& move, Hole&& hole) {
  const auto live = [](const auto& slots) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < slots.size(); ++i)
      bits |= static_cast<unsigned>(slots[i].live.truth()) << i;
    return bits;
  };
  const auto regions = live(state_.regions);
  const auto windows = live(state_.windows);
  const auto first_region = static_cast<std::uint8_t>(std::countr_one(regions));
  const auto first_window = static_cast<std::uint8_t>(std::countr_one(windows));
  for (std::size_t i = 0; i < scope_->calls().size(); ++i) {
    const ReadyCall& ready = scope_->calls()[i];
    if ((ready.regions & ~regions) != 0 || (ready.windows & ~windows) != 0) continue;
    if (scope_->symmetry() && ready.new_region && *ready.new_region != first_region) continue;
    if (scope_->symmetry() && ready.new_window && *ready.new_window != first_window) continue;
    const RuleView view{state_, ready.call, ready.result};
    bool may = true;
    for (const RuleCondition* duty : ready.verb->duties)
      if (may = duty->holds(view).truth(); !may) break;
    if (!may) continue;
    known_ = 0;
    bool any = false;
    const auto bits = answers(*ready.verb, view);
    for (std::size_t r = 0; r < ready.verb->rules.size(); ++r) {
      const MaskedRule& rule = ready.verb->rules[r];
      if (!rule.open(bits)) continue;
      any = true;
      move(after(*rule.rule, view), i, r);
    }
    if (!any) hole(i);
  }
}

}  // namespace mrproof
