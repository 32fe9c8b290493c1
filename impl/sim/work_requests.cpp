// Work requests of the simulated device: ibv_post_send(3), ibv_post_recv(3), and the statuses that
// ibv_poll_cq(3) would report (11.6.2). What happens at the other end of RDMA and atomic operations
// stands in remote_operations.cpp.
#include <algorithm>
#include <cerrno>

#include "impl/sim/sim_checks.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof::impl {
namespace {

using model::Plain;
using model::Verb;

bool is_inline(const model::Call<Plain>& call) {
  return (bits(call.flags) & model::kInline) != 0;
}

/// What an atomic operation reads and writes.
constexpr std::uint64_t kAtomicLength = 8;

}  // namespace

SimDevice::Elements SimDevice::elements_of(const Call& call) {
  Elements elements{};
  elements[0] = {bits(call.lkey), call.address.value(), call.length.value()};
  if (call.elements == 2)
    elements[1] = {bits(call.second.lkey), call.second.address.value(), call.second.length.value()};
  return elements;
}

/// The sum; the largest number there is where it would be more.
std::uint64_t SimDevice::length_of(const Elements& elements) {
  const std::uint64_t first = elements[0].length;
  return first + std::min(elements[1].length, ~std::uint64_t{0} - first);
}

void SimDevice::post_recv(const Call& call, Result& result) {
  QueuePair& qp = queue_pair(call.qp);
  // Posting to a QP in ERR is allowed (C10-97.2.1); what is posted there is flushed.
  if (qp.state != QpState::rts) return;
  if (qp.receive) return refused(result, ENOMEM);  // the queue has room for one
  // Keys are looked at when a message arrives, not here.
  qp.receive = elements_of(call);
}

void SimDevice::transfer(const Call& call, Result& result) {
  QueuePair& own = queue_pair(call.qp);
  if (model::is_atomic(call.verb) && !offers(model::kAtomics)) return refused(result, EOPNOTSUPP);
  if (call.verb == Verb::send_with_inv && !offers(model::kMemoryExtensions))
    return refused(result, EOPNOTSUPP);
  if (call.verb == Verb::rdma_write_with_imm && offers(model::kIwarp))
    return refused(result, EOPNOTSUPP);
  if (is_inline(call) && !offers(model::kInlineData)) return refused(result, EINVAL);
  complete(call, execute(call, own, result), result);
}

/// Of requests in flight some are made at once and some as late as can be, in the order of their
/// queue pair.
void SimDevice::post(const Call& call, Result& result) {
  const bool waits = std::any_of(in_flight_.begin(), in_flight_.end(), [&](const Posted& p) {
    return p.call.qp == call.qp && !p.made;
  });
  in_flight_.push_back({call, false, {}});
  if (is_inline(call) && !broken(Fault::inline_bytes_read_late)) carry(in_flight_.back());
  if (!waits && call.label % 2 == 1) make(in_flight_.back());
  result.outcome = Outcome::none;
  result.completion_matches = Plain::bit(true);
}

/// Takes the bytes along that memory holds now.
void SimDevice::carry(Posted& posted) {
  posted.carries = true;
  auto to = posted.carried.begin();
  for (const ScatterElement& element : elements_of(posted.call)) {
    const auto* const from = reinterpret_cast<const std::byte*>(element.address);
    to = std::copy_n(from, element.length, to);
  }
}

void SimDevice::make(Posted& posted) {
  Result& result = posted.result;
  result.own_receive = result.peer_receive = Plain::small(Outcome::none);
  carried_ = &posted.carried;
  if (!posted.carries) carried_ = nullptr;
  transfer(posted.call, result);
  carried_ = nullptr;
  posted.made = true;
  if (result.outcome == Outcome::wr_flush_err && broken(Fault::flushed_in_flight_succeeds))
    result.outcome = Outcome::ok;
}

void SimDevice::take_completion(const Call& call, Result& result) {
  for (auto posted = in_flight_.begin(); posted != in_flight_.end(); ++posted) {
    if (posted->call.qp != call.qp) continue;
    if (!posted->made) make(*posted);
    if (posted->call.label != call.label) continue;
    result = posted->result;
    in_flight_.erase(posted);
    return;
  }
  throw std::logic_error("simulated device: no request of this label is in flight");
}

