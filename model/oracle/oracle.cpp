#include "model/oracle/oracle.hpp"

#include <algorithm>
#include <utility>

#include "model/conditions/circumstances.hpp"
#include "model/rules/effects.hpp"
#include "model/trace/key_value.hpp"
#include "model/trace/trace_form.hpp"

namespace mrproof::model {

namespace {

/// What a request that failed may have moved, whatever it was refused for.
Transfer<Plain> part_of(const PlainView& view) {
  using Effects = TransferEffects<Plain>;
  if (is_send(view.call.verb)) return Effects::part_send(view);
  if (!is_remote(view.call.verb) || is_atomic(view.call.verb)) return {};
  return is_iwarp(view.state).truth() ? Effects::part_stream(view) : Effects::part_remote(view);
}

/// Whether all that the request stores goes to the region, or by its key.
bool stores_to(const Region<Plain>& region, const Call<Plain>& request) {
  if (request.verb == Verb::rdma_write) return (request.rkey == region.rkey).truth();
  if (request.verb != Verb::rdma_read || !(request.lkey == region.lkey).truth()) return false;
  return request.elements == 1 || (request.second.lkey == region.lkey).truth();
}

/// Whether the transfer goes to one of the bytes, or makes it from what was there.
bool touches(const Transfer<Plain>& transfer, const std::vector<ByteRun>& runs) {
  const auto meets = [&](const Piece<Plain>& piece, const ByteRun& run) {
    return run.address < piece.at.value() + piece.length.value() &&
           piece.at.value() < run.address + run.bytes.size();
  };
  return std::any_of(runs.begin(), runs.end(), [&](const ByteRun& run) {
    const auto& to = transfer.to;
    const bool changes = transfer.motion != Motion::copy && meets(transfer.from[0], run);
    return changes || std::any_of(to.begin(), to.end(), [&](auto& p) { return meets(p, run); });
  });
}

/// What a request in flight may have moved.
Transfer<Plain> flying_part_of(const PlainView& view) {
  if (!is_atomic(view.call.verb)) return part_of(view);
  return TransferEffects<Plain>::part_remote(view);
}

/// The bytes that the request takes along, if it is posted inline: precondition inline_sound.
std::vector<std::byte> carried_by(const PlainView& view, const Memory& memory) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; view.posted_inline().truth() && i < view.call.elements; ++i) {
    const auto from = view.local(i);
    for (std::uint64_t at = 0; at < from.length.value(); ++at)
      bytes.push_back(memory.at(from.start.value() + at));
  }
  return bytes;
}

/// What was seen of a queue pair after a refusal that should not have been.
void take_over(State<Plain>& state, std::uint32_t slot, Plain::Small seen, Plain::Small receive) {
  const auto none = Plain::small(Outcome::none);
  const auto failed = seen == Plain::small(QpState::err);
  state.qps.change(slot, [&](auto& qp) {
    qp.posted = qp.posted & (receive == none) & !failed;
    qp.state = seen;
  });
  if (failed.truth()) TransferEffects<Plain>::leave_windows(state, slot);
}

}  // namespace

Oracle::Oracle(const Rulebook& book, const Setup& setup, const Capabilities<Plain>& can)
    : book_(&book), state_(initial_state(setup, can, book.defined_access())) {}

void Oracle::resolve(PlannedCall& step) const {
  const PlannedCall* posted = nullptr;
  if (step.call.part == Part::completion)
    posted = is_transfer(step.call.verb) ? flight_.find(step.call.label)
                                         : together_.find(step.call.label);
  if (posted == nullptr) return resolve_keys(step, state_);
  step = end_of(*posted);
}

const PlainCondition* Oracle::forbids(const PlannedCall& step) const {
  static const Result<Plain> nothing;
  return forbids({state_, step.call, nothing});
}

