#include "conformance/walk_calls.hpp"

#include <algorithm>

#include "model/access.hpp"
#include "model/layout.hpp"

namespace mrproof {

using namespace model;

namespace {

Step call_of(Verb verb) {
  Step step;
  step.call.verb = verb;
  return step;
}

constexpr std::uint64_t kMostLength = 0xffffffffU;

}  // namespace

std::size_t CallMaker::live_regions() const {
  return static_cast<std::size_t>(std::count_if(state_.regions.begin(), state_.regions.end(),
                                                [](const auto& r) { return r.live.truth(); }));
}

std::optional<Step> CallMaker::allocate_pd() {
  Step step = call_of(Verb::alloc_pd);
  for (std::uint8_t i = 0; i < Plain::kPds; ++i) {
    step.call.pd = i;
    if (!state_.pds.at(i).live.truth()) return step;
  }
  return std::nullopt;
}

std::optional<Step> CallMaker::deallocate_pd() {
  Step step = call_of(Verb::dealloc_pd);
  step.call.pd = static_cast<std::uint8_t>(random_.below(Plain::kPds));
  if (!state_.pds.at(step.call.pd).live.truth()) return std::nullopt;
  return step;
}

std::uint32_t CallMaker::access() {
  std::uint32_t flags = random_.pick<std::uint32_t>(
      {0, kLocalWrite, kLocalWrite, kRemoteRead, kLocalWrite | kRemoteRead,
       kLocalWrite | kRemoteWrite, kLocalWrite | kRemoteWrite | kRemoteRead,
       kLocalWrite | kRemoteWrite | kRemoteRead,
       kLocalWrite | kRemoteWrite | kRemoteRead | kRemoteAtomic, kLocalWrite | kRemoteAtomic});
  if (random_.chance(10)) flags |= kMwBind;
  if (random_.chance(8)) flags |= kRelaxedOrdering;
  if (random_.chance(3)) flags |= 1U << random_.between(20, 29);
  if (random_.chance(10)) flags |= kZeroBased;
  return flags;
}

std::optional<Step> CallMaker::register_region(bool wrong) {
  Step step = call_of(Verb::reg_mr);
  const auto slot = region_where(false);
  if (!slot) return std::nullopt;
  step.call.mr = *slot;
  // Most in the PDs of the queue pairs, where they can be used.
  step.call.pd = static_cast<std::uint8_t>(
      random_.chance(85) ? random_.pick<std::uint64_t>({0, 0, 0, 1}) : random_.below(Plain::kPds));
  if (!state_.pds.at(step.call.pd).live.truth()) return std::nullopt;
  const std::uint64_t base = buffer_address(random_.below(kBufferCount));
  const std::uint64_t offset = random_.pick<std::uint64_t>(
      {0, 0, 0, kPageSize, 1, kPageSize - 1, random_.below(kBufferSize)});
  const std::uint64_t room = kBufferSize - offset;
  step.call.address = Plain::address(base + offset);
  step.call.length = Plain::address(length_up_to(room));
  step.call.access = Plain::flags(access());
  if (wrong) spoil_range(step);
  return step;
}

void CallMaker::spoil_range(Step& step) {
  auto& c = step.call;
  const auto end_of_buffer =
      c.address.value() - (c.address.value() - kBufferBase) % kBufferStride + kBufferSize;
  switch (random_.below(9)) {
    case 0:  // rights that need local write
      c.access = Plain::flags(random_.pick<std::uint32_t>(
          {kRemoteWrite, kRemoteAtomic, kRemoteWrite | kRemoteRead, kRemoteWrite | kRemoteAtomic}));
      break;
    case 1: c.length = Plain::address(0); break;
    case 2:  // one byte into the page that is not there
      c.length = Plain::address(end_of_buffer - c.address.value() + 1);
      break;
    case 3: c.address = Plain::address(end_of_buffer); break;
    case 4: c.address = Plain::address(~std::uint64_t{0} - random_.below(2 * kPageSize)); break;
    case 5:  // the sum wraps around to a small number
      c.length = Plain::address(0 - c.address.value() + random_.below(2));
      break;
    case 6: c.length = Plain::address(~std::uint64_t{0} - random_.below(2)); break;
    case 7: c.access = c.access | Plain::flags(1U << random_.between(10, 19)); break;
    default:
      c.access = c.access | Plain::flags(random_.pick<std::uint32_t>(
                                {kOnDemand, kHugetlb, kFlushGlobal, kFlushPersistent,
                                 kOnDemand | kHugetlb, kOnDemand | kZeroBased}));
  }
}

std::optional<Step> CallMaker::deregister_region() {
  Step step = call_of(Verb::dereg_mr);
  const auto slot = region_where(true);
  if (!slot) return std::nullopt;
  step.call.mr = *slot;
  return step;
}

std::optional<std::uint8_t> CallMaker::region_where(bool live) {
  const auto start = random_.below(Plain::kRegions);
  for (std::size_t i = 0; i < Plain::kRegions; ++i) {
    const auto slot = static_cast<std::uint8_t>((start + i) % Plain::kRegions);
    if (state_.regions.at(slot).live.truth() == live) return slot;
  }
  return std::nullopt;
}

std::optional<std::uint8_t> CallMaker::region_in(std::uint64_t pd, std::uint32_t right) {
  const auto start = random_.below(Plain::kRegions);
  for (std::size_t i = 0; i < Plain::kRegions; ++i) {
    const auto slot = static_cast<std::uint8_t>((start + i) % Plain::kRegions);
    const auto& r = state_.regions.at(slot);
    if (r.live.truth() && !r.empty.truth() && !r.undefined.truth() && r.pd.value() == pd &&
        (r.access.value() & right) == right)
      return slot;
  }
  return std::nullopt;
}

std::optional<std::uint8_t> CallMaker::ready_qp() {
  const auto start = random_.below(Plain::kQps);
  for (std::size_t i = 0; i < Plain::kQps; ++i) {
    const auto slot = static_cast<std::uint8_t>((start + i) % Plain::kQps);
    const auto ready = [&](std::uint8_t end) {
      const auto& qp = state_.qps.at(end);
      return qp.live.truth() && qp.state.value() == static_cast<unsigned>(QpState::rts);
    };
    if (ready(slot) && ready(peer_of(slot))) return slot;
  }
  return std::nullopt;
}

std::optional<std::uint8_t> CallMaker::posting_qp() {
  const auto failed = reconnect();
  if (failed && random_.chance(10)) return failed->call.qp;
  return ready_qp();
}

std::uint64_t CallMaker::length_up_to(std::uint64_t room) {
  if (room == 0) return 0;
  const std::uint64_t wanted = random_.pick<std::uint64_t>(
      {1, 8, 64, random_.between(1, 256), random_.between(1, 256), 1024, 1025, kPageSize,
       kPageSize + 1, room, room, random_.between(1, room)});
  return std::min(wanted, room);
}

CallMaker::Side CallMaker::place(std::uint8_t region, KeyName::Kind kind) {
  const auto& r = state_.regions.at(region);
  const std::uint64_t size = r.last.value() - r.first.value() + 1;
  const std::uint64_t offset = std::min(
      size - 1,
      random_.pick<std::uint64_t>({0, 0, 1, size - 1, random_.below(size), random_.below(size)}));
  return {{kind, region, 0, 0}, r.first.value() + offset, size - offset};
}

void CallMaker::spoil_bounds(Side& side, std::uint64_t& length) {
  const auto& r = state_.regions.at(side.key.mr);
  const std::uint64_t first = r.first.value();
  const std::uint64_t size = r.last.value() - first + 1;
  switch (random_.below(8)) {
    case 0: length = std::min(side.room + 1, kMostLength); break;
    case 1: side.address = r.last.value() + 1; break;
    case 2:
      side.address = r.last.value();
      length = std::max<std::uint64_t>(length, 2);
      break;
    case 3: side.address = first - 1; break;
    case 4:
      side.address = first - 1;
      length = size;
      break;
    case 5:  // start + length wraps around into the region
      side.address = first - random_.between(1, size);
      length = std::min(size, kMostLength);
      break;
    case 6:  // far above, so that offset + length wraps around 2^64 or 2^32
      side.address = random_.pick<std::uint64_t>({~std::uint64_t{0}, ~std::uint64_t{0} - length + 2,
                                                  first + (1ULL << 32U), first - (1ULL << 32U),
                                                  first ^ (1ULL << 63U)});
      break;
    default:
      length = std::min(longest_,
                        random_.pick<std::uint64_t>({0x10000, 1U << 20U, 1U << 31U, kMostLength}));
  }
}

void CallMaker::spoil(Side& side, std::uint64_t& length, std::uint64_t pd, std::uint32_t right) {
  switch (random_.below(6)) {
    case 0:  // a stale key
      if (const auto dead = region_where(false)) side.key.mr = *dead;
      break;
    case 1:  // a neighbour of the key
      side.key.flip = random_.pick<std::uint32_t>({1, 0x80, 0xff, 0x100, 0x80000000U});
      break;
    case 2:  // another PD's region
      for (std::uint64_t other = 0; other < Plain::kPds; ++other) {
        if (other == pd) continue;
        if (const auto found = region_in(other, right)) side = place(*found, side.key.kind);
      }
      break;
    case 3:  // a region without the right
      for (std::uint8_t i = 0; i < Plain::kRegions; ++i) {
        const auto& r = state_.regions.at(i);
        if (r.live.truth() && !r.empty.truth() && !r.undefined.truth() && r.pd.value() == pd &&
            (r.access.value() & right) != right)
          side = place(i, side.key.kind);
      }
      break;
    case 4:  // nobody's key
      side.key = KeyName{KeyName::Kind::value, 0, 0,
                         random_.pick<std::uint32_t>({0, 1, kMostLength & 0xffffffffU,
                                                      static_cast<std::uint32_t>(random_.next())})};
      return;
    default: spoil_bounds(side, length); return;
  }
  length = std::max<std::uint64_t>(1, std::min(length, side.room));
}

std::optional<Step> CallMaker::rdma(bool wrong) {
  const bool read = random_.chance(40);
  Step step = call_of(read ? Verb::rdma_read : Verb::rdma_write);
  const auto qp = posting_qp();
  if (!qp) return std::nullopt;
  const auto pd = state_.qps.at(*qp).pd.value();
  const auto peer_pd = state_.qps.at(peer_of(*qp)).pd.value();
  const std::uint32_t local_right = read ? kLocalWrite : 0U;
  const std::uint32_t remote_right = read ? kRemoteRead : kRemoteWrite;
  const auto local = region_in(pd, local_right);
  const auto remote = region_in(peer_pd, remote_right);
  if (!local || !remote) return std::nullopt;
  Side near = place(*local, KeyName::Kind::lkey);
  Side far = place(*remote, KeyName::Kind::rkey);
  std::uint64_t length = length_up_to(std::min(near.room, far.room));
  if (wrong) {
    const auto which = random_.below(8);
    if (which < 3) spoil(near, length, pd, local_right);
    if (which >= 3) spoil(far, length, peer_pd, remote_right);
    if (which == 7) spoil(near, length, pd, local_right);
  } else if (random_.chance(3)) {  // C9-88: a zero-length operation needs no valid remote side
    length = 0;
    if (random_.chance(60)) spoil_bounds(far, length);
    if (random_.chance(60)) far.key = KeyName{KeyName::Kind::value, 0, 0, 0x7a7a7a7aU};
    length = 0;
  }
  step.call.qp = *qp;
  step.lkey = near.key;
  step.call.address = Plain::address(near.address);
  step.call.length = Plain::address(length);
  step.rkey = far.key;
  step.call.remote = Plain::address(far.address);
  return step;
}

std::optional<Step> CallMaker::post_receive(bool wrong) {
  Step step = call_of(Verb::post_recv);
  const auto qp = ready_qp();
  if (!qp || state_.qps.at(*qp).posted.truth()) return std::nullopt;
  const auto pd = state_.qps.at(*qp).pd.value();
  const auto region = region_in(pd, kLocalWrite);
  if (!region) return std::nullopt;
  Side side = place(*region, KeyName::Kind::lkey);
  std::uint64_t length = length_up_to(side.room);
  if (wrong) spoil(side, length, pd, kLocalWrite);
  step.call.qp = *qp;
  step.lkey = side.key;
  step.call.address = Plain::address(side.address);
  step.call.length = Plain::address(length);
  return step;
}

std::optional<Step> CallMaker::send(bool wrong) {
  Step step = call_of(Verb::send);
  const auto qp = posting_qp();
  if (!qp) return std::nullopt;
  const auto& peer = state_.qps.at(peer_of(*qp));
  // Sending to nobody is legal to try, and costs the pair.
  const bool failed = state_.qps.at(*qp).state.value() == static_cast<unsigned>(QpState::err);
  if (!peer.posted.truth() && !failed && !random_.chance(2)) return std::nullopt;
  const auto pd = state_.qps.at(*qp).pd.value();
  const auto region = region_in(pd, 0);
  if (!region) return std::nullopt;
  Side side = place(*region, KeyName::Kind::lkey);
  std::uint64_t length = length_up_to(std::min(side.room, peer.length.value()));
  if (wrong && random_.chance(50))
    length = std::min(side.room, peer.length.value() + 1);
  else if (wrong)
    spoil(side, length, pd, 0);
  if (random_.chance(4)) length = 0;
  step.call.qp = *qp;
  step.lkey = side.key;
  step.call.address = Plain::address(side.address);
  step.call.length = Plain::address(length);
  return step;
}

Step CallMaker::query() {
  Step step = call_of(Verb::query_qp);
  step.call.qp = static_cast<std::uint8_t>(random_.below(Plain::kQps));
  return step;
}

std::optional<Step> CallMaker::reconnect() {
  Step step = call_of(Verb::connect);
  for (std::uint8_t i = 0; i < Plain::kQps; ++i) {
    const auto& qp = state_.qps.at(i);
    if (!qp.live.truth() || qp.state.value() == static_cast<unsigned>(QpState::rts)) continue;
    step.call.qp = i;
    return step;
  }
  return std::nullopt;
}

Step CallMaker::fill() {
  Step step = call_of(Verb::fill);
  const std::uint64_t offset = random_.below(kBufferSize);
  step.call.address = Plain::address(buffer_address(random_.below(kBufferCount)) + offset);
  step.call.length = Plain::address(
      std::min(kBufferSize - offset, random_.pick<std::uint64_t>({8, 64, 256, 1024})));
  step.call.seed = static_cast<std::uint8_t>(random_.below(256));
  return step;
}

}  // namespace mrproof
