// Work requests of the verbs device: posted, and followed until all that they cause is over.
#include <array>
#include <cerrno>
#include <limits>
#include <stdexcept>
#include <string>

#include "impl/verbs/patience.hpp"
#include "impl/verbs/verbs_device.hpp"

namespace mrproof::impl {
namespace {

using model::as_small;
using model::Outcome;
using model::Plain;
using model::QpState;
using model::Verb;

/// Marks the wr_id of a receive posted on a failed queue pair: as good as flushed when it is
/// posted, so its completion, if one comes, belongs to no later step.
constexpr std::uint64_t kGhost = 1ULL << 63U;

Outcome outcome_of(ibv_wc_status status) {
  switch (status) {
    case IBV_WC_SUCCESS: return Outcome::ok;
    case IBV_WC_LOC_LEN_ERR: return Outcome::loc_len_err;
    case IBV_WC_LOC_QP_OP_ERR: return Outcome::loc_qp_op_err;
    case IBV_WC_LOC_PROT_ERR: return Outcome::loc_prot_err;
    case IBV_WC_WR_FLUSH_ERR: return Outcome::wr_flush_err;
    case IBV_WC_LOC_ACCESS_ERR: return Outcome::loc_access_err;
    case IBV_WC_REM_INV_REQ_ERR: return Outcome::rem_inv_req_err;
    case IBV_WC_REM_ACCESS_ERR: return Outcome::rem_access_err;
    case IBV_WC_REM_OP_ERR: return Outcome::rem_op_err;
    case IBV_WC_RETRY_EXC_ERR: return Outcome::retry_exc_err;
    case IBV_WC_RNR_RETRY_EXC_ERR: return Outcome::rnr_retry_exc_err;
    default: return Outcome::other_err;
  }
}

/// Whether the responder found the fault, and so fails too.
bool found_by_responder(Outcome outcome) {
  return outcome == Outcome::rem_inv_req_err || outcome == Outcome::rem_access_err ||
         outcome == Outcome::rem_op_err;
}

struct Operation {
  ibv_wr_opcode request;
  ibv_wc_opcode completion;
};

Operation operation(Verb verb) {
  if (verb == Verb::rdma_read) return {IBV_WR_RDMA_READ, IBV_WC_RDMA_READ};
  if (verb == Verb::rdma_write) return {IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE};
  return {IBV_WR_SEND, IBV_WC_SEND};
}

ibv_sge element(const model::Call<Plain>& call) {
  if (call.length.value() > std::numeric_limits<std::uint32_t>::max())
    throw std::logic_error("a length of " + std::to_string(call.length.value()) +
                           " does not fit into a scatter/gather element");
  return {call.address.value(), static_cast<std::uint32_t>(call.length.value()),
          static_cast<std::uint32_t>(call.lkey.value())};
}

ibv_send_wr signaled(std::uint64_t id, ibv_wr_opcode opcode) {
  ibv_send_wr request{};
  request.wr_id = id;
  request.opcode = opcode;
  request.send_flags = IBV_SEND_SIGNALED;
  return request;
}

/// ibv_poll_cq(3) for up to N completions; gives how many there were.
template <std::size_t N>
int poll(ibv_cq* cq, std::array<ibv_wc, N>& completions) {
  const int count = ibv_poll_cq(cq, static_cast<int>(N), completions.data());
  if (count < 0) throw DeviceError("ibv_poll_cq() failed; see the kernel log");
  return count;
}

/// The same, waiting for the first; 0 when the time is over.
template <std::size_t N>
int await(ibv_cq* cq, std::array<ibv_wc, N>& completions, std::uint32_t limit_ms) {
  Patience patience(limit_ms);
  while (true) {
    if (const int count = poll(cq, completions); count > 0) return count;
    if (!patience.again()) return 0;
  }
}

/// The state of an end; of one that `must_fail` once it has left RTS, which may take a moment:
/// drivers show the completion, or send the NAK that causes it, before they change the state.
QpState state_after_error(QpEnd& end, bool must_fail, std::uint32_t limit_ms) {
  Patience patience(limit_ms);
  int error = 0;
  while (true) {
    const QpState state = query_state(end, error);
    if (!must_fail || state != QpState::rts || !patience.again()) return state;
  }
}

}  // namespace

void VerbsDevice::post_recv(const Call& call, Observation& seen) {
  QpEnd& end = end_of(call.qp);
  ibv_sge sge = element(call);
  const std::uint64_t id = end.failed ? kGhost | next_id_++ : next_id_++;
  ibv_recv_wr request{};
  request.wr_id = id;
  request.sg_list = &sge;
  request.num_sge = 1;
  ibv_recv_wr* bad = nullptr;
  if (const int error = ibv_post_recv(end.qp.get(), &request, &bad); error != 0) {
    seen.result.outcome = Outcome::refused;
    seen.result.error = Plain::key(static_cast<std::uint32_t>(error));
    return;
  }
  if (!end.failed) end.receive_id = id;
}

void VerbsDevice::transfer(const Call& call, Observation& seen) {
  PairSlot& slot = pair_of(call.qp);
  QpEnd& own = end_of(call.qp);
  QpEnd& peer = end_of(model::peer_of(call.qp));
  const Operation kind = operation(call.verb);
  ibv_sge sge = element(call);
  ibv_send_wr request = signaled(next_id_++, kind.request);
  request.sg_list = &sge;
  request.num_sge = 1;
  request.wr.rdma.remote_addr = call.remote.value();
  request.wr.rdma.rkey = static_cast<std::uint32_t>(call.rkey.value());

  ibv_send_wr* bad = nullptr;
  if (const int error = ibv_post_send(own.qp.get(), &request, &bad); error != 0) {
    seen.result.outcome = Outcome::refused;
    seen.result.error = Plain::key(static_cast<std::uint32_t>(error));
    return;
  }
  std::array<ibv_wc, 2> completions;  // NOLINT(*-member-init): poll() fills what it gives
  const int count = await(own.send_cq.get(), completions, options_.completion_limit_ms);
  if (count == 0) {
    seen.result.outcome = Outcome::none;
    seen.timed_out = slot.lost = true;
    return;
  }
  const ibv_wc& first = completions[0];
  const Outcome outcome = outcome_of(first.status);
  seen.result.outcome = outcome;
  seen.result.completion_matches =
      Plain::bit(count == 1 && first.wr_id == request.wr_id &&
                 first.qp_num == own.qp->qp_num &&
                 (outcome != Outcome::ok || first.opcode == kind.completion));
  if (outcome == Outcome::ok) {
    // Looked for even where none is due: a write that consumes a receive has to be noticed.
    const bool delivers = call.verb == Verb::send && peer.receive_id != 0;
    complete_receive(peer, delivers, seen.result.peer_receive, seen);
    complete_receive(own, false, seen.result.own_receive, seen);
  } else {
    settle(call, outcome, seen);
    slot.failed = true;
  }
  slot.lost |= seen.timed_out || !seen.result.completion_matches.truth();
}

/// Takes completions of receives off an end's queue; if `wait`, until there was one.
void VerbsDevice::complete_receive(QpEnd& end, bool wait, Plain::Small& outcome,
                                   Observation& seen) {
  std::array<ibv_wc, 1> completions;  // NOLINT(*-member-init): poll() fills what it gives
  const ibv_wc& completion = completions[0];
  bool found = false;
  Patience patience(options_.completion_limit_ms);
  while (true) {
    if (poll(end.receive_cq.get(), completions) == 0) {
      if (found || !wait) return;
      if (patience.again()) continue;
      seen.timed_out = true;
      return;
    }
    if ((completion.wr_id & kGhost) != 0) continue;
    const Outcome status = outcome_of(completion.status);
    const bool matches = !found && completion.wr_id == end.receive_id &&
                         completion.qp_num == end.qp->qp_num &&
                         (status != Outcome::ok || completion.opcode == IBV_WC_RECV);
    seen.result.completion_matches = seen.result.completion_matches & Plain::bit(matches);
    outcome = as_small<Plain>(status);
    if (status == Outcome::ok) seen.result.received = Plain::address(completion.byte_len);
    end.receive_id = 0;
    found = true;
  }
}

/// After an error completion: what became of both ends and of the receives posted on them.
void VerbsDevice::settle(const Call& call, Outcome outcome, Observation& seen) {
  QpEnd& own = end_of(call.qp);
  QpEnd& peer = end_of(model::peer_of(call.qp));
  const std::uint32_t limit = options_.state_limit_ms;
  const QpState own_state = state_after_error(own, true, limit);
  const QpState peer_state = state_after_error(peer, found_by_responder(outcome), limit);
  seen.result.qp_state = as_small<Plain>(own_state);
  seen.result.peer_state = as_small<Plain>(peer_state);
  const auto flushes = [](const QpEnd& end, QpState state) {
    return end.receive_id != 0 && state == QpState::err;
  };
  complete_receive(own, flushes(own, own_state), seen.result.own_receive, seen);
  complete_receive(peer, flushes(peer, peer_state), seen.result.peer_receive, seen);
}

/// An empty message, to take a posted receive off the queue. Whether all went well.
bool VerbsDevice::send_nothing(QpEnd& from, QpEnd& to) {
  ibv_send_wr request = signaled(next_id_++, IBV_WR_SEND);
  ibv_send_wr* bad = nullptr;
  if (ibv_post_send(from.qp.get(), &request, &bad) != 0) return false;
  std::array<ibv_wc, 1> sent;  // NOLINT(*-member-init): poll() fills what it gives
  if (await(from.send_cq.get(), sent, options_.completion_limit_ms) == 0) return false;
  if (sent[0].status != IBV_WC_SUCCESS || sent[0].wr_id != request.wr_id) return false;
  Observation seen;
  Plain::Small outcome;
  seen.result.completion_matches = Plain::bit(true);
  complete_receive(to, true, outcome, seen);
  return !seen.timed_out && seen.result.completion_matches.truth() &&
         (outcome == as_small<Plain>(Outcome::ok)).truth();
}

}  // namespace mrproof::impl
