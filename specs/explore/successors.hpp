// All that can happen in a state: each call of the scope, each rule whose situation allows it.
#pragma once

#include <bit>
#include <span>

#include "specs/explore/successor_cache.hpp"

namespace mrproof::specs {

/// What can happen in one state. One for each thread.
class Successors {
 public:
  /// Both have to outlive it.
  Successors(const ReadyScope& scope, StateCodec& codec)
      : scope_(&scope), codec_(&codec), answers_(scope, codec) {}

  /// For each state of the batch: end(which, to, call, end) for each state that rules lead to, the
  /// same state included, `end` saying which rules of the call's verb; and trouble(which, call,
  /// words) for each call that may be made and has no allowed result, or one that moves bytes of
  /// others. States and calls are named by their places in the batch and in the scope.
  template <class End, class Trouble>
  void each_end(std::span<const PackedState> batch, End&& end, Trouble&& trouble);
  /// The same for one state, rule by rule: move(to, call, rule).
  template <class Move>
  void each(PackedState from, Move&& move) {
    const auto by_rule = [&](std::size_t, PackedState to, std::size_t call,
                             const SuccessorCache::End& end) {
      for (auto rules = end.rules; rules != 0; rules &= rules - 1)
        move(to, call, static_cast<std::size_t>(std::countr_zero(rules)));
    };
    each_end({&from, 1}, by_rule, [](std::size_t, std::size_t, const char*) {});
  }
  /// The bytes of the answers remembered, the most there were at once.
  [[nodiscard]] std::size_t most_bytes() const { return answers_.most_bytes(); }

 private:
  const ReadyScope* scope_;
  StateCodec* codec_;
  SuccessorCache answers_;
  std::vector<unsigned> live_;
};

// Here, so that it is inlined where states are counted.
template <class End, class Trouble>
void Successors::each_end(std::span<const PackedState> batch, End&& end, Trouble&& trouble) {
  live_.clear();
  for (const auto& from : batch)
    live_.push_back(ReadyScope::live_objects(StateCodec::numbers(from)));
  // Call by call, so that what is remembered of a call stays in the cache.
  for (std::size_t call = 0; call < scope_->calls().size(); ++call) {
    for (std::size_t which = 0; which < batch.size(); ++which) {
      if (!scope_->is_made(call, live_[which])) continue;
      const auto from = batch[which];
      const auto* answer = &answers_.of(call, from);
      if (*answer->trouble != 0) trouble(which, call, answer->trouble);
      for (std::size_t i = 0; i < answer->ends.size(); ++i) {
        bool again = false;
        auto to = answers_.follow(call, answer->ends[i], from, again);
        while (again) {
          again = false;
          answer = &answers_.of(call, from);
          to = answers_.follow(call, answer->ends[i], from, again);
        }
        end(which, to == from ? from : codec_->in_order(to), call, answer->ends[i]);
      }
    }
  }
}

}  // namespace mrproof::specs