const PlainCondition* Oracle::forbids(const PlainView& view) const {
  // What a request in flight needed, it needed when it was posted; and what a thread makes behind
  // another call, it needs then.
  if (view.call.part != Part::completion && view.call.follows == 0)
    if (const auto* broken = book_->forbids(view)) return broken;
  if (const auto* broken = together_.forbids(*book_, state_, view.call)) return broken;
  if (is_overlapping(view.call)) {
    const bool begins = view.call.part == Part::posted;
    return (begins ? flight_.empty() : flight_.open() == nullptr) ? nullptr : &kMayOverlap;
  }
  if (!together_.empty() && !may_be_beside(view.call)) return &kMayOverlap;
  return flight_.forbids(state_, view.call);
}

/// Whether the call under way may be made while the request is in flight.
bool Oracle::may_be_beside(const Call<Plain>& request) const {
  PlannedCall posted;
  posted.call = request;
  Flight beside = flight_;
  beside.post(posted, state_);
  beside.close();
  auto other = together_.next().call;
  other.part = Part::whole;
  return beside.forbids(state_, other) == nullptr;
}

Judgement Oracle::check(Step& step, MemorySource& source) {
  Judgement judgement = judge_step(step, source);
  const bool deviates = judgement.verdict == Verdict::deviates;
  lost_ = judgement.verdict == Verdict::hang || undefined_ ||
          (deviates && (is_overlapping(step.call) || !recover(step, judgement)));
  if (is_overlapping(step.call)) return judgement;
  if (step.call.part == Part::completion)
    flight_.complete(*book_, step.call, step.result.outcome == Outcome::ok ? nullptr : &state_);
  // A pair that was not connected anew is anywhere between.
  lost_ = lost_ || (step.call.verb == Verb::connect && step.result.outcome != Outcome::ok);
  if (flight_.empty()) posted_.clear();
  if (step.call.part == Part::posted && !is_in_flight(step)) flight_.close();
  return judgement;
}

Judgement Oracle::judge_step(Step& step, MemorySource& source) {
  follow_program(step.call);
  if (is_overlapping(step.call)) return judge_overlapping(step, source);
  if (is_in_flight(step)) return post(step, source);
  if (step.call.part == Part::completion) return complete(step, source);
  const PlainView view{state_, step.call, step.result};
  const Judgement judgement =
      step.timed_out ? trouble_in(view) : judge(*book_, view);
  if (judgement.verdict == Verdict::deviates)
    if (const auto other = take_over_late_failure(step))
      return conclude(step, {state_, step.call, step.result}, *other, source);
  return conclude(step, view, judgement, source);
}

Judgement Oracle::conclude(
    Step& step, const PlainView& view, const Judgement& judgement, MemorySource& source) {
  if (judgement.verdict == Verdict::deviates || judgement.verdict == Verdict::hang) {
    surprise_ = {view.state, step.call, step.result, judgement, provenance_};
    source.differences(memory_, step.bytes);
    return judgement;
  }
  const PlainRule& rule = *judgement.rule;
  const auto transfer = rule.transfer == nullptr ? Transfer<Plain>{} : rule.transfer(view);
  if (!transfer.exact) late_bytes_.expect(step.call.qp, transfer, memory_);
  const Judgement bytes = check_bytes(step, view, rule, transfer, source);
  if (bytes.verdict == Verdict::deviates)
    surprise_ = {view.state, step.call, step.result, bytes, provenance_};
  provenance_.note(*book_, rule, view);
  expect_late_failure(view);
  if (step.call.verb == Verb::connect && step.result.outcome == Outcome::ok) {
    late_bytes_.forget(step.call.qp);
    may_have_failed_[step.call.qp] = may_have_failed_[peer_of(step.call.qp)] = false;
  }
  const auto before = flight_.empty() ? Region<Plain>{} : state_.regions.at(step.call.mr);
  advance(rule, view, state_);
  const bool changes = step.call.part == Part::whole && step.result.outcome != Outcome::refused;
  if (!flight_.empty() && changes) follow_flight(step.call, before);
  return bytes.verdict == Verdict::deviates ? bytes : judgement;
}

