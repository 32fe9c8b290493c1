// Calls of the verbs device, and those on protection domains and queue pairs.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "impl/verbs/arguments.hpp"
#include "impl/verbs/verbs_device.hpp"
#include "model/trace/trace_form.hpp"

namespace mrproof::impl {
namespace {

using model::Plain;
using model::Verb;

}  // namespace

Observation VerbsDevice::perform(const Call& call) {
  using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC
  Observation seen;
  as_seen_.second.clear();
  seen.result.own_receive = seen.result.peer_receive = Plain::small(Outcome::none);
  // What is posted beside a call that has begun starts when that does; a list with its last.
  if (model::is_transfer(call.verb) && call.part == model::Part::posted &&
      (call.flags.value() & model::kLinked) == 0)
    go_on(true);
  // Of calls that overlap, each thread waits for its own moment.
  if (call.delay != 0 && !model::is_overlapping(call))
    std::this_thread::sleep_for(std::chrono::microseconds(call.delay));
  const Clock::time_point start = Clock::now();
  seen.process = process_of(call);
  dispatch(call, seen);
  if (far_ != nullptr) far_->carry_out({.kind = Kind::nothing});
  seen.inside_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
  // A store of the program's own cannot make the kernel complain.
  if (call.verb != Verb::fill) seen.kernel_warning = warnings();
  return seen;
}

void VerbsDevice::dispatch(const Call& call, Observation& seen) {
  if (model::is_transfer(call.verb)) return transfer(call, seen);
  if (model::is_overlapping(call) && call.part == model::Part::posted) return begin(call, seen);
  switch (call.verb) {
    case Verb::query_qp: return query_qp(call, seen);
    case Verb::connect: return connect(call, seen);
    case Verb::fill: return Buffers::fill(call.address.value(), call.length.value(), call.seed);
    case Verb::protect: return protect(call);
    default: return call_on_objects(call, seen);
  }
}

/// Whose the objects are that the call names, or is to make.
std::uint8_t VerbsDevice::process_of(const Call& call) const {
  // A thread's calls are its process's; what they name may not be there yet.
  if (call.follows != 0) return thread_process_.at(call.follows);
  if (model::is_overlapping(call) && call.part == model::Part::completion)
    return thread_process_.at(call.label);
  if (model::is_transfer(call.verb)) return pairs_.at(call.qp / 2U).process.at(call.qp & 1U);
  switch (call.verb) {
    case Verb::rereg_mr:
    case Verb::dereg_mr: return region_process_.at(call.mr);
    case Verb::dealloc_mw: return window_process_.at(call.mw);
    case Verb::post_recv:
    case Verb::query_qp:
    case Verb::modify_qp:
    case Verb::destroy_qp: return pairs_.at(call.qp / 2U).process.at(call.qp & 1U);
    default: return call.pd < slot_process_.size() ? slot_process_.at(call.pd) : std::uint8_t{0};
  }
}

/// Has a thread make the call where its objects are, as soon as one that has begun is to return.
void VerbsDevice::begin(const Call& call, Observation& seen) {
  alone_ = gone_on_;
  gone_on_ = false;
  begun_.push_back(call);
  const std::uint8_t process = process_of(call);
  thread_process_.at(call.label) = process;
  processes_.at(process)->carry_out({.kind = Kind::begin, .call = call});
  seen.result.outcome = Outcome::none;
}

/// Calls that have begun go on, if they do not yet; those of the other process first, since telling
/// it takes longer.
void VerbsDevice::go_on(bool wait) {
  if (std::exchange(gone_on_, true)) return;
  if (other_) other_->carry_out({.kind = Kind::go});
  context_.carry_out({.kind = Kind::go, .wait = wait});
}

/// Makes the call in that process; or sees how it ended, if it has begun.
Answer VerbsDevice::made(std::uint8_t process, const Call& call) {
  if (!model::is_overlapping(call))
    return processes_.at(process)->carry_out({.kind = Kind::call, .qp = call.qp, .call = call});
  go_on(false);
  std::erase_if(begun_, [&](const Call& begun) { return begun.label == call.label; });
  const Answer answer = processes_.at(process)->carry_out({.kind = Kind::join, .call = call});
  if (alone_ && process == 0) show_at_return(context_.at_return(call.label));
  return answer;
}

/// The step shows what its thread saw of that memory, and the next one what came later.
void VerbsDevice::show_at_return(const model::ByteRun& seen) {
  if (seen.bytes.empty()) return;
  const auto index = (seen.address - model::kBufferBase) / model::kBufferStride;
  const auto now = buffers_.bytes(index);
  as_seen_ = {index, {now.begin(), now.end()}};
  std::copy(seen.bytes.begin(), seen.bytes.end(),
            as_seen_.second.begin() +
                static_cast<std::ptrdiff_t>(seen.address - model::buffer_address(index)));
}

/// Makes the call where its objects are, and notes what comes and goes.
void VerbsDevice::call_on_objects(const Call& call, Observation& seen) {
  const std::uint8_t process = process_of(call);
  seen.result = made(process, call).result;
  if (seen.result.outcome != Outcome::ok) return;
  if (model::makes_region(call.verb)) region_process_.at(call.mr) = process;
  if (call.verb == Verb::alloc_mw) window_process_.at(call.mw) = process;
  if (call.verb == Verb::alloc_pd) pds_.at(call.pd) = {true, false, process};
  if (call.verb == Verb::modify_qp) pair_of(call.qp).failed = true;  // the next case has all rights
  if (call.verb == Verb::dealloc_pd) {
    pds_.at(call.pd) = PdSlot{};
    // Where the device let a domain go that queue pairs are in, they are of no further use.
    for (PairSlot& pair : pairs_)
      for (std::size_t end = 0; end < 2; ++end) {
        if (!pair.there.at(end) || pair.pd.at(end) != call.pd) continue;
        pair.pd.at(end) = model::Setup::kAbsent;
        pair.lost = true;
      }
  }
  if (call.verb != Verb::destroy_qp) return;
  pair_of(call.qp).there.at(call.qp & 1U) = false;
  pair_of(call.qp).lost = true;
  const std::uint32_t peer = model::peer_of(call.qp);
  if (context_.port().connector) ask(peer, {.kind = Kind::await_end, .qp = peer});
}

/// In both processes: the pages are one program's. The other one's first, since what is unmapped is
/// gone only then.
void VerbsDevice::protect(const Call& call) {
  const Order order{.kind = Kind::call, .call = call};
  if (other_) other_->carry_out(order);
  context_.carry_out(order);
}

void VerbsDevice::query_qp(const Call& call, Observation& seen) {
  const Answer answer = made(process_of(call), call);
  seen.result = answer.result;
  if (seen.result.outcome == Outcome::ok)
    pair_of(call.qp).failed |= answer.state != model::QpState::rts;
}

void VerbsDevice::connect(const Call& call, Observation& seen) {
  const std::size_t index = call.qp / 2U;
  const auto first = static_cast<std::uint32_t>(2 * index);
  for (const std::uint32_t qp : {first, model::peer_of(first)})
    if (!exists(qp)) report_misuse("qp", qp, "does not exist");
  PairSlot& slot = pair_of(call.qp);
  seen.rebuilt = slot.failed || slot.lost;
  std::erase_if(in_flight_, [&](const Call& posted) { return model::abandons(call, posted); });
  const int refused = slot.lost ? 0 : reconnect(index);
  if (refused != 0 && !context_.port().connector) {
    slot.failed = slot.lost = true;
    return refuse(seen.result, refused);
  }
  bool taken_back = !slot.lost && refused == 0;
  // Where even a read of nothing does not come to its end, RESET once more is all that can be done.
  if (taken_back && read_after_connect_ &&
      !(reads_nothing(first) && reads_nothing(model::peer_of(first))))
    taken_back = reconnect(index) == 0;
  if (!taken_back) {
    // The device does not take the pair back; a new one in its place is as good.
    seen.rebuilt = slot.failed = true;
    for (const std::uint32_t pd : slot.pd)
      if (pd == model::Setup::kAbsent) report_misuse("qp", call.qp, "has no pd");
    const int error = make(index, slot.pd[0], slot.pd[1]);
    if (error != 0) return refuse(seen.result, error);
  }
  slot.failed = slot.lost = false;
  slot.reset = true;
}

}  // namespace mrproof::impl
