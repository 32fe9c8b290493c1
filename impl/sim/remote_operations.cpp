// RDMA and atomic operations of the simulated device, as the responder carries them out.
#include "impl/sim/sim_checks.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof::impl {
namespace {

using model::Plain;
using model::Verb;

/// What an atomic operation's address must be a multiple of.
constexpr std::uint64_t kAtomicAlignment = 8;

constexpr std::uint32_t needed_right(Verb verb) {
  if (model::is_atomic(verb)) return model::kRemoteAtomic;
  return verb == Verb::rdma_read ? model::kRemoteRead : model::kRemoteWrite;
}

constexpr std::uint64_t swapped_bytes(std::uint64_t value) {
  std::uint64_t swapped = 0;
  for (int i = 0; i < 8; ++i) swapped = swapped << 8U | (value >> (8U * unsigned(i)) & 0xffU);
  return swapped;
}

}  // namespace

/// Whether the peer's queue pair lets such operations be asked of it.
bool SimDevice::accepts(const Call& call, const QueuePair& own, const QueuePair& peer) const {
  if (broken(Fault::pair_rights_unchecked)) return true;
  if (call.verb == Verb::rdma_read && broken(Fault::pair_rights_unchecked_for_reads)) return true;
  const bool immediate = call.verb == Verb::rdma_write_with_imm;
  if (immediate && broken(Fault::pair_rights_unchecked_for_immediates)) return true;
  auto needed = needed_right(call.verb);
  if (model::is_atomic(call.verb) && broken(Fault::pair_that_takes_writes_takes_atomics))
    needed = model::kRemoteWrite;
  const QueuePair& asked = broken(Fault::pair_rights_of_requester) ? own : peer;
  return (asked.access & needed) == needed;
}

SimDevice::Outcome SimDevice::access_remote(const Call& call, const Runs& local,
                                            const QueuePair& own, QueuePair& peer, Result& result) {
  if (!accepts(call, own, peer)) {
    result.peer_receive = Plain::small(refuse(peer));
    return Outcome::rem_inv_req_err;
  }
  MemoryAccess access;
  access.side = Side::remote;
  access.pd = broken(Fault::remote_pd_of_requester) ? own.pd : peer.pd;
  access.qp = peer.slot;
  access.rights = needed_right(call.verb);
  if (model::is_atomic(call.verb) && broken(Fault::atomic_right_unchecked)) access.rights = 0;
  access.stores = call.verb != Verb::rdma_read;
  access.key = bits(call.rkey);
  access.start = call.remote.value();
  access.length = local.length();
  access.pages = pages_for(call.verb);
  const std::optional<Run> remote = table_.translate(access);
  if (!remote) return refuse_remote(call, access, local, peer, result);

  const bool misaligned =
      model::is_atomic(call.verb) && call.remote.value() % kAtomicAlignment != 0;
  if (misaligned && !broken(Fault::atomic_misaligned_accepted)) {
    result.peer_receive = Plain::small(refuse(peer));
    return Outcome::rem_inv_req_err;
  }
  const bool immediate = call.verb == Verb::rdma_write_with_imm;
  if (immediate && !peer.receive && !broken(Fault::immediate_without_receive))
    return broken(Fault::receiver_not_ready_as_retry) ? Outcome::retry_exc_err
                                                      : Outcome::rnr_retry_exc_err;
  carry_out(call, local, *remote);
  if (immediate) consume_receive(call, peer, result);
  return Outcome::ok;
}

SimDevice::Outcome SimDevice::refuse_remote(const Call& call, const MemoryAccess& access,
                                            const Runs& local, QueuePair& peer, Result& result) {
  if (call.verb == Verb::rdma_write && broken(Fault::refused_write_stored)) {
    Runs to;
    to.add(table_.translate_unchecked(access).value_or(Run{}));
    memory_.move(to, local);
  }
  result.peer_receive = Plain::small(refuse(peer));
  return broken(Fault::remote_access_error_as_operation_error) ? Outcome::rem_op_err
                                                               : Outcome::rem_access_err;
}

/// Moves the bytes of an operation that is allowed.
void SimDevice::carry_out(const Call& call, const Runs& local, const Run& remote) {
  if (model::is_atomic(call.verb)) return operate_atomically(call, local, remote);
  Runs there;
  there.add(remote);
  if (call.verb == Verb::rdma_write_with_imm && broken(Fault::immediate_write_not_stored)) return;
  if (call.verb != Verb::rdma_read) return memory_.move(there, local);
  if (!broken(Fault::read_returns_zeros)) return memory_.move(local, there);
  for (const Run& run : local.all()) memory_.clear(run);
}

void SimDevice::operate_atomically(const Call& call, const Runs& local, const Run& remote) {
  const std::uint64_t old = memory_.load(remote);
  const std::uint64_t operand = call.operand.value();
  std::uint64_t value = old;
  if (call.verb == Verb::atomic_fetch_and_add) {
    value = old + operand;
    if (broken(Fault::atomic_carry_lost))
      value = (value & 0xffffffffU) | ((old >> 32U) + (operand >> 32U)) << 32U;
  } else if (old == operand || broken(Fault::compare_ignored)) {
    value = call.swap.value();
  }
  Runs there;
  there.add(remote);
  if (!broken(Fault::atomic_not_applied)) memory_.store(there, value);
  std::uint64_t returned = broken(Fault::atomic_returns_new_value) ? value : old;
  if (broken(Fault::atomic_result_byte_swapped)) returned = swapped_bytes(returned);
  if (!broken(Fault::atomic_result_not_stored)) memory_.store(local, returned);
}

/// The receive that RDMA WRITE with immediate data completes. Nothing is stored in its buffers.
void SimDevice::consume_receive(const Call& call, QueuePair& peer, Result& result) {
  if (!peer.receive) return;
  if (broken(Fault::immediate_leaves_receive)) return;
  const bool no_length = broken(Fault::immediate_length_lost);
  if (!broken(Fault::receive_not_consumed)) peer.receive.reset();
  result.peer_receive = Plain::small(Outcome::ok);
  result.received = Plain::address(no_length ? 0 : length_of(elements_of(call)));
}

}  // namespace mrproof::impl