/// A request is in flight from now on.
Judgement Oracle::post(Step& step, MemorySource& source) {
  posted_.push_back(
      {state_, step.call, carried_by({state_, step.call, step.result}, memory_)});
  flight_.post(step, state_);
  cut_.at(step.call.label) = false;
  expect_bytes_in_flight();
  const PlainView view{state_, step.call, step.result};
  const PlainRule& rule = *book_->rules(step.call.verb, Outcome::ok).front();
  return check_bytes(step, view, rule, {}, source);
}

/// A call has begun, or returned. Of memory it changes nothing; what it ends may have stored
/// something until then.
Judgement Oracle::judge_overlapping(Step& step, MemorySource& source) {
  const PlainView view{state_, step.call, step.result};
  const Judgement bytes =
      check_bytes(step, view, *book_->rules(step.call.verb, Outcome::ok).front(), {}, source);
  Judgement judgement;
  if (step.call.part == Part::posted)
    together_.begin(step);
  else if (together_.end(step))
    judgement = explain_overlapping(step);
  if (judgement.verdict == Verdict::deviates || bytes.verdict != Verdict::deviates)
    return judgement;
  surprise_ = {state_, step.call, step.result, bytes, provenance_};
  return bytes;
}

/// All have returned: the state after them, and what is to be said of the last one to return; or of
/// the one that no order explains. What would deviate alone has the name that it has alone.
Judgement Oracle::explain_overlapping(const Step& step) {
  Judgement judged;
  const State<Plain> before = state_;
  for (auto& made : together_.explain(*book_, state_)) {
    const PlainView view{state_, made.call, made.result};
    if (made.judgement.verdict == Verdict::deviates) {
      if (judge(*book_, {before, made.call, made.result}).verdict != Verdict::deviates)
        made.judgement.broken.push_back(&kOverlaps);
      made.judgement.other = {made.call.verb, made.result.outcome};
      surprise_ = {state_, made.call, made.result, made.judgement, provenance_};
      return made.judgement;
    }
    provenance_.note(*book_, *made.judgement.rule, view);
    const auto region = flight_.empty() ? Region<Plain>{} : state_.regions.at(made.call.mr);
    advance(*made.judgement.rule, view, state_);
    if (!flight_.empty() && made.result.outcome != Outcome::refused)
      follow_flight(made.call, region);
    if (made.call.label == step.call.label) judged = made.judgement;
  }
  return judged;
}

/// What requests in flight may store in the state as it is.
void Oracle::expect_bytes_in_flight() {
  const Result<Plain> nothing;
  flight_.each([&](const Call<Plain>& call) {
    const PlainView view{state_, call, nothing};
    if (!cut_.at(call.label) && !late_bytes_.expects(call.label))
      late_bytes_.expect(call.qp, flying_part_of(view), memory_, call.label);
  });
}

/// Another call was made. Deregistration ends what is under way: when it has returned, nothing is
/// stored in the region any more, whatever the completion will tell.
void Oracle::follow_flight(const Call<Plain>& call, const Region<Plain>& before) {
  flight_.pass(call, state_);
  if (call.verb == Verb::connect) flight_.abandon(call);
  if (call.verb == Verb::dereg_mr && !state_.regions.at(call.mr).live.truth())
    flight_.each([&](const Call<Plain>& request) {
      if (!stores_to(before, request)) return;
      cut_.at(request.label) = true;
      late_bytes_.end(request.label);
    });
  expect_bytes_in_flight();
}

Judgement Oracle::trouble_in(const PlainView& view) const {
  Judgement judgement = judge_trouble(*book_, view, Verdict::hang);
  const bool lands = view.call.part == Part::completion && is_transfer(view.call.verb);
  if (lands && flight_.fails_behind(*book_, view.call.label))
    judgement.broken.push_back(&kFailsBehind);
  if (lands && flight_.peer_changes(view.call.label)) judgement.broken.push_back(&kPeerChanges);
  const auto* other = blame_others(judgement);
  if (other != nullptr && !is_transfer(view.call.verb))
    judgement.other = {other->verb, Outcome::none};
  return judgement;
}

