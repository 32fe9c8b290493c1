// Work requests of the verbs device: what one causes at both ends of its connection.
#include "impl/verbs/verbs_device.hpp"

namespace mrproof::impl {
namespace {

using model::Outcome;
using model::Plain;
using model::QpState;

/// Whether the status says that the responder found the fault, and so fails too. (Where it
/// acknowledged a SEND_WITH_INV before, only its receive says so.)
bool found_by_responder(Outcome outcome) {
  return outcome == Outcome::rem_inv_req_err || outcome == Outcome::rem_access_err ||
         outcome == Outcome::rem_op_err || outcome == Outcome::terminated;
}

/// Whether there was a receive, and an error in it.
bool receive_failed(Plain::Small outcome) {
  return ((outcome != Plain::small(Outcome::ok)) & (outcome != Plain::small(Outcome::none)))
      .truth();
}

}  // namespace

/// Posts the request and goes on to the last thing that it causes.
void VerbsDevice::transfer(const Call& call, Observation& seen) {
  PairSlot& slot = pair_of(call.qp);
  const bool over = call.part == model::Part::completion;
  if (over) std::erase_if(in_flight_, [&](const Call& c) { return c.label == call.label; });
  const Answer posted = ask(call.qp, {.kind = Kind::request, .qp = call.qp, .call = call});
  const Plain::Small none = Plain::small(Outcome::none);
  seen.result = posted.result;
  seen.result.own_receive = seen.result.peer_receive = none;
  if (posted.cut)
    seen.disturbance = "a request in the middle of a list was refused, which no trace can say yet";
  if (posted.gave_up)
    seen.disturbance =
        "the transport gave up at the request of no bytes by which mrproof sees the end of one "
        "that is not signaled";
  if (seen.result.outcome == Outcome::refused) return;
  if (call.part == model::Part::posted) {
    in_flight_.push_back(call);
    return;
  }
  if (posted.timed_out) {
    seen.timed_out = slot.lost = true;
    return;
  }
  // What becomes of receives meanwhile may be others' doing; this one takes none.
  if (over && posted.result.outcome == Outcome::ok) {
    seen.stray = !posted.known;
    slot.lost |= seen.stray;
    return;
  }
  if (context_.port().connector) over_stream(call, posted, seen);
  const bool known = complete_receives(call, posted, seen) && posted.known;
  // A completion that merely tells wrong things does not spoil the pair.
  seen.stray = !known;
  slot.lost |= seen.timed_out || seen.stray;
}

/// Waits for what the case has left in flight, which must not store to what the next one has, and
/// for calls that have begun: what they have made or ended is to be known.
void VerbsDevice::land() {
  while (!begun_.empty()) {
    Call call = begun_.front();
    call.part = model::Part::completion;
    Observation seen;
    dispatch(call, seen);
  }
  while (!in_flight_.empty()) {
    Call call = in_flight_.front();
    call.part = model::Part::completion;
    pair_of(call.qp).lost = true;
    Observation seen;
    transfer(call, seen);
    if (seen.timed_out)  // nor will others behind it
      std::erase_if(in_flight_, [&](const Call& c) { return c.qp == call.qp; });
  }
}

/// What a completion means over a stream that acknowledges nothing and that ends with the first
/// error (RFC 5040, 7.1): a request of the kind that is over when it is sent was accepted only if
/// the other end answers what is sent behind it; and one that failed has taken the connection with
/// it.
void VerbsDevice::over_stream(const Call& call, const Answer& posted, Observation& seen) {
  if (posted.failed) return;  // before the call: the request was flushed
  if (posted.result.outcome == Outcome::ok) {
    if (!model::is_sent_only(call.verb)) return;
    const Answer behind = ask(call.qp, {.kind = Kind::answers, .qp = call.qp});
    if (behind.done) return;
    if (behind.astray)
      seen.disturbance =
          "the RDMA read of no bytes by which mrproof waits for what was sent got a wrong answer";
  }
  const auto ends = [&](std::uint32_t qp) {
    return !exists(qp) || ask(qp, {.kind = Kind::leave_rts, .qp = qp}).state == QpState::err;
  };
  if (ends(call.qp) && ends(model::peer_of(call.qp)))
    seen.result.outcome = Outcome::terminated;
  else
    pair_of(call.qp).lost = true;
}

/// Notes what a look for receives at one end has found.
void VerbsDevice::note_receive(const Answer& answer, Plain::Small& outcome, Observation& seen) {
  seen.timed_out |= answer.timed_out;
  if (!answer.found) return;
  seen.result.completion_matches = seen.result.completion_matches & Plain::bit(answer.matches);
  outcome = Plain::small(answer.receive);
  if (answer.receive == Outcome::ok) seen.result.received = Plain::address(answer.received);
}

/// What became of the receives, and of both ends where anything failed. False if there was a
/// completion that belongs to no receive.
bool VerbsDevice::complete_receives(const Call& call, const Answer& posted, Observation& seen) {
  const std::uint32_t peer = model::peer_of(call.qp);
  model::Result<Plain>& result = seen.result;
  bool known = true;
  if (result.outcome == Outcome::ok) {
    // Looked for even where none is due: a write that consumes a receive has to be noticed.
    const Answer far = ask(peer, {.kind = Kind::take_receive,
                                  .qp = peer,
                                  .wait = posted.delivers,
                                  .expected = posted.delivery});
    const Answer near = ask(call.qp, {.kind = Kind::take_receive, .qp = call.qp});
    note_receive(far, result.peer_receive, seen);
    note_receive(near, result.own_receive, seen);
    known = far.known && near.known;
    // A responder may acknowledge what it then finds fault with: a key that it cannot invalidate.
    if (!receive_failed(result.own_receive) && !receive_failed(result.peer_receive)) return known;
  }
  pair_of(call.qp).failed = true;
  return settle(call, seen) && known;
}

/// After an error: what became of both ends and of the receives posted on them. False if there was
/// a completion that belongs to no receive.
bool VerbsDevice::settle(const Call& call, Observation& seen) {
  const std::uint32_t peer = model::peer_of(call.qp);
  model::Result<Plain>& result = seen.result;
  const bool own_fails = result.outcome != Outcome::ok || receive_failed(result.own_receive);
  const bool peer_fails = found_by_responder(result.outcome) || receive_failed(result.peer_receive);
  const Answer near = ask(call.qp, {.kind = Kind::settle, .qp = call.qp, .wait = own_fails});
  const Answer far = ask(peer, {.kind = Kind::settle, .qp = peer, .wait = peer_fails});
  result.qp_state = Plain::small(near.state);
  result.peer_state = Plain::small(far.state);
  note_receive(near, result.own_receive, seen);
  note_receive(far, result.peer_receive, seen);
  return near.known && far.known;
}

/// Takes a receive posted on `to` off its queue. Whether all went well.
bool VerbsDevice::deliver_nothing(std::uint32_t to) {
  const std::uint32_t from = model::peer_of(to);
  if (!ask(from, {.kind = Kind::send_nothing, .qp = from}).done) return false;
  const Answer got = ask(to, {.kind = Kind::take_receive, .qp = to, .wait = true});
  return got.found && got.known && got.matches && !got.timed_out && got.receive == Outcome::ok;
}

}  // namespace mrproof::impl
