#include "model/oracle/flight.hpp"

#include <algorithm>
#include <utility>

#include "model/rules/effects.hpp"
#include "model/trace/trace_form.hpp"

namespace mrproof::model {
namespace {

Bit never(const PlainView& /*view*/) { return Bit(false); }

/// Memory that a call may touch.
struct Range {
  Piece<Plain> piece;
  bool written;
};
using Ranges = std::vector<Range>;

/// The memory of the call, as far as the program can know it. What is in flight and was posted
/// inline has its bytes with it.
Ranges ranges_of(const PlainView& view, bool flies = false) {
  const auto& call = view.call;
  Ranges all;
  if (call.verb == Verb::fill) all.push_back({{call.address, call.length, Bit(false)}, true});
  if (!is_transfer(call.verb) || !has_elements(call.verb)) return all;
  const auto add = [&](const auto& target, bool written) {
    all.push_back({target.piece(target.length), written});
  };
  const bool carries = flies && view.posted_inline().truth();
  for (std::size_t i = 0; !carries && i < call.elements; ++i)
    add(view.local(i), writes_local(call.verb));
  if (is_remote(call.verb)) add(view.remote(), call.verb != Verb::rdma_read);
  if (is_send(call.verb))
    for (std::size_t i = 0; i < 2; ++i) add(view.receive(i), true);
  return all;
}

/// Whether one writes what the other touches.
bool conflict(const Ranges& some, const Ranges& others) {
  return std::any_of(some.begin(), some.end(), [&](const Range& a) {
    return std::any_of(others.begin(), others.end(), [&](const Range& b) {
      return (a.written || b.written) && !apart<Plain>(a.piece, b.piece).truth();
    });
  });
}

/// Whether a call that names a queue pair may be made while something is in flight there. At the
/// end that serves, windows are bound and invalidated, and it may go; but not where a receive is
/// posted, of which nobody could say what has flushed it.
bool may_join(const State<Plain>& state, const Call<Plain>& call, bool is_own_end) {
  const auto& qps = state.qps;
  const bool receives = (qps.at(call.qp).posted | qps.at(peer_of(call.qp)).posted).truth();
  switch (call.verb) {
    case Verb::connect: return true;
    case Verb::modify_qp: return !is_own_end;
    case Verb::destroy_qp: return !is_own_end && !receives;
    case Verb::local_inv:
    case Verb::bind_mw:
    case Verb::post_bind_mw:
      return !is_own_end && !receives && (call.flags.value() & kUnsignaled) == 0;
    default: return call.part == Part::posted;
  }
}

/// Whether the call may leave what is in flight without a defined result: by pages or a region that
/// are other ones then, or windows without their region.
bool changes_memory(const PlainView& view) {
  const Verb verb = view.call.verb;
  if (verb == Verb::protect || verb == Verb::rereg_mr) return true;
  return verb == Verb::dereg_mr &&
         !(no_bound_window<Plain>.holds(view) & no_doubtful_window<Plain>.holds(view)).truth();
}

bool names_pair(Verb verb) { return form_of(verb).arguments.front() == Argument::qp; }

}  // namespace

const PlainCondition kMayBeInFlight{"may_be_in_flight",
    "a request in flight is a signaled RDMA write, read or atomic operation, over iWARP a read; "
    "its label is free, and none of the other end's requests is in flight; "
    "those of a queue pair complete as they were posted; "
    "one that is linked with the next is followed by a request of the same queue pair",
    "harness.in_flight", About::situation, never};
const PlainCondition kFlightLeavesAlone{"flight_leaves_alone",
    "no request is in flight on the pair, or the call posts another one, connects anew, or is made "
    "at the end that serves them and changes its rights or, where no receive is posted, its "
    "windows or itself; and it does not deallocate a PD of theirs",
    "harness.in_flight", About::situation, never};
const PlainCondition kFlightApart{"flight_apart",
    "the call writes no byte that a request in flight may touch, touches none that one may write, "
    "changes no pages, no region, takes none away from its windows, and binds no key of a request",
    "harness.in_flight", About::situation, never};

const PlainCondition kFailsBehind{"fails_behind",
    "a request that was posted behind it may have failed at its own end", "C9-220",
    About::situation, never};
const PlainCondition kPeerChanges{"peer_changes",
    "ibv_modify_qp() was called for the other end while it was in flight", "harness.in_flight",
    About::situation, never};
const PlainCondition kRegionEnds{"region_ends",
    "the region that it stores into was deregistered while it was in flight", "reg_mr.dereg",
    About::situation, never};

bool Flight::is_on_pair(std::uint32_t qp) const {
  return std::any_of(requests_.begin(), requests_.end(),
      [&](const Request& r) { return r.step.call.qp == qp || r.step.call.qp == peer_of(qp); });
}

bool Flight::holds_pairs(const State<Plain>& state, std::uint32_t pd) const {
  const auto in_pd = [&](std::uint32_t qp) { return state.qps.at(qp).pd == Plain::slot(pd); };
  return std::any_of(requests_.begin(), requests_.end(), [&](const Request& r) {
    return (in_pd(r.step.call.qp) | in_pd(peer_of(r.step.call.qp))).truth();
  });
}

const PlannedCall* Flight::find(std::uint8_t label) const {
  const auto found = std::find_if(requests_.begin(), requests_.end(),
      [&](const Request& r) { return r.step.call.label == label; });
  return found == requests_.end() ? nullptr : &found->step;
}

bool Flight::is_next(std::uint8_t label) const {
  const PlannedCall* const wanted = find(label);
  const auto first = std::find_if(requests_.begin(), requests_.end(),
      [&](const Request& r) { return wanted != nullptr && r.step.call.qp == wanted->call.qp; });
  return first != requests_.end() && &first->step == wanted;
}

bool Flight::fails_behind(const Rulebook& book, std::uint8_t label) const {
  const auto is_it = [&](const Request& r) { return r.step.call.label == label; };
  auto at = std::find_if(requests_.begin(), requests_.end(), is_it);
  const std::uint32_t qp = at->step.call.qp;
  const Result<Plain> nothing;
  return std::any_of(at + 1, requests_.end(), [&](const Request& r) {
    const auto fails = [&](const State<Plain>& state) {
      const auto outcomes = allowed(book, {state, r.step.call, nothing});
      return outcomes.contains(Outcome::loc_prot_err) || outcomes.contains(Outcome::loc_len_err);
    };
    return r.step.call.qp == qp &&
           std::any_of(
               moments_.begin() + static_cast<std::ptrdiff_t>(r.since), moments_.end(), fails);
  });
}

bool Flight::peer_changes(std::uint8_t label) const {
  return std::any_of(requests_.begin(), requests_.end(),
      [&](const Request& r) { return r.step.call.label == label && r.peer_changes; });
}

const PlainCondition* Flight::forbids(
    const State<Plain>& state, const Call<Plain>& call) const {
  const bool linked = is_transfer(call.verb) && (call.flags.value() & kLinked) != 0;
  if (open_ && (call.part != Part::posted || call.qp != open()->qp)) return &kMayBeInFlight;
  if (linked && call.part == Part::whole) return &kMayBeInFlight;
  if (call.part == Part::completion) return is_next(call.label) ? nullptr : &kMayBeInFlight;
  if (call.part == Part::posted) {
    // What is written over iWARP may not have arrived when it is complete.
    const bool ends_there = call.verb == Verb::rdma_read || !is_iwarp(state).truth();
    const bool may_fly = is_remote(call.verb) && call.verb != Verb::rdma_write_with_imm &&
                         (call.flags.value() & kUnsignaled) == 0 && ends_there &&
                         find(call.label) == nullptr;
    // What is posted at the other end may flush, or be flushed, at any moment.
    const bool peer_flies = std::any_of(requests_.begin(), requests_.end(),
        [&](const Request& r) { return r.step.call.qp == peer_of(call.qp); });
    if (!may_fly || peer_flies) return &kMayBeInFlight;
  }
  if (empty()) return nullptr;
  if (names_pair(call.verb) && is_on_pair(call.qp)) {
    const bool own = std::any_of(requests_.begin(), requests_.end(),
        [&](const Request& r) { return r.step.call.qp == call.qp; });
    if (!may_join(state, call, own)) return &kFlightLeavesAlone;
  }
  if (call.verb == Verb::dealloc_pd && holds_pairs(state, call.pd)) return &kFlightLeavesAlone;
  const Result<Plain> nothing;
  const PlainView view{state, call, nothing};
  // A key in use that means another place would make two of one request.
  const bool takes_key = call.verb == Verb::post_bind_mw &&
                         std::any_of(requests_.begin(), requests_.end(), [&](const Request& r) {
                           return (r.step.call.rkey == call.rkey).truth();
                         });
  if (takes_key || changes_memory(view)) return &kFlightApart;
  const auto touched = ranges_of(view);
  for (const auto& request : requests_)
    for (std::size_t i = request.since; !touched.empty() && i < moments_.size(); ++i)
      if (conflict(touched, ranges_of({moments_[i], request.step.call, nothing}, true)))
        return &kFlightApart;
  return nullptr;
}

void Flight::post(const PlannedCall& step, const State<Plain>& state) {
  if (empty()) moments_ = {state};
  requests_.push_back({step, moments_.size() - 1});
  open_ = (step.call.flags.value() & kLinked) != 0;
}

void Flight::pass(const Call<Plain>& call, const State<Plain>& state) {
  if (empty()) return;
  moments_.push_back(state);
  for (auto& request : requests_)
    request.peer_changes = request.peer_changes || (call.verb == Verb::modify_qp &&
                                                    call.qp == peer_of(request.step.call.qp));
}

/// Whether the request may have failed at some moment, here or there: at its own end before it was
/// sent or answered, or at the other one.
bool Flight::may_fail(const Rulebook& book, const Request& request, bool there) const {
  const Result<Plain> nothing;
  return std::any_of(moments_.begin() + static_cast<std::ptrdiff_t>(request.since), moments_.end(),
      [&](const State<Plain>& state) {
        const auto outcomes = allowed(book, {state, request.step.call, nothing});
        if (there)
          return outcomes.contains(Outcome::rem_access_err) ||
                 outcomes.contains(Outcome::rem_inv_req_err) ||
                 outcomes.contains(Outcome::rem_op_err);
        return outcomes.contains(Outcome::loc_prot_err) ||
               outcomes.contains(Outcome::loc_len_err) || !outcomes.contains(Outcome::ok);
      });
}

/// Judges it as one that came when other requests of the queue pair had failed. One that fails
/// before it is sent takes those with it that were sent before it and are not answered yet; one
/// that fails at the other end takes that end with it, whatever becomes of those before it.
std::optional<Flight::Answer> Flight::judge_beside_failures(
    const Rulebook& book, const Call<Plain>& call, const Result<Plain>& result) const {
  const bool flushed = result.outcome == Outcome::wr_flush_err;
  bool own = false, far = false;
  for (const auto& other : requests_) {
    if (other.step.call.qp != call.qp) continue;
    const bool itself = other.step.call.label == call.label;
    own = own || (flushed && !itself && may_fail(book, other, false));
    far = far ||
          ((flushed || !itself) && (other.failed_there || may_fail(book, other, true)));
  }
  for (const auto& [fails_here, fails_there] : {std::pair{1, 0}, {0, 1}, {1, 1}}) {
    if ((fails_here != 0 && !own) || (fails_there != 0 && !far)) continue;
    for (State<Plain> failed : moments_) {
      if (fails_here != 0) TransferEffects<Plain>::fail(failed, call.qp);
      if (fails_there != 0) TransferEffects<Plain>::fail(failed, peer_of(call.qp));
      Judgement judgement = judge(book, {failed, call, result});
      if (judgement.verdict != Verdict::deviates) return Answer{std::move(judgement), failed};
    }
  }
  return std::nullopt;
}

Flight::Answer Flight::judge_completion(
    const Rulebook& book, const Call<Plain>& call, const Result<Plain>& result) {
  const auto request = std::find_if(requests_.begin(), requests_.end(),
      [&](const Request& r) { return r.step.call.label == call.label; });
  std::optional<Answer> plainest, excused;
  bool known = true;
  for (std::size_t i = request->since; i < moments_.size(); ++i) {
    const PlainView view{moments_[i], call, result};
    // What is flushed needs nothing.
    if (qp_ready<Plain>.holds(view).truth() && book.forbids(view) != nullptr) {
      known = false;
      continue;
    }
    Judgement judgement = judge(book, view);
    if (judgement.verdict == Verdict::deviates) {
      if (!plainest || is_plainer(judgement, plainest->judgement))
        plainest = {std::move(judgement), moments_[i]};
    } else if (judgement.verdict == Verdict::conforms) {
      for (auto& other : requests_)
        if (other.step.call.qp == call.qp) other.since = std::max(other.since, i);
      return {std::move(judgement), moments_[i]};
    } else if (!excused) {
      excused = {std::move(judgement), moments_[i]};
    }
  }
  if (excused) return *excused;
  if (auto other = judge_beside_failures(book, call, result)) return *other;
  if (!known || !plainest) return {{}, moments_.back(), false};
  return *plainest;
}

void Flight::abandon(const Call<Plain>& call) {
  std::erase_if(requests_, [&](const Request& r) { return abandons(call, r.step.call); });
}

void Flight::complete(
    const Rulebook& book, const Call<Plain>& call, const State<Plain>* failed) {
  std::erase_if(requests_, [&](const Request& r) { return r.step.call.label == call.label; });
  if (failed == nullptr || empty()) return;
  for (auto& request : requests_)
    if (request.step.call.qp == call.qp)
      request.failed_there = request.failed_there || may_fail(book, request, true);
  for (auto& moment : moments_)
    for (const auto qp : {call.qp, peer_of(call.qp)})
      moment.qps.change(qp, [&](auto& end) { end = failed->qps.at(qp); });
  moments_.push_back(*failed);
}

}  // namespace mrproof::model