/// A request in flight is over.
Judgement Oracle::complete(Step& step, MemorySource& source) {
  const auto label = step.call.label;
  const bool cut = cut_.at(label);
  auto [judgement, state, known] = flight_.judge_completion(*book_, step.call, step.result);
  const PlainView view{state, step.call, step.result};
  if (step.timed_out) judgement = trouble_in(view);
  const bool done = step.result.outcome == Outcome::ok;
  // Another one that went wrong may have taken it along.
  if (judgement.kind == DeviationClass::rejected && step.result.outcome == Outcome::wr_flush_err)
    blame_others(judgement);
  if (known && cut && done && judgement.verdict != Verdict::deviates && !step.timed_out) {
    // Nothing was stored since the region was deregistered, and all of it before.
    if (auto late = check_bytes(step, view, *judgement.rule, {}, source);
        late.verdict == Verdict::deviates) {
      judgement = late;
      judgement.broken.push_back(&kRegionEnds);
      step.bytes.clear();
    }
  }
  if (done) {
    late_bytes_.undo(label, memory_);
    late_bytes_.end(label);
  } else {
    late_bytes_.keep(label);
  }
  if (known)
    judgement = conclude(step, view, judgement, source);
  else
    judgement.verdict = Verdict::inconclusive;
  // Another request has failed there.
  const auto far = peer_of(step.call.qp);
  if (known && (state.qps.at(far).state == Plain::small(QpState::err)).truth() &&
      (step.result.peer_state == Plain::small(QpState::err)).truth())
    TransferEffects<Plain>::fail(state_, far);
  undefined_ = !known;
  return judgement;
}

/// A queue pair that may have failed has failed if only that explains what was seen: the state is
/// then another one, and so is the judgement.
std::optional<Judgement> Oracle::take_over_late_failure(const Step& step) {
  for (std::uint32_t qp = 0; qp < may_have_failed_.size(); ++qp) {
    if (!may_have_failed_[qp] && !flight_.is_on_pair(qp)) continue;
    State<Plain> failed = state_;
    // What fails in flight may have taken both ends with it.
    for (const auto end : {qp, peer_of(qp)}) {
      if (end != qp && !flight_.is_on_pair(qp)) break;
      take_over(failed, end, Plain::small(QpState::err), Plain::small(Outcome::none));
      const Judgement judgement = judge(*book_, {failed, step.call, step.result});
      if (judgement.verdict == Verdict::deviates) continue;
      state_ = failed;
      may_have_failed_[qp] = false;
      return judgement;
    }
  }
  return std::nullopt;
}

/// A requester that fails at a fault of its own may have sent packets in which the responder finds
/// one, too: it fails when it has taken them in, on a busy machine during a later step.
void Oracle::expect_late_failure(const PlainView& view) {
  const auto& call = view.call;
  const auto& result = view.result;
  const bool half_way = is_send(call.verb) || is_remote(call.verb);
  if (!half_way || result.outcome == Outcome::ok || result.outcome == Outcome::refused) return;
  if ((result.qp_state == Plain::small(QpState::err)).truth() &&
      (result.peer_state == Plain::small(QpState::rts)).truth() &&
      !far_side_sound<Plain>.holds(view).truth())
    may_have_failed_[peer_of(call.qp)] = true;
}

/// What the program itself does to its memory.
void Oracle::follow_program(const Call<Plain>& call) {
  if (call.verb == Verb::fill) memory_.fill(call.address.value(), call.length.value(), call.seed);
  if (call.verb == Verb::protect)
    memory_.protect(
        call.address.value(), call.length.value(), static_cast<Protection>(call.option));
}

