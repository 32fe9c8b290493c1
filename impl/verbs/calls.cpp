// Calls of the verbs device that make, end and ask for objects.
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <string>

#include "impl/verbs/verbs_device.hpp"

namespace mrproof::impl {
namespace {

using model::Outcome;
using model::Plain;
using model::Verb;

[[noreturn]] void report_misuse(const char* object, unsigned slot, const char* fault) {
  throw std::logic_error(object + std::to_string(slot) + " " + fault);
}

void refuse(Observation& seen, int error) {
  seen.result.outcome = Outcome::refused;
  seen.result.error = Plain::key(static_cast<std::uint32_t>(error));
}

// NOLINTNEXTLINE(performance-no-int-to-ptr): calls carry addresses as numbers
void* pointer(Plain::Address address) { return reinterpret_cast<void*>(address.value()); }

}  // namespace

Observation VerbsDevice::perform(const Call& call) {
  using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC
  Observation seen;
  seen.result.own_receive = seen.result.peer_receive = model::as_small<Plain>(Outcome::none);
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
    case Verb::reg_mr: return reg_mr(call, seen);
    case Verb::dereg_mr: return dereg_mr(call, seen);
    case Verb::post_recv: return post_recv(call, seen);
    case Verb::send:
    case Verb::rdma_write:
    case Verb::rdma_read: return transfer(call, seen);
    case Verb::query_qp: return query_qp(call, seen);
    case Verb::connect: return connect(call, seen);
    case Verb::fill: return Buffers::fill(call.address.value(), call.length.value(), call.seed);
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
  PdSlot& slot = pds_.at(call.pd);
  if (slot.pd == nullptr) report_misuse("pd", call.pd, "is not allocated");
  const int error = ibv_dealloc_pd(slot.pd);
  if (error != 0) return refuse(seen, error);
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

void VerbsDevice::reg_mr(const Call& call, Observation& seen) {
  ibv_pd* pd = pds_.at(call.pd).pd;
  ibv_mr*& region = regions_.at(call.mr);
  if (pd == nullptr) report_misuse("pd", call.pd, "is not allocated");
  if (region != nullptr) report_misuse("mr", call.mr, "is registered");
  // The macro of <infiniband/verbs.h> on purpose: it is what programs call. Its flags are not
  // constant here, so it goes to ibv_reg_mr_iova2(), which drops optional flags for old kernels.
  const int access = static_cast<int>(call.access.value());
  errno = 0;
  region = ibv_reg_mr(pd, pointer(call.address), call.length.value(), access);
  if (region == nullptr) return refuse(seen, errno);
  seen.result.lkey = Plain::key(region->lkey);
  seen.result.rkey = Plain::key(region->rkey);
}

void VerbsDevice::dereg_mr(const Call& call, Observation& seen) {
  ibv_mr*& region = regions_.at(call.mr);
  if (region == nullptr) report_misuse("mr", call.mr, "is not registered");
  const int error = ibv_dereg_mr(region);
  if (error != 0) return refuse(seen, error);
  region = nullptr;
}

VerbsDevice::PairSlot& VerbsDevice::pair_of(std::uint8_t qp) {
  PairSlot& slot = pairs_.at(qp / 2U);
  if (!slot.live()) report_misuse("qp", qp, "does not exist");
  return slot;
}

QpEnd& VerbsDevice::end_of(std::uint8_t qp) { return pair_of(qp).pair.ends.at(qp & 1U); }

void VerbsDevice::query_qp(const Call& call, Observation& seen) {
  QpEnd& end = end_of(call.qp);
  int error = 0;
  const model::QpState state = query_state(end, error);
  if (error != 0) return refuse(seen, error);
  pair_of(call.qp).failed |= end.failed;
  seen.result.qp_state = model::as_small<Plain>(state);
}

void VerbsDevice::connect(const Call& call, Observation& seen) {
  PairSlot& slot = pair_of(call.qp);
  seen.rebuilt = slot.failed || slot.lost;
  if (slot.lost || reconnect(port_, slot.pair) != 0) {
    // The device does not take the pair back; a new one in its place is as good.
    seen.rebuilt = slot.failed = true;
    const auto& ends = slot.pair.ends;
    if (ends[0].pd == nullptr || ends[1].pd == nullptr) report_misuse("qp", call.qp, "has no pd");
    const int error = make_pair(port_, ends[0].pd, ends[1].pd, slot.pair);
    if (error != 0) return refuse(seen, error);
  }
  slot.failed = slot.lost = false;
}

}  // namespace mrproof::impl
