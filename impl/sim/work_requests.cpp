// Work requests of the simulated device: ibv_post_send(3), ibv_post_recv(3), and the statuses that
// ibv_poll_cq(3) would report (11.6.2).
#include <algorithm>
#include <cerrno>

#include "impl/sim/memory.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof::impl {

using model::as_small;
using model::Plain;
using model::Verb;

void SimDevice::post_recv(const Call& call, Result& result) {
  QueuePair& qp = queue_pair(call.qp);
  // Posting to a QP in ERR is allowed (C10-97.2.1); what is posted there is flushed.
  if (qp.state != QpState::rts) return;
  if (qp.receive) {  // the queue has room for one
    result.outcome = Outcome::refused;
    result.error = Plain::key(ENOMEM);
    return;
  }
  // Keys are looked at when a message arrives, not here.
  qp.receive = Receive{static_cast<std::uint32_t>(call.lkey.value()), call.address.value(),
                       call.length.value()};
}

void SimDevice::transfer(const Call& call, Result& result) {
  QueuePair& own = queue_pair(call.qp);
  QueuePair& peer = queue_pair(model::peer_of(call.qp));
  result.outcome = execute(call, own, peer, result);
  // Any error completion takes the QP to ERR; one that was flushed found it there.
  if (result.outcome != Outcome::ok && result.outcome != Outcome::wr_flush_err)
    result.own_receive = as_small<Plain>(fail(own));
  result.completion_matches = Plain::bit(!broken(Fault::wrong_wr_id));
  result.qp_state = as_small<Plain>(own.state);
  result.peer_state = as_small<Plain>(peer.state);
}

SimDevice::Outcome SimDevice::execute(const Call& call, QueuePair& own, QueuePair& peer,
                                      Result& result) {
  if (own.state != QpState::rts && !broken(Fault::failed_qp_transmits))
    return Outcome::wr_flush_err;
  if (call.length.value() > options_.max_message) return Outcome::loc_len_err;

  MemoryAccess access;
  access.side = Side::local;
  access.pd = own.pd;
  // Local read access is always enabled (ibv_reg_mr(3)); only reads store at the requester.
  access.rights = call.verb == Verb::rdma_read ? model::kLocalWrite : 0U;
  access.key = static_cast<std::uint32_t>(call.lkey.value());
  access.start = call.address.value();
  access.length = call.length.value();
  const std::optional<std::uint64_t> local = table_.translate(access);
  if (!local)
    return broken(Fault::local_error_as_qp_error) ? Outcome::loc_qp_op_err : Outcome::loc_prot_err;

  // Nobody answers, not even to say no.
  if (peer.state != QpState::rts) return Outcome::retry_exc_err;
  if (call.verb == Verb::send) return deliver(call, *local, peer, result);
  return access_remote(call, *local, own.pd, peer, result);
}

SimDevice::Outcome SimDevice::deliver(const Call& call, std::uint64_t from, QueuePair& peer,
                                      Result& result) {
  if (!peer.receive)
    return broken(Fault::receiver_not_ready_as_retry) ? Outcome::retry_exc_err
                                                      : Outcome::rnr_retry_exc_err;
  const Receive receive = *peer.receive;
  if (!broken(Fault::receive_not_consumed)) peer.receive.reset();

  std::uint64_t length = call.length.value();
  if (broken(Fault::long_message_truncated)) length = std::min(length, receive.length);
  if (length > receive.length) {
    result.peer_receive = as_small<Plain>(Outcome::loc_len_err);
    refuse(peer);
    return Outcome::rem_inv_req_err;
  }

  MemoryAccess access;
  access.side = Side::receive;
  access.pd = peer.pd;
  access.rights = model::kLocalWrite;
  access.key = receive.lkey;
  access.start = receive.address;
  access.length = length;  // of the message: what the receive has beyond it is not touched
  const std::optional<std::uint64_t> to = table_.translate(access);
  if (!to) {
    result.peer_receive = as_small<Plain>(Outcome::loc_prot_err);
    refuse(peer);
    return Outcome::rem_op_err;
  }

  move_bytes(*to, from, length, fault_);
  result.peer_receive = as_small<Plain>(Outcome::ok);
  result.received =
      Plain::address(broken(Fault::received_length_of_buffer) ? receive.length : length);
  return Outcome::ok;
}

SimDevice::Outcome SimDevice::access_remote(const Call& call, std::uint64_t local,
                                            std::uint8_t requester_pd, QueuePair& peer,
                                            Result& result) {
  const bool read = call.verb == Verb::rdma_read;
  MemoryAccess access;
  access.side = Side::remote;
  access.pd = broken(Fault::remote_pd_of_requester) ? requester_pd : peer.pd;
  access.rights = read ? model::kRemoteRead : model::kRemoteWrite;
  access.key = static_cast<std::uint32_t>(call.rkey.value());
  access.start = call.remote.value();
  access.length = call.length.value();
  const std::optional<std::uint64_t> remote = table_.translate(access);
  if (!remote) {
    if (!read && broken(Fault::refused_write_stored))
      move_bytes(table_.translate_unchecked(access).value_or(0), local, access.length, fault_);
    result.peer_receive = as_small<Plain>(refuse(peer));
    return broken(Fault::remote_access_error_as_operation_error) ? Outcome::rem_op_err
                                                                 : Outcome::rem_access_err;
  }
  if (!read)
    move_bytes(*remote, local, access.length, fault_);
  else if (broken(Fault::read_returns_zeros))
    zero_bytes(local, access.length);
  else
    move_bytes(local, *remote, access.length, fault_);
  return Outcome::ok;
}

/// The requester's QP after an error completion. Returns how its posted receive ended.
SimDevice::Outcome SimDevice::fail(QueuePair& qp) const {
  return broken(Fault::requester_stays_rts) ? Outcome::none : to_error(qp);
}

/// The responder's QP after it refused a request. Returns how its posted receive ended.
SimDevice::Outcome SimDevice::refuse(QueuePair& responder) const {
  return broken(Fault::responder_stays_rts) ? Outcome::none : to_error(responder);
}

/// Takes the QP to ERR, where what is posted is flushed (C9-220).
SimDevice::Outcome SimDevice::to_error(QueuePair& qp) const {
  qp.state = QpState::err;
  const bool flushed = qp.receive.has_value() && !broken(Fault::receive_not_flushed);
  qp.receive.reset();
  return flushed ? Outcome::wr_flush_err : Outcome::none;
}

}  // namespace mrproof::impl