std::span<const std::byte> Oracle::carried_to(const Call<Plain>& call) const {
  if (call.part != Part::completion) return {};
  const auto posted = std::find_if(posted_.rbegin(), posted_.rend(),
      [&](const Posted& request) { return request.call.label == call.label; });
  return posted == posted_.rend() ? std::span<const std::byte>{} : posted->carried;
}

Judgement Oracle::check_bytes(Step& step, const PlainView& view, const PlainRule& rule,
    const Transfer<Plain>& transfer, MemorySource& source) {
  if (transfer.exact) memory_.move(transfer, carried_to(step.call));
  source.differences(memory_, step.bytes);
  Judgement judgement;
  if (step.bytes.empty()) return judgement;
  if (others_in_flight(step.call) && !touches(transfer, step.bytes)) {
    // It can be what one of them has done wrong: that is seen when it is over.
    store_explained(step.bytes);
    return judgement;
  }
  if (explained(step.bytes, transfer)) {
    store(step.bytes);
    return judgement;
  }
  judgement.verdict = Verdict::deviates;
  judgement.kind = DeviationClass::bytes;
  judgement.rule = &rule;
  judgement.broken.push_back(&kBytesAsPredicted);
  blame(judgement, view);
  return judgement;
}

/// Bytes that nothing explains were stored by the call, or by a request that was in flight: the
/// circumstances of each may be the reason.
void Oracle::blame(Judgement& judgement, const PlainView& view) const {
  if (posted_.empty()) return add_circumstances(judgement, view);
  const bool moves = (view.message() != 0).truth();
  for (const PlainCondition* circumstance : kCircumstances<Plain>)
    if ((moves && circumstance->holds(view).truth()) ||
        in_flight_with(*circumstance, Outcome::ok) != nullptr)
      judgement.broken.push_back(circumstance);
  if (!is_transfer(view.call.verb))
    judgement.rule = book_->rules(posted_.front().call.verb, Outcome::ok).front();
}

/// A request that is or was in flight beside others, and of which the circumstance holds if it ends
/// so; null if there is none.
const Call<Plain>* Oracle::in_flight_with(
    const PlainCondition& circumstance, Outcome outcome) const {
  Result<Plain> supposed;
  supposed.outcome = outcome;
  const auto holds = [&](const Posted& request) {
    const PlainView view{request.state, request.call, supposed};
    return (view.message() != 0).truth() && circumstance.holds(view).truth();
  };
  const auto found = std::find_if(posted_.begin(), posted_.end(), holds);
  return found == posted_.end() ? nullptr : &found->call;
}

/// Adds what another request, which is or was in flight, may have gone wrong by. The first such
/// one, or null.
const Call<Plain>* Oracle::blame_others(Judgement& judgement) const {
  const Call<Plain>* first = nullptr;
  for (const PlainCondition* circumstance : kCircumstances<Plain>) {
    const auto* other = in_flight_with(*circumstance, Outcome::none);
    if (other == nullptr || judgement.names(circumstance)) continue;
    judgement.broken.push_back(circumstance);
    if (first == nullptr) first = other;
  }
  return first;
}

/// Whether every differing byte is one that the transfer, if it is inexact, or a request that
/// failed before may have moved.
bool Oracle::explained(const std::vector<ByteRun>& runs, const Transfer<Plain>& transfer) const {
  return std::all_of(runs.begin(), runs.end(), [&](const ByteRun& run) {
    for (std::size_t i = 0; i < run.bytes.size();) {
      const std::uint64_t at = run.address + i;
      const auto late = late_bytes_.explain(at, std::span(run.bytes).subspan(i));
      if (late == 0 && (transfer.exact || memory_.moved(transfer, at) != run.bytes[i]))
        return false;
      i += std::max<std::size_t>(late, 1);
    }
    return true;
  });
}

/// Whether requests but that of the call are in flight.
bool Oracle::others_in_flight(const Call<Plain>& call) const {
  bool others = false;
  flight_.each([&](const Call<Plain>& one) {
    others = others || (call.part == Part::whole ? !abandons(call, one)
                                                 : one.label != call.label);
  });
  return others || call.part == Part::posted;
}