/// What a completion of a send queue comes with.
void SimDevice::complete(const Call& call, Outcome outcome, Result& result) {
  QueuePair& own = queue_pair(call.qp);
  QueuePair& peer = in_slot(qps_, model::peer_of(call.qp));
  result.outcome = outcome;
  // Any error completion takes the QP to ERR; one that was flushed found it there.
  if (outcome != Outcome::ok && outcome != Outcome::wr_flush_err) {
    result.own_receive = Plain::small(fail(own));
    if (offers(model::kIwarp) && model::has_elements(call.verb)) end_stream(peer, result);
  }
  const bool unasked = outcome == Outcome::ok && (bits(call.flags) & model::kUnsignaled) != 0;
  result.completion_matches = Plain::bit(
      unasked ? !broken(Fault::unsignaled_success_completes) : !broken(Fault::wrong_wr_id));
  result.qp_state = Plain::small(own.state);
  result.peer_state = Plain::small(peer.live ? peer.state : QpState::unknown);
}

/// Whether it does the operation on pages that it has to get first (rc_odp_caps).
bool SimDevice::pages_for(model::Verb verb) const {
  switch (verb) {
    case Verb::send:
    case Verb::send_with_inv: return !offers(model::kOnDemandNoSend);
    case Verb::rdma_read: return !offers(model::kOnDemandNoRead);
    case Verb::rdma_write:
    case Verb::rdma_write_with_imm: return !offers(model::kOnDemandNoWrite);
    default: return !offers(model::kOnDemandNoAtomic);
  }
}

bool SimDevice::has_good_length(const Call& call) const {
  const std::uint64_t length = length_of(elements_of(call));
  if (model::is_atomic(call.verb)) return length == kAtomicLength;
  return length <= options_.max_message;
}

SimDevice::Outcome SimDevice::execute(const Call& call, QueuePair& own, Result& result) {
  if (own.state != QpState::rts && !broken(Fault::failed_qp_transmits))
    return Outcome::wr_flush_err;
  if (!has_good_length(call)) return Outcome::loc_len_err;
  const std::optional<Runs> local = local_runs(call, own);
  if (!local)
    return broken(Fault::local_error_as_qp_error) ? Outcome::loc_qp_op_err : Outcome::loc_prot_err;

  QueuePair& peer = in_slot(qps_, model::peer_of(call.qp));
  const bool answers = peer.live || broken(Fault::destroyed_qp_serves);
  // Nobody answers, not even to say no.
  if (!answers || peer.state != QpState::rts) return Outcome::retry_exc_err;
  if (model::is_send(call.verb)) return deliver(call, *local, peer, result);
  return access_remote(call, *local, own, peer, result);
}

/// The bytes that the work request's own elements name, or nothing if it may not use them.
std::optional<Runs> SimDevice::local_runs(const Call& call, const QueuePair& own) const {
  const bool stores = call.verb == Verb::rdma_read || model::is_atomic(call.verb);
  const bool reads_only = !stores;
  // Local read access is always enabled (ibv_reg_mr(3)); only these store at the requester.
  std::uint32_t rights = stores ? model::kLocalWrite : 0U;
  if (model::is_atomic(call.verb) && broken(Fault::atomic_local_write_unchecked)) rights = 0;
  const Elements elements = elements_of(call);
  std::array<Run, 2> found{};
  std::uint64_t before = 0;  // of the message
  for (std::size_t i = 0; i < call.elements; ++i) {
    const ScatterElement& element = elements.at(i);
    if (is_inline(call) && !broken(Fault::inline_key_checked)) {
      found.at(i) = {element.address, element.length, nullptr, false,
                     carried_ == nullptr ? nullptr : carried_->data() + before};
      before += element.length;
      continue;
    }
    const MemoryAccess access{Side::local,     own.pd,         own.slot,
                              rights,          stores,         element.lkey,
                              element.address, element.length, pages_for(call.verb)};
    const std::optional<Run> run = table_.translate(access);
    const bool forgiven = i == 1 && broken(Fault::second_element_key_unchecked);
    if (!run && !forgiven) return std::nullopt;
    found.at(i) = run ? *run : Run{element.address, element.length, nullptr, false};
  }
  if (reads_only && broken(Fault::gather_order_swapped)) std::swap(found[0], found[1]);
  Runs runs;
  runs.add(found[0]);
  if (!(reads_only && broken(Fault::second_element_ignored) && found[0].length != 0))
    runs.add(found[1]);
  return runs;
}

