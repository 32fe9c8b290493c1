// Calls that overlap each other: begun in threads, and not seen to have returned. A thread makes
// one of them, or some, each behind the one before if that has succeeded.
//
// Each takes effect at one moment between its begin and its return, so what was seen conforms if
// the rules allow it in some order of the calls. It is judged when the last one has returned: what
// is called meanwhile is one of them. Beside one of them requests can be posted: they are in flight
// from then on.
#pragma once

#include <cstdint>
#include <vector>

#include "model/judge/judge.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::model {

/// Preconditions of calls that are to overlap, and of calls while some do
/// (specs/clauses/harness.toml).
extern const PlainCondition kMayOverlap, kAnyOrder;
/// A circumstance of what no order of calls explains.
extern const PlainCondition kOverlaps;

/// Those of one case.
class Together {
 public:
  /// So many there are at most, and threads that make them: all their orders are looked at.
  static constexpr std::size_t kMost = 6, kMostThreads = 4;

  [[nodiscard]] bool empty() const { return begun_.empty(); }
  [[nodiscard]] std::size_t size() const { return begun_.size(); }
  /// The first one that was not seen to return; there has to be one.
  [[nodiscard]] const PlannedCall& next() const;
  /// The one that has begun last; there has to be one.
  [[nodiscard]] const PlannedCall& last() const { return begun_.back().step; }
  /// Whether one was seen to return: then no other one begins.
  [[nodiscard]] bool returning() const;
  /// The call of that label; null if none is begun, or it has returned.
  [[nodiscard]] const PlannedCall* find(std::uint8_t label) const;
  /// The precondition that the call would break for what is begun, or for what it would overlap; or
  /// null.
  [[nodiscard]] const PlainCondition* forbids(
      const Rulebook& book, const State<Plain>& state, const Call<Plain>& call) const;

  void begin(const PlannedCall& step);
  /// How the call of the step's label has ended. Whether it was the last one.
  bool end(const Step& step);

  /// A call where some order has it.
  struct Made {
    Call<Plain> call;
    Result<Plain> result;
    Judgement judgement;
  };
  /// The calls that were made, in the first order that the rules allow, by when they began; or, if
  /// there is none, in the one that goes furthest, up to the call that deviates there. Nothing is
  /// begun any more.
  std::vector<Made> explain(const Rulebook& book, const State<Plain>& state);

 private:
  struct Begun {
    PlannedCall step;
    Result<Plain> result;
    bool ended = false;
  };
  class Orders;
  [[nodiscard]] bool may_begin(const State<Plain>& state, const Call<Plain>& call) const;
  [[nodiscard]] bool may_return(std::uint8_t label) const;
  std::vector<Begun> begun_;
};

}  // namespace mrproof::model