/// Keeps bytes that requests in flight store; what else differs will differ again.
void Oracle::store_explained(const std::vector<ByteRun>& runs) {
  for (const auto& run : runs)
    for (std::size_t i = 0; i < run.bytes.size();) {
      const auto rest = std::span(run.bytes).subspan(i);
      const auto late = late_bytes_.explain(run.address + i, rest);
      memory_.store(run.address + i, rest.first(late));
      i += std::max<std::size_t>(late, 1);
    }
}

void Oracle::store(const std::vector<ByteRun>& runs) {
  for (const auto& run : runs) memory_.store(run.address, run.bytes);
}

/// A success of which the completion alone tells amiss: had it told right, states and bytes would
/// be as its rule has them, so that they are known.
bool Oracle::take_over_completion(const Step& step) {
  auto told = step.result;
  told.completion_matches = Bit(true);
  const PlainView view{state_, step.call, told};
  const Judgement judgement = judge(*book_, view);
  if (judgement.verdict != Verdict::conforms) return false;
  const PlainRule& rule = *judgement.rule;
  const auto transfer = rule.transfer == nullptr ? Transfer<Plain>{} : rule.transfer(view);
  if (!transfer.exact) return false;
  const Memory before = memory_;
  store(step.bytes);
  const Memory seen = std::exchange(memory_, before);
  memory_.move(transfer);
  if (!memory_.same_bytes(seen)) {
    memory_ = before;
    return false;
  }
  provenance_.note(*book_, rule, view);
  advance(rule, view, state_);
  return true;
}

/// Every byte was compared, so memory is known again; a failure may still be storing some.
bool Oracle::take_over_bytes(const Step& step) {
  if (step.result.outcome != Outcome::ok) return false;
  store(step.bytes);
  return true;
}

/// Takes over the state that was seen with a deviation; false if that does not settle it.
bool Oracle::recover(const Step& step, const Judgement& judgement) {
  if (judgement.kind == DeviationClass::bytes) return take_over_bytes(step);
  const auto& r = step.result;
  const auto& call = step.call;
  if (is_transfer(call.verb) && judgement.kind == DeviationClass::detail &&
      r.outcome == Outcome::ok)
    return take_over_completion(step);
  if (!step.bytes.empty()) return false;
  if (call.verb == Verb::advise_mr) return true;  // advice changes nothing, however it ends
  // Another state told than the model has may be the true one; but siw tells none (F23).
  if (call.verb == Verb::query_qp && is_iwarp(state_).truth()) return true;
  if (r.outcome == Outcome::ok) return false;
  if (makes_region(call.verb) || call.verb == Verb::alloc_mw) return true;
  if (call.verb == Verb::rereg_mr) {  // whatever it is now, it can be deregistered
    state_.regions.change(call.mr, [](auto& region) { region.undefined = Bit(true); });
    return true;
  }
  const auto unknown = Plain::small(QpState::unknown);
  if (!is_transfer(call.verb) || (r.qp_state == unknown).truth() ||
      (r.peer_state == unknown).truth())
    return false;
  expect_late_failure({state_, call, r});
  if (const auto part = part_of({state_, call, r}); !part.exact)
    late_bytes_.expect(call.qp, part, memory_);
  take_over(state_, call.qp, r.qp_state, r.own_receive);
  take_over(state_, peer_of(call.qp), r.peer_state, r.peer_receive);
  if (is_bind(call.verb))
    state_.windows.change(call.mw, [](auto& w) { w.undefined = w.undefined | w.bound; });
  if (call.verb == Verb::local_inv || call.verb == Verb::send_with_inv)
    state_.windows.change_all(WithRkey{call.rkey},
        [&](auto& w) { w.undefined = w.undefined | (w.live & is_named(state_, call, w)); });
  return true;
}

}  // namespace mrproof::model