/// Where the bytes of a message go in a receive, or nothing if they may not go there.
std::optional<Runs> SimDevice::receive_runs(const Elements& receive, std::uint64_t length,
                                            const QueuePair& peer) const {
  Runs runs;
  for (const ScatterElement& element : receive) {
    // What the receive has beyond the message is not touched.
    const std::uint64_t part = std::min(element.length, length);
    length -= part;
    const MemoryAccess access{Side::receive,      peer.pd, peer.slot,
                              model::kLocalWrite, true,    element.lkey,
                              element.address,    part,    !offers(model::kOnDemandNoReceive)};
    std::optional<Run> run = table_.translate(access);
    if (!run) return std::nullopt;
    if (&element == &receive[1] && broken(Fault::second_receive_element_lost)) run->hidden = true;
    runs.add(*run);
  }
  return runs;
}

SimDevice::Outcome SimDevice::deliver(const Call& call, const Runs& from, QueuePair& peer,
                                      Result& result) {
  if (!peer.receive)
    return broken(Fault::receiver_not_ready_as_retry) ? Outcome::retry_exc_err
                                                      : Outcome::rnr_retry_exc_err;
  const Elements receive = *peer.receive;
  if (!broken(Fault::receive_not_consumed)) peer.receive.reset();

  std::uint64_t room = length_of(receive);
  if (broken(Fault::receive_length_of_first_element)) room = receive[0].length;
  std::uint64_t length = from.length();
  if (broken(Fault::long_message_truncated)) length = std::min(length, room);
  if (length > room)
    return refuse_message(peer, Outcome::loc_len_err, Outcome::rem_inv_req_err, result);
  const std::optional<Runs> to = receive_runs(receive, length, peer);
  if (!to) return refuse_message(peer, Outcome::loc_prot_err, Outcome::rem_op_err, result);

  const bool invalidates = call.verb == Verb::send_with_inv;
  const auto window = invalidates ? invalidable(bits(call.rkey), peer) : std::nullopt;
  if (invalidates && !window && !broken(Fault::remote_invalidate_key_unchecked)) {
    // 9.4.1.1.3: the key is checked before anything is stored.
    if (broken(Fault::refused_invalidate_stores)) memory_.move(*to, from);
    return refuse_message(peer, Outcome::loc_access_err, Outcome::rem_access_err, result);
  }
  memory_.move(*to, from);
  if (window && !broken(Fault::remote_invalidate_lost)) table_.unbind(*window, Ending::invalidated);
  result.peer_receive = Plain::small(Outcome::ok);
  result.received = Plain::address(broken(Fault::received_length_of_buffer) ? room : length);
  return Outcome::ok;
}

/// A message that the receiver could not take: how the receive ended, and what the sender is told.
SimDevice::Outcome SimDevice::refuse_message(QueuePair& peer, Outcome receive, Outcome status,
                                             Result& result) {
  refuse(peer);
  result.peer_receive = Plain::small(receive);
  return status;
}

/// RFC 5040, 7.1: over iWARP the first error ends the connection, at the other end too.
void SimDevice::end_stream(QueuePair& peer, Result& result) {
  result.outcome = Outcome::terminated;
  if (peer.live && peer.state == QpState::rts) result.peer_receive = Plain::small(refuse(peer));
}

/// The requester's QP after an error completion. Returns how its posted receive ended.
SimDevice::Outcome SimDevice::fail(QueuePair& qp) {
  return broken(Fault::requester_stays_rts) ? Outcome::none : to_error(qp);
}

/// The responder's QP after it refused a request. Returns how its posted receive ended.
SimDevice::Outcome SimDevice::refuse(QueuePair& responder) {
  return broken(Fault::responder_stays_rts) ? Outcome::none : to_error(responder);
}

/// Takes the QP to ERR, where what is posted is flushed (C9-220), and the type 2 windows that were
/// bound through it are no good any more.
SimDevice::Outcome SimDevice::to_error(QueuePair& qp) {
  qp.state = QpState::err;
  table_.unbind_all(qp.slot);
  const bool flushed = qp.receive.has_value() && !broken(Fault::receive_not_flushed);
  qp.receive.reset();
  return flushed ? Outcome::wr_flush_err : Outcome::none;
}

}  // namespace mrproof::impl
