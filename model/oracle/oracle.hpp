// The oracle: the model's state and bytes beside a device, judging each step.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "model/judge/judge.hpp"
#include "model/oracle/flight.hpp"
#include "model/oracle/late_bytes.hpp"
#include "model/oracle/memory.hpp"
#include "model/oracle/provenance.hpp"
#include "model/oracle/together.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::model {

/// Where the oracle learns what memory holds: a device's buffers, or a trace.
class MemorySource {
 public:
  MemorySource() = default;
  MemorySource(const MemorySource&) = delete;
  MemorySource& operator=(const MemorySource&) = delete;
  virtual ~MemorySource() = default;
  /// Appends the runs of bytes that differ from `expected`. Called once a step.
  virtual void differences(const Memory& expected, std::vector<ByteRun>& runs) = 0;
};

/// Follows one case: resolve() before a step is made, check() after it, until it is lost(). Whoever
/// has a recorded trace, or a device, uses RecordedCase or impl/device_case.hpp.
class Oracle {
 public:
  Oracle(const Rulebook& book, const Setup& setup, const Capabilities<Plain>& can);

  [[nodiscard]] const Rulebook& book() const { return *book_; }
  [[nodiscard]] const State<Plain>& state() const { return state_; }
  [[nodiscard]] const Memory& memory() const { return memory_; }

  /// Puts the values of the call's named keys into it.
  void resolve(PlannedCall& step) const;
  /// The precondition that the call would break, or null (see model/rule.hpp). Keys must be
  /// resolved.
  [[nodiscard]] const PlainCondition* forbids(const PlannedCall& step) const;
  /// The same for the call of a view of state().
  [[nodiscard]] const PlainCondition* forbids(const PlainView& view) const;
  /// Judges the observed step, records differing bytes in it, and moves on to the next state. After
  /// a deviation that is the state that was seen, where what was seen settles it (a failed work
  /// request with both queue pairs' states, a registration that was refused, wrong bytes after a
  /// success, a success of which the completion alone tells amiss); else the oracle is lost().
  Judgement check(Step& step, MemorySource& source);
  /// Whether the state is not known any more after the last step: it hung, or deviated otherwise.
  [[nodiscard]] bool lost() const { return lost_; }
  /// Requests that were posted and not completed.
  [[nodiscard]] const Flight& flight() const { return flight_; }
  /// The message that a request took along when it was posted, of the call that is its completion;
  /// nothing if it is in memory.
  [[nodiscard]] std::span<const std::byte> carried_to(const Call<Plain>& call) const;
  /// Calls that were begun, of which one at least has not returned.
  [[nodiscard]] const Together& together() const { return together_; }
  /// What is to be said of a call that hangs, kills or is complained of, and was not checked yet.
  [[nodiscard]] Judgement trouble_with(const Step& step) const {
    return trouble_in({state_, step.call, step.result});
  }
  /// A step that deviated, and what there was before it. Words are made of it only for those who
  /// ask (specs/explain/): a provider that deviates often is not to be slower for it.
  struct Surprise {
    State<Plain> state;
    Call<Plain> call;
    Result<Plain> result;
    Judgement judgement;
    Provenance provenance;
  };
  /// The last one; nothing before the first.
  [[nodiscard]] const std::optional<Surprise>& surprise() const { return surprise_; }

 private:
  Judgement judge_step(Step& step, MemorySource& source);
  [[nodiscard]] bool recover(const Step& step, const Judgement& judgement);
  [[nodiscard]] std::optional<Judgement> take_over_late_failure(const Step& step);
  /// Moves on by what was judged; the view shows the state as it is now.
  Judgement conclude(
      Step& step, const PlainView& view, const Judgement& judgement, MemorySource& source);
  void expect_late_failure(const PlainView& view);
  Judgement post(Step& step, MemorySource& source);
  [[nodiscard]] Judgement trouble_in(const PlainView& view) const;
  Judgement complete(Step& step, MemorySource& source);
  Judgement judge_overlapping(Step& step, MemorySource& source);
  Judgement explain_overlapping(const Step& step);
  [[nodiscard]] bool may_be_beside(const Call<Plain>& request) const;
  void follow_flight(const Call<Plain>& call, const Region<Plain>& before);
  void expect_bytes_in_flight();
  void follow_program(const Call<Plain>& call);
  [[nodiscard]] bool others_in_flight(const Call<Plain>& call) const;
  void blame(Judgement& judgement, const PlainView& view) const;
  const Call<Plain>* blame_others(Judgement& judgement) const;
  [[nodiscard]] const Call<Plain>* in_flight_with(
      const PlainCondition& circumstance, Outcome outcome) const;
  [[nodiscard]] bool explained(
      const std::vector<ByteRun>& runs, const Transfer<Plain>& transfer) const;
  void store(const std::vector<ByteRun>& runs);
  void store_explained(const std::vector<ByteRun>& runs);
  [[nodiscard]] bool take_over_completion(const Step& step);
  [[nodiscard]] bool take_over_bytes(const Step& step);
  Judgement check_bytes(Step& step, const PlainView& view, const PlainRule& rule,
      const Transfer<Plain>& transfer, MemorySource& source);
  const Rulebook* book_;
  State<Plain> state_;
  Memory memory_;
  LateBytes late_bytes_;
  Flight flight_;
  Together together_;
  /// Labels of requests in flight that may store nothing more: what they store to was deregistered.
  std::array<bool, kMostLabels + 1> cut_{};
  /// A request that is or was in flight beside others, and the state in which it was posted.
  struct Posted {
    State<Plain> state;
    Call<Plain> call;
    std::vector<std::byte> carried;  ///< the message, if it was posted inline
  };
  /// All since there were none.
  std::vector<Posted> posted_;
  /// Queue pairs that may have failed since they were last seen.
  std::array<bool, Plain::kQps> may_have_failed_{};
  Provenance provenance_;
  std::optional<Surprise> surprise_;
  bool undefined_ = false;  ///< a request's result says nothing, nor does the state after it
  bool lost_ = false;
};

}  // namespace mrproof::model
