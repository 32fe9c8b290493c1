// Work requests of the verbs device: posted, and followed until all that they cause is over.
#include <algorithm>
#include <array>

#include "impl/verbs/arguments.hpp"
#include "impl/verbs/patience.hpp"
#include "impl/verbs/verbs_device.hpp"

namespace mrproof::impl {
namespace {

using model::Outcome;
using model::Plain;
using model::QpState;

/// Marks the wr_id of what belongs to no later step if its completion comes at all: a receive
/// posted on a failed queue pair, as good as flushed when it is posted; a read of the harness's
/// own.
constexpr std::uint64_t kGhost = 1ULL << 63U;

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

/// ibv_poll_cq(3) for up to N completions; gives how many there were.
template <std::size_t N>
int poll(ibv_cq* cq, std::array<ibv_wc, N>& completions) {
  const int count = ibv_poll_cq(cq, static_cast<int>(N), completions.data());
  if (count < 0) throw DeviceError("ibv_poll_cq() failed; see the kernel log");
  return count;
}

/// The same, waiting for the first that is no ghost; 0 when the time is over.
template <std::size_t N>
int await(ibv_cq* cq, std::array<ibv_wc, N>& completions, std::uint32_t limit_ms) {
  Patience patience(limit_ms);
  while (true) {
    const int count = poll(cq, completions);
    const auto end = std::remove_if(completions.begin(), completions.begin() + count,
                                    [](const ibv_wc& c) { return (c.wr_id & kGhost) != 0; });
    if (end != completions.begin()) return static_cast<int>(end - completions.begin());
    if (!patience.again()) return 0;
  }
}

/// Whether the work request is over for its queue pair when its bytes were handed to a connection
/// that acknowledges nothing (RFC 5040, 5.2 and 5.4).
bool is_sent_only(model::Verb verb) {
  return verb == model::Verb::rdma_write || verb == model::Verb::rdma_write_with_imm ||
         model::is_send(verb);
}

/// The state of an end; of one that `must_fail` once it has left RTS, which may take a moment:
/// drivers show the completion, or send the NAK that causes it, before they change the state.
QpState state_after_error(QpEnd& end, bool must_fail, std::uint32_t limit_ms) {
  Patience patience(limit_ms);
  while (true) {
    const QpState state = state_of(end);
    if (!must_fail || state != QpState::rts || !patience.again()) return state;
  }
}

}  // namespace

void VerbsDevice::post_recv(const Call& call, Observation& seen) {
  QpEnd& end = end_of(call.qp);
  std::array<ibv_sge, 2> elements = elements_of(call);
  const std::uint64_t id = end.failed ? kGhost | next_id_++ : next_id_++;
  ibv_recv_wr request{};
  request.wr_id = id;
  request.sg_list = elements.data();
  request.num_sge = call.elements;
  ibv_recv_wr* bad = nullptr;
  const int error = ibv_post_recv(end.qp.get(), &request, &bad);
  if (error != 0) return refuse(seen, error);
  if (!end.failed) end.receive_id = id;
}

void VerbsDevice::transfer(const Call& call, Observation& seen) {
  Request request(call, next_id_++);
  post(call, request, seen);
}

ibv_mw_bind_info VerbsDevice::bind_info(const Call& call) {
  return {region(call.mr), call.address.value(), call.length.value(),
          static_cast<unsigned>(call.access.value())};
}

void VerbsDevice::bind_mw(const Call& call, Observation& seen) {
  QpEnd& own = end_of(call.qp);
  ibv_mw* bound = window(call.mw);
  const Request request(call, next_id_++);
  ibv_mw_bind wanted{request.work.wr_id, request.work.send_flags, bind_info(call)};
  const std::uint32_t old_key = bound->rkey;
  const int error = ibv_bind_mw(own.qp.get(), bound, &wanted);
  if (error != 0) return refuse(seen, error);
  follow(call, request, seen);
  // ibv_bind_mw(3), NOTES: the new key is in place since the call, and the user has to put the old
  // one back when the completion says that the bind has failed.
  if (seen.result.outcome == Outcome::ok)
    seen.result.rkey = Plain::key(bound->rkey);
  else
    bound->rkey = old_key;
}

void VerbsDevice::post_bind_mw(const Call& call, Observation& seen) {
  ibv_mw* bound = window(call.mw);
  const auto new_key = static_cast<std::uint32_t>(call.rkey.value());
  Request request(call, next_id_++);
  request.work.bind_mw.mw = bound;
  request.work.bind_mw.rkey = new_key;
  request.work.bind_mw.bind_info = bind_info(call);
  post(call, request, seen);
  if (seen.result.outcome != Outcome::ok) return;
  // Here the user puts the key in, not the library.
  bound->rkey = new_key;
  seen.result.rkey = call.rkey;
}

void VerbsDevice::post(const Call& call, Request& request, Observation& seen) {
  QpEnd& own = end_of(call.qp);
  if (port_.connector) state_of(own);
  ibv_send_wr* bad = nullptr;
  const int error = ibv_post_send(own.qp.get(), &request.work, &bad);
  if (error != 0) return refuse(seen, error);
  follow(call, request, seen);
}

/// What a completion means over a stream that acknowledges nothing and that ends with the first
/// error (RFC 5040, 7.1): a request of the kind that is over when it is sent was accepted only if
/// the other end answers what is sent behind it; and one that failed has taken the connection with
/// it.
model::Outcome VerbsDevice::over_stream(const Call& call, Outcome completed) {
  PairSlot& slot = pair_of(call.qp);
  QpEnd& own = slot.pair.ends.at(call.qp & 1U);
  QpEnd& peer = slot.pair.ends.at(model::peer_of(call.qp) & 1U);
  if (own.failed) return completed;  // before the call: the request was flushed
  if (completed == Outcome::ok && (!is_sent_only(call.verb) || answers(own))) return completed;
  const auto ends = [&](QpEnd& end) {
    return !end.qp || state_after_error(end, true, options_.state_limit_ms) == QpState::err;
  };
  if (ends(own) && ends(peer)) return Outcome::terminated;
  slot.lost = true;
  return completed;
}

/// From the request's completion to the last thing that it causes.
void VerbsDevice::follow(const Call& call, const Request& request, Observation& seen) {
  PairSlot& slot = pair_of(call.qp);
  const QpEnd& own = end_of(call.qp);
  std::array<ibv_wc, 2> completions;  // NOLINT(*-member-init): poll() fills what it gives
  const int count = await(own.send_cq.get(), completions, options_.completion_limit_ms);
  if (count == 0) {
    seen.result.outcome = Outcome::none;
    seen.timed_out = slot.lost = true;
    return;
  }
  const ibv_wc& first = completions[0];
  const Outcome outcome = outcome_of(first.status);
  bool known = count == 1 && first.wr_id == request.work.wr_id && first.qp_num == own.qp->qp_num;
  seen.result.outcome = outcome;
  seen.result.completion_matches =
      Plain::bit(known && (outcome != Outcome::ok || first.opcode == request.completion));
  if (port_.connector) seen.result.outcome = over_stream(call, outcome);
  known &= complete_receives(call, request, seen);
  // Where a completion is not that of anything posted, nobody knows what else will come. One that
  // merely tells wrong things does not spoil the pair.
  slot.lost |= seen.timed_out || !known;
}

/// What became of the receives, and of both ends where anything failed. False if there was a
/// completion that belongs to no receive.
bool VerbsDevice::complete_receives(const Call& call, const Request& request, Observation& seen) {
  PairSlot& slot = pair_of(call.qp);
  QpEnd& own = slot.pair.ends.at(call.qp & 1U);
  QpEnd& peer = slot.pair.ends.at(model::peer_of(call.qp) & 1U);
  bool known = true;
  if (seen.result.outcome == Outcome::ok) {
    // Looked for even where none is due: a write that consumes a receive has to be noticed.
    const bool due = request.delivers && peer.receive_id != 0;
    known &= complete_receive(peer, due, request.delivery, seen.result.peer_receive, seen);
    known &= complete_receive(own, false, Delivery{}, seen.result.own_receive, seen);
    // A responder may acknowledge what it then finds fault with: a key that it cannot invalidate.
    if (!receive_failed(seen.result.own_receive) && !receive_failed(seen.result.peer_receive))
      return known;
  }
  slot.failed = true;
  return settle(call, seen) && known;
}

/// Takes completions of receives off an end's queue; if `wait`, until there was one. False if one
/// was not that of the receive posted.
bool VerbsDevice::complete_receive(QpEnd& end, bool wait, const Delivery& expected,
                                   Plain::Small& outcome, Observation& seen) {
  std::array<ibv_wc, 1> completions;  // NOLINT(*-member-init): poll() fills what it gives
  const ibv_wc& completion = completions[0];
  bool found = false;
  bool known = true;
  Patience patience(options_.completion_limit_ms);
  while (end.qp) {
    if (poll(end.receive_cq.get(), completions) == 0) {
      if (found || !wait) return known;
      if (patience.again()) continue;
      seen.timed_out = true;
      return known;
    }
    if ((completion.wr_id & kGhost) != 0) continue;
    const Outcome status = outcome_of(completion.status);
    known &= !found && completion.wr_id == end.receive_id && completion.qp_num == end.qp->qp_num;
    const bool matches = known && (status != Outcome::ok || expected.matches(completion));
    seen.result.completion_matches = seen.result.completion_matches & Plain::bit(matches);
    outcome = Plain::small(status);
    if (status == Outcome::ok) seen.result.received = Plain::address(completion.byte_len);
    end.receive_id = 0;
    found = true;
  }
  return known;
}

/// After an error: what became of both ends and of the receives posted on them. False if there was
/// a completion that belongs to no receive.
bool VerbsDevice::settle(const Call& call, Observation& seen) {
  PairSlot& slot = pair_of(call.qp);
  QpEnd& own = slot.pair.ends.at(call.qp & 1U);
  QpEnd& peer = slot.pair.ends.at(model::peer_of(call.qp) & 1U);
  model::Result<Plain>& result = seen.result;
  const bool own_fails = result.outcome != Outcome::ok || receive_failed(result.own_receive);
  const bool peer_fails = found_by_responder(result.outcome) || receive_failed(result.peer_receive);
  const QpState own_state = state_after_error(own, own_fails, options_.state_limit_ms);
  const QpState peer_state = state_after_error(peer, peer_fails, options_.state_limit_ms);
  result.qp_state = Plain::small(own_state);
  result.peer_state = Plain::small(peer_state);
  const auto flushes = [](const QpEnd& end, QpState state) {
    return end.receive_id != 0 && state == QpState::err;
  };
  const bool own_known =
      complete_receive(own, flushes(own, own_state), Delivery{}, result.own_receive, seen);
  const bool peer_known =
      complete_receive(peer, flushes(peer, peer_state), Delivery{}, result.peer_receive, seen);
  return own_known && peer_known;
}

/// Posts an RDMA read of no bytes, which needs no key (C9-88). Its wr_id; 0 if it was refused.
std::uint64_t VerbsDevice::post_empty_read(QpEnd& end) {
  ibv_sge nothing{};
  ibv_send_wr request{};
  request.wr_id = kGhost | next_id_++;
  request.opcode = IBV_WR_RDMA_READ;
  request.send_flags = IBV_SEND_SIGNALED;
  if (port_.connector) {  // a read of iWARP names one place for its bytes, also for none
    request.sg_list = &nothing;
    request.num_sge = 1;
  }
  ibv_send_wr* bad = nullptr;
  return ibv_post_send(end.qp.get(), &request, &bad) == 0 ? request.wr_id : 0;
}

/// Whether the other end answers a read behind all that was sent so far; until then, or until the
/// connection has ended.
bool VerbsDevice::answers(QpEnd& end) {
  const std::uint64_t id = post_empty_read(end);
  std::array<ibv_wc, 1> done;  // NOLINT(*-member-init): poll() fills what it gives
  Patience patience(options_.completion_limit_ms);
  bool last_look = id == 0;
  while (true) {
    if (poll(end.send_cq.get(), done) != 0)
      return done[0].status == IBV_WC_SUCCESS && done[0].wr_id == id;
    if (last_look) return false;
    last_look = state_of(end) != QpState::rts || !patience.again();
  }
}

/// Whether a read of no bytes succeeds.
bool VerbsDevice::read_nothing(QpEnd& end) {
  const std::uint64_t id = post_empty_read(end);
  if (id == 0) return false;
  // Nobody's verdict hangs on it, and it was seen never to come (rxe 6.1, after RNR_RETRY_EXC_ERR).
  constexpr std::uint32_t kLimit = 250;
  std::array<ibv_wc, 1> done;  // NOLINT(*-member-init): poll() fills what it gives
  Patience patience(kLimit);
  while (poll(end.send_cq.get(), done) == 0)
    if (!patience.again()) return false;
  return done[0].status == IBV_WC_SUCCESS && done[0].wr_id == id;
}

/// An empty message, to take a posted receive off the queue. Whether all went well.
bool VerbsDevice::send_nothing(QpEnd& from, QpEnd& to) {
  ibv_send_wr request{};
  request.wr_id = next_id_++;
  request.opcode = IBV_WR_SEND;
  request.send_flags = IBV_SEND_SIGNALED;
  ibv_send_wr* bad = nullptr;
  if (ibv_post_send(from.qp.get(), &request, &bad) != 0) return false;
  std::array<ibv_wc, 1> sent;  // NOLINT(*-member-init): poll() fills what it gives
  if (await(from.send_cq.get(), sent, options_.completion_limit_ms) == 0) return false;
  if (sent[0].status != IBV_WC_SUCCESS || sent[0].wr_id != request.wr_id) return false;
  Observation seen;
  Plain::Small outcome;
  seen.result.completion_matches = Plain::bit(true);
  complete_receive(to, true, Delivery{}, outcome, seen);
  return !seen.timed_out && seen.result.completion_matches.truth() &&
         (outcome == Plain::small(Outcome::ok)).truth();
}

}  // namespace mrproof::impl
