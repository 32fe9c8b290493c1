// Calls of the verbs device, and those on protection domains and queue pairs.
#include <cerrno>
#include <chrono>

#include "impl/verbs/arguments.hpp"
#include "impl/verbs/patience.hpp"
#include "impl/verbs/verbs_device.hpp"

namespace mrproof::impl {
namespace {

using model::Outcome;
using model::Plain;
using model::Verb;

}  // namespace

Observation VerbsDevice::perform(const Call& call) {
  using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC
  Observation seen;
  seen.result.own_receive = seen.result.peer_receive = Plain::small(Outcome::none);
  const Clock::time_point start = Clock::now();
  dispatch(call, seen);
  seen.inside_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
  // A store of the program's own cannot make the kernel complain.
  if (call.verb != Verb::fill) seen.kernel_warning = log_.take();
  return seen;
}

void VerbsDevice::dispatch(const Call& call, Observation& seen) {
  switch (call.verb) {
    case Verb::alloc_pd: return alloc_pd(call, seen);
    case Verb::dealloc_pd: return dealloc_pd(call, seen);
    case Verb::reg_mr:
    case Verb::reg_mr_iova:
    case Verb::reg_mr_ex:
    case Verb::reg_dmabuf_mr:
    case Verb::alloc_null_mr:
    case Verb::reg_shared_mr: return register_region(call, seen);
    case Verb::rereg_mr: return rereg_mr(call, seen);
    case Verb::dereg_mr: return dereg_mr(call, seen);
    case Verb::advise_mr: return advise_mr(call, seen);
    case Verb::alloc_mw: return alloc_mw(call, seen);
    case Verb::dealloc_mw: return dealloc_mw(call, seen);
    case Verb::bind_mw: return bind_mw(call, seen);
    case Verb::post_bind_mw: return post_bind_mw(call, seen);
    case Verb::post_recv: return post_recv(call, seen);
    case Verb::local_inv:
    case Verb::send:
    case Verb::send_with_inv:
    case Verb::rdma_write:
    case Verb::rdma_write_with_imm:
    case Verb::rdma_read:
    case Verb::atomic_fetch_and_add:
    case Verb::atomic_cmp_and_swp: return transfer(call, seen);
    case Verb::query_qp: return query_qp(call, seen);
    case Verb::connect: return connect(call, seen);
    case Verb::destroy_qp: return destroy_qp(call, seen);
    case Verb::fill: return Buffers::fill(call.address.value(), call.length.value(), call.seed);
    case Verb::protect:
      return buffers_.protect(call.address.value(), call.length.value(),
                              static_cast<model::Protection>(call.option));
  }
}

void VerbsDevice::alloc_pd(const Call& call, Observation& seen) {
  PdSlot& slot = pds_.at(call.pd);
  if (slot.pd != nullptr) report_misuse("pd", call.pd, "is taken");
  errno = 0;
  slot.pd = ibv_alloc_pd(port_.context.get());
  if (slot.pd == nullptr) refuse(seen, errno);
}

void VerbsDevice::dealloc_pd(const Call& call, Observation& seen) {
  const int error = ibv_dealloc_pd(domain(call.pd));
  if (error != 0) return refuse(seen, error);
  PdSlot& slot = pds_.at(call.pd);
  // Where the device let a domain go that queue pairs are in, they are of no further use.
  for (PairSlot& pair : pairs_) {
    for (QpEnd& end : pair.pair.ends) {
      if (end.pd != slot.pd) continue;
      end.pd = nullptr;
      pair.lost = true;
    }
  }
  slot = PdSlot{};
}

VerbsDevice::PairSlot& VerbsDevice::pair_of(std::uint8_t qp) {
  PairSlot& slot = pairs_.at(qp / 2U);
  if (!slot.live()) report_misuse("qp", qp, "does not exist");
  return slot;
}

QpEnd& VerbsDevice::end_of(std::uint8_t qp) {
  QpEnd& end = pair_of(qp).pair.ends.at(qp & 1U);
  if (!end.qp) report_misuse("qp", qp, "was destroyed");
  return end;
}

void VerbsDevice::query_qp(const Call& call, Observation& seen) {
  QpEnd& end = end_of(call.qp);
  int error = 0;
  const model::QpState state = query_state(end, error);
  if (error != 0) return refuse(seen, error);
  pair_of(call.qp).failed |= state_of(end) != model::QpState::rts;
  seen.result.qp_state = Plain::small(state);
}

void VerbsDevice::connect(const Call& call, Observation& seen) {
  end_of(call.qp);
  end_of(model::peer_of(call.qp));
  PairSlot& slot = pair_of(call.qp);
  seen.rebuilt = slot.failed || slot.lost;
  bool taken_back = !slot.lost && reconnect(port_, slot.pair) == 0;
  // Where even a read of nothing does not come to its end, RESET once more is all that can be done.
  if (taken_back && read_after_connect_ &&
      !(read_nothing(slot.pair.ends[0]) && read_nothing(slot.pair.ends[1])))
    taken_back = reconnect(port_, slot.pair) == 0;
  if (!taken_back) {
    // The device does not take the pair back; a new one in its place is as good.
    seen.rebuilt = slot.failed = true;
    const auto& ends = slot.pair.ends;
    if (ends[0].pd == nullptr || ends[1].pd == nullptr) report_misuse("qp", call.qp, "has no pd");
    const int error = make(slot.pair, ends[0].pd, ends[1].pd);
    if (error != 0) return refuse(seen, error);
  }
  slot.failed = slot.lost = false;
  slot.reset = true;
}

void VerbsDevice::destroy_qp(const Call& call, Observation& seen) {
  QpEnd& end = end_of(call.qp);
  PairSlot& slot = pair_of(call.qp);
  const int error = ibv_destroy_qp(end.qp.get());
  if (error != 0) return refuse(seen, error);
  static_cast<void>(end.qp.release());
  end = QpEnd{};
  slot.lost = true;
  if (port_.connector) await_end(slot.pair.ends.at(model::peer_of(call.qp) & 1U));
}

/// The connection ends with its other end; what is posted on this one is flushed.
void VerbsDevice::await_end(QpEnd& end) {
  Patience patience(options_.state_limit_ms);
  while (end.qp && state_of(end) == model::QpState::rts && patience.again()) continue;
  Observation ignored;
  Plain::Small outcome;
  if (end.failed) complete_receive(end, end.receive_id != 0, Delivery{}, outcome, ignored);
}

}  // namespace mrproof::impl
