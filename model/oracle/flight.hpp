// Work requests in flight: posted, and their completions not seen yet.
//
// Meanwhile the program makes other calls. A request takes effect at one moment from when it was
// posted to when its completion is seen, and those of a queue pair in the order of their posting:
// its result conforms if the rules allow it in the state of some such moment. The
// earliest one is taken, which leaves the others the most.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/judge/judge.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::model {

/// Preconditions of calls while something is in flight (specs/clauses/harness.toml).
extern const PlainCondition kMayBeInFlight, kFlightLeavesAlone, kFlightApart;
/// Circumstances of requests that never complete.
extern const PlainCondition kFailsBehind, kPeerChanges;
/// A circumstance of bytes that are not as they should be.
extern const PlainCondition kRegionEnds;

/// Those of one case.
class Flight {
 public:
  [[nodiscard]] bool empty() const { return requests_.empty(); }
  /// The call whose request is linked with the next one, which has to come now; or null.
  [[nodiscard]] const Call<Plain>* open() const {
    return open_ ? &requests_.back().step.call : nullptr;
  }
  /// Of those in flight the one that was posted first; there has to be one.
  [[nodiscard]] const PlannedCall& oldest() const { return requests_.front().step; }
  /// Whether requests of the queue pair or of its peer are in flight.
  [[nodiscard]] bool is_on_pair(std::uint32_t qp) const;
  /// The call that posted the request of that label; null if it is not in flight.
  [[nodiscard]] const PlannedCall* find(std::uint8_t label) const;
  /// Whether the request of that label is in flight, and is the first one of its queue pair.
  [[nodiscard]] bool is_next(std::uint8_t label) const;
  /// Whether one that was posted behind the request of that label may have failed at its own end.
  [[nodiscard]] bool fails_behind(const Rulebook& book, std::uint8_t label) const;
  /// Whether the other end was modified while the request of that label was in flight.
  [[nodiscard]] bool peer_changes(std::uint8_t label) const;
  /// The precondition that the call would break for what is in flight, or null.
  [[nodiscard]] const PlainCondition* forbids(
      const State<Plain>& state, const Call<Plain>& call) const;

  /// The call, whose keys are resolved, was posted in that state.
  void post(const PlannedCall& step, const State<Plain>& state);
  /// The next request of a list was refused: the list is over.
  void close() { open_ = false; }
  /// Another call was made; the state after it.
  void pass(const Call<Plain>& call, const State<Plain>& state);

  struct Answer {
    Judgement judgement;
    State<Plain> state;  ///< in which that was judged
    /// False if something that was done meanwhile left its result undefined: nothing is judged.
    bool known = true;
  };
  /// Judges the completion of a request in flight, whose call has the request's keys.
  Answer judge_completion(
      const Rulebook& book, const Call<Plain>& call, const Result<Plain>& result);
  /// The call was made: what it abandons (trace_form.hpp) is in flight no more.
  void abandon(const Call<Plain>& call);
  /// The request is not in flight any more. If it failed, those behind it find their queue pairs as
  /// they are in this state.
  void complete(const Rulebook& book, const Call<Plain>& call, const State<Plain>* failed);
  /// Calls use(state) for each state since the request in flight of that label was posted.
  template <class Use> void each_moment(std::uint8_t label, Use&& use) const {
    for (const auto& request : requests_)
      for (std::size_t i = request.since; request.step.call.label == label && i < moments_.size();
           ++i)
        use(moments_[i]);
  }
  /// Calls use(call) for each request.
  template <class Use> void each(Use&& use) const {
    for (const auto& request : requests_) use(request.step.call);
  }

 private:
  struct Request {
    PlannedCall step;
    std::size_t since;  ///< the first moment at which it may take effect
    /// It may have failed at the other end before it was known that another one had failed.
    bool failed_there = false;
    bool peer_changes = false;  ///< modify_qp() was called for the other end since
  };
  /// Whether a queue pair of a request, or its peer, is of the PD.
  [[nodiscard]] bool holds_pairs(const State<Plain>& state, std::uint32_t pd) const;
  [[nodiscard]] bool may_fail(const Rulebook& book, const Request& request, bool there) const;
  [[nodiscard]] std::optional<Answer> judge_beside_failures(
      const Rulebook& book, const Call<Plain>& call, const Result<Plain>& result) const;
  std::vector<Request> requests_;      // as they were posted
  bool open_ = false;                  // whether the last one is linked with the next
  std::vector<State<Plain>> moments_;  // since the first of them; the last is now
};

}  // namespace mrproof::model
