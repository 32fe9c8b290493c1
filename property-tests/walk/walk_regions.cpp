// Calls on PDs, regions and the program's own memory.
#include <algorithm>

#include "model/access.hpp"
#include "model/conditions/registration.hpp"
#include "property-tests/walk/walk_calls.hpp"

namespace mrproof::property_tests {

using namespace model;

std::size_t CallMaker::live_regions() const {
  return static_cast<std::size_t>(std::count_if(state_.regions.begin(), state_.regions.end(),
                                                [](const auto& r) { return r.live.truth(); }));
}

std::optional<model::PlannedCall> CallMaker::grow() {
  if (objects_ == 0 || live_regions() >= objects_) return std::nullopt;
  const auto roll = random_.below(100);
  if (roll < 8) return allocate_pd();
  if (roll < 25) return allocate_window();
  return register_region(false);
}

std::optional<model::PlannedCall> CallMaker::allocate_pd() {
  model::PlannedCall step = call_of(Verb::alloc_pd);
  if (objects_ / 8 > Plain::kPds) {
    const auto slot = free_slot(state_.pds, 12);
    if (!slot) return std::nullopt;
    step.call.pd = *slot;
    return step;
  }
  for (std::uint32_t i = 0; i < Plain::kPds; ++i) {
    step.call.pd = i;
    if (!state_.pds.at(i).live.truth()) return step;
  }
  return std::nullopt;
}

std::optional<model::PlannedCall> CallMaker::deallocate_pd() {
  model::PlannedCall step = call_of(Verb::dealloc_pd);
  const Result<Plain> nothing_yet;
  const auto live = [](const auto& pd) { return pd.live.truth(); };
  const auto unused = one_of(state_.pds, [&](const auto& pd, std::uint32_t slot) {
    step.call.pd = slot;
    return live(pd) && pd_unused<Plain>.holds({state_, step.call, nothing_yet}).truth();
  });
  const auto any = one_of(state_.pds, live);
  if (!any) return std::nullopt;
  step.call.pd = unused && random_.chance(70) ? *unused : *any;
  return step;
}

std::optional<model::PlannedCall> CallMaker::leave_domain() {
  const auto left = one_of(state_.pds, [&](const auto& pd, std::uint32_t slot) {
    return pd.live.truth() && slot != 0 &&
           std::none_of(state_.qps.begin(), state_.qps.end(),
                        [&](const auto& qp) { return qp.live.truth() && qp.pd.value() == slot; });
  });
  if (!left) return std::nullopt;
  const auto in_it = [&](const auto& object) {
    return object.live.truth() && object.pd.value() == *left;
  };
  model::PlannedCall step = call_of(Verb::dealloc_pd);
  if (const auto window = one_of(state_.windows, in_it)) {
    step.call.verb = Verb::dealloc_mw;
    step.call.mw = *window;
  } else if (const auto region = one_of(state_.regions, in_it)) {
    const Region& r = state_.regions.at(*region);
    const bool movable = book_.has(Verb::rereg_mr) && usable(r) && !r.null.truth();
    step.call.mr = *region;
    step.call.verb = Verb::dereg_mr;
    if (movable && worth(kReregPd) && random_.chance(50)) {
      step.call.verb = Verb::rereg_mr;
      step.call.flags = Plain::flags(kChangePd);
    }
  } else {
    step.call.pd = *left;
  }
  return step;
}

std::optional<model::PlannedCall> CallMaker::enter_domain(std::uint32_t pd) {
  if (!book_.has(Verb::rereg_mr) || !worth(kReregPd) || !state_.pds.at(pd).live.truth())
    return std::nullopt;
  const auto region =
      one_of(state_.regions, [](const Region& r) { return usable(r) && !r.null.truth(); });
  if (!region) return std::nullopt;
  model::PlannedCall step = call_of(Verb::rereg_mr);
  step.call.mr = *region;
  step.call.pd = pd;
  step.call.flags = Plain::flags(kChangePd);
  return step;
}

std::uint32_t CallMaker::access() {
  std::uint32_t flags = random_.pick<std::uint32_t>(
      {0, kLocalWrite, kLocalWrite, kRemoteRead, kLocalWrite | kRemoteRead,
       kLocalWrite | kRemoteWrite, kLocalWrite | kRemoteWrite | kRemoteRead,
       kLocalWrite | kRemoteWrite | kRemoteRead,
       kLocalWrite | kRemoteWrite | kRemoteRead | kRemoteAtomic, kLocalWrite | kRemoteAtomic});
  const std::uint32_t claimed = static_cast<std::uint32_t>(state_.can.claimed.value());
  if (random_.chance((claimed & kMwBind) != 0 ? 40 : 10)) flags |= kMwBind;
  if (random_.chance(8)) flags |= kRelaxedOrdering;
  if (random_.chance(3)) flags |= 1U << random_.between(20, 29);
  if (random_.chance(10)) flags |= kZeroBased;
  if (random_.chance((claimed & kOnDemand) != 0 ? 15 : 1)) flags |= kOnDemand;
  if ((state_.defined.value() & kShared) != 0 && random_.chance(30))
    flags |= random_.pick<std::uint32_t>({kShared, kShared, kAllocateMr, kPeerMemory});
  return flags;
}

/// Somewhere in a buffer, from the edges mostly.
void CallMaker::range(model::PlannedCall& step) {
  const auto buffer = random_.below(model::kBufferCount);
  const std::uint64_t size = model::buffer_size(buffer);
  const std::uint64_t offset =
      random_.pick<std::uint64_t>({0, 0, 0, model::kPageSize, 1, model::kPageSize - 1,
                                   random_.below(size), random_.below(size)});
  const std::uint64_t first = model::buffer_address(buffer);
  step.call.address = Plain::address(first + offset);
  step.call.length = Plain::address(length_up_to(size - offset));
  if (!random_.chance(22)) return;
  // Where memory is not what it was: up to the hole, over it, behind it.
  const auto edge = edge_of_hole(model::kBufferBase,
                                 model::kBufferBase + model::kBufferCount * model::kBufferStride);
  if (!edge) return;
  const auto there = (*edge - model::kBufferBase) / model::kBufferStride;
  if (*edge < model::kBufferBase ||
      *edge - model::buffer_address(there) >= model::buffer_size(there))
    return;
  const std::uint64_t room = model::buffer_address(there) + model::buffer_size(there) - *edge;
  step.call.address = Plain::address(*edge);
  step.call.length = Plain::address(random_.chance(50) ? room : length_up_to(room));
}

/// Which of the registering verbs it is; sets what that verb has of its own.
void CallMaker::choose_verb(model::PlannedCall& step) {
  auto& c = step.call;
  const auto roll = random_.below(100);
  if (roll < 15 && book_.has(Verb::reg_mr_iova)) {
    c.verb = Verb::reg_mr_iova;
  } else if (roll < 24 && book_.has(Verb::reg_mr_ex) && worth(kRegMrEx)) {
    c.verb = Verb::reg_mr_ex;
  } else if (roll < 31 && book_.has(Verb::reg_dmabuf_mr) && worth(kDmabufMr)) {
    c.verb = Verb::reg_dmabuf_mr;
    c.address = Plain::address(random_.below(kDmabufSize));
    const std::uint64_t room = kDmabufSize - c.address.value();
    c.length = Plain::address(random_.chance(15) ? room + 1 : random_.between(1, room));
    c.access = c.access & Plain::flags(kDmabufAccess);
  }
  if (c.verb == Verb::reg_mr) return;
  const std::uint64_t in_page = c.address.value() % model::kPageSize;
  c.iova = Plain::address(random_.pick<std::uint64_t>(
      {in_page, 0x10000 + in_page, (1ULL << 47U) + in_page, c.address.value(),
       (1ULL << 63U) + in_page, 0 - 4 * model::kPageSize + in_page}));
  if (random_.chance(8)) c.iova = Plain::address(0);
  if (random_.chance(4)) c.iova = c.iova + Plain::address(random_.below(model::kPageSize));
  if (random_.chance(3))
    c.iova = Plain::address(0 - model::kPageSize + in_page);  // may wrap around
}

std::uint32_t CallMaker::pd_of_pairs() {
  // Each pair has one end in each of two processes, else all ends but one are in the first PD.
  if (state_.process[1] != 0) return random_.pick<std::uint32_t>({0, 1});
  return random_.pick<std::uint32_t>({0, 0, 0, 1});
}

std::optional<model::PlannedCall> CallMaker::register_region(bool wrong) {
  model::PlannedCall step = call_of(Verb::reg_mr);
  const auto slot = free_slot(state_.regions, 100);
  if (!slot) return std::nullopt;
  step.call.mr = *slot;
  // Most in the PDs of the queue pairs, where they can be used.
  step.call.pd = static_cast<std::uint32_t>(random_.chance(85) ? pd_of_pairs()
                                                               : random_.below(state_.pds.size()));
  if (!state_.pds.at(step.call.pd).live.truth()) return std::nullopt;
  if (random_.chance(6) && book_.has(Verb::alloc_null_mr) && worth(kNullMr)) {
    step.call.verb = Verb::alloc_null_mr;
    return step;
  }
  step.call.access = Plain::flags(access());
  if (const auto shared = one_of(
          state_.regions,
          [](const Region& r) { return r.live.truth() && (r.access.value() & kShared) != 0; });
      book_.has(Verb::reg_shared_mr) && random_.chance(10)) {
    const auto any = live_region();
    if (!any) return std::nullopt;
    step.call.verb = Verb::reg_shared_mr;
    step.call.access = step.call.access & ~Plain::flags(kOnDemand);
    step.call.source = wrong || !shared ? *any : *shared;
    return step;
  }
  range(step);
  choose_verb(step);
  if (wrong) spoil_range(step);
  const bool on_demand = (state_.can.claimed.value() & kOnDemand) != 0;
  if (step.call.verb == Verb::reg_mr && random_.chance(on_demand ? 3 : 1)) {  // all of memory
    step.call.address = Plain::address(0);
    step.call.length = Plain::address(~std::uint64_t{0});
    step.call.access = step.call.access | Plain::flags(kOnDemand);
  }
  return step;
}

void CallMaker::spoil_range(model::PlannedCall& step) {
  auto& c = step.call;
  const auto end_of_buffer = [&] {
    const std::uint64_t index = (c.address.value() - model::kBufferBase) / model::kBufferStride;
    return index < model::kBufferCount ? model::buffer_address(index) + model::buffer_size(index)
                                       : kDmabufSize;
  }();
  switch (random_.below(11)) {
    case 0:  // rights that need local write
    case 1:
      c.access = Plain::flags(random_.pick<std::uint32_t>(
          {kRemoteWrite, kRemoteAtomic, kRemoteWrite | kRemoteRead, kRemoteWrite | kRemoteAtomic}));
      break;
    case 2: c.length = Plain::address(0); break;
    case 3:  // one byte into the page that is not there
      c.length = Plain::address(end_of_buffer - c.address.value() + 1);
      break;
    case 4: c.address = Plain::address(end_of_buffer); break;
    case 5:
      c.address = Plain::address(~std::uint64_t{0} - random_.below(2 * model::kPageSize));
      break;
    case 6:  // the sum wraps around to a small number
      c.length = Plain::address(0 - c.address.value() + random_.below(2));
      break;
    case 7: c.length = Plain::address(~std::uint64_t{0} - random_.below(2)); break;
    case 8:  // right but for bits that do not fit 32
      c.length = c.length + Plain::address(random_.pick<std::uint64_t>({1ULL << 32U, 1ULL << 40U}));
      break;
    case 9: c.access = c.access | Plain::flags(1U << random_.between(10, 15)); break;
    default:
      c.access = c.access | Plain::flags(random_.pick<std::uint32_t>(
                                {kOnDemand, kHugetlb, kFlushGlobal, kFlushPersistent,
                                 kOnDemand | kHugetlb, kOnDemand | kZeroBased}));
  }
}

std::optional<model::PlannedCall> CallMaker::reregister_region(bool wrong) {
  if (!book_.has(Verb::rereg_mr)) return std::nullopt;
  if (!worth(kReregTranslation | kReregPd | kReregAccess)) return std::nullopt;
  const bool despite_windows = random_.chance(15);
  const auto slot = one_of(state_.regions, [&](const Region& r, std::uint32_t index) {
    const bool bound =
        std::any_of(state_.windows.begin(), state_.windows.end(), [&](const Window& w) {
          return w.live.truth() && w.bound.truth() && w.region.value() == index;
        });
    return r.live.truth() && !r.undefined.truth() && !r.null.truth() && (despite_windows || !bound);
  });
  if (!slot) return std::nullopt;
  model::PlannedCall step = call_of(Verb::rereg_mr);
  auto& c = step.call;
  range(step);
  c.mr = *slot;
  const auto pd = one_of(state_.pds, [](const auto& p) { return p.live.truth(); });
  c.pd = pd.value_or(0);
  const std::uint32_t kind = kZeroBased | kOnDemand | kHugetlb | kAllocateMr | kPeerMemory;
  c.access =
      Plain::flags(access() & ~kind) | (state_.regions.at(*slot).access & Plain::flags(kind));
  c.flags = Plain::flags(random_.pick<std::uint32_t>({1, 2, 2, 3, 4, 4, 5, 6, 7}));
  if (wrong) spoil_range(step);
  if (wrong && random_.chance(30))
    c.flags = Plain::flags(random_.pick<std::uint32_t>({0, 8, 12, 1U << 31U}));
  if (wrong && random_.chance(10)) c.address = Plain::address(0);
  if (wrong && random_.chance(25)) {
    c.flags = Plain::flags(kChangeAccess);
    c.access = (c.access & Plain::flags(kind)) |
               Plain::flags(random_.pick<std::uint32_t>({kRemoteWrite, kRemoteAtomic}));
  }
  if ((c.flags.value() & kChangeAccess) == 0 && !random_.chance(15)) c.access = Plain::flags(0);
  return step;
}

std::optional<model::PlannedCall> CallMaker::deregister_region() {
  model::PlannedCall step = call_of(Verb::dereg_mr);
  const auto slot = live_region();
  if (!slot) return std::nullopt;
  step.call.mr = *slot;
  return step;
}

std::optional<model::PlannedCall> CallMaker::advise(bool wrong) {
  if (!book_.has(Verb::advise_mr) || !worth(kAdviseMr)) return std::nullopt;
  const auto on_demand = one_of(state_.regions, [](const Region& r) {
    return usable(r) && (r.access.value() & kOnDemand) != 0;
  });
  const auto any =
      one_of(state_.regions, [](const Region& r) { return usable(r) && !r.null.truth(); });
  const auto region = on_demand && !random_.chance(10) ? on_demand : any;
  if (!region) return std::nullopt;
  model::PlannedCall step = call_of(Verb::advise_mr);
  auto& c = step.call;
  Side side = place(*region, model::KeyName::Kind::lkey);
  std::uint64_t length = length_up_to(side.room());
  c.pd = static_cast<std::uint32_t>(state_.regions.at(*region).pd.value());
  c.option = random_.pick<std::uint8_t>({kPrefetch, kPrefetchWrite, kPrefetchNoFault});
  c.flags = Plain::flags(random_.below(2));
  if (wrong) {
    const auto which = random_.below(8);
    if (which == 0) c.option = random_.pick<std::uint8_t>({3, 200});
    if (which == 1) c.flags = Plain::flags(random_.pick<std::uint32_t>({2, 3, 1U << 31U}));
    if (which == 2) c.pd ^= 1U;
    if (which == 3) spoil_bounds(side, length);
    if (which == 4) spoil(side, length, 0, kLocalWrite);
    if (which == 5) c.option = kPrefetchWrite;
    if (which == 6 && spoil_by_hole(side)) {
      c.pd = static_cast<std::uint32_t>(state_.regions.at(side.key.slot).pd.value());
      c.flags = Plain::flags(kAdviseFlush);
      length = length_up_to(std::min(side.room(), model::kLastBufferSize));
    }
    const auto gone = one_of(
        state_.regions, [](const Region& r) { return !r.live.truth() && r.lkey.value() != 0; });
    if (which == 7 && gone) side.key.slot = *gone;
  }
  step.lkey = side.key;
  c.address = Plain::address(side.address);
  c.length = Plain::address(length);
  if (random_.chance(25)) {
    step.second = step.lkey;
    c.second = {c.lkey, c.address, c.length};
    const bool plain = step.second.kind == model::KeyName::Kind::value;
    if (random_.chance(wrong ? 50 : 0)) (plain ? step.second.value : step.second.flip) ^= 1U;
    c.elements = 2;
  }
  if (!state_.pds.at(c.pd).live.truth()) return std::nullopt;
  return step;
}

std::optional<model::PlannedCall> CallMaker::protect() {
  model::PlannedCall step = call_of(Verb::protect);
  auto& c = step.call;
  const auto buffer = random_.pick<std::uint64_t>({3, 3, random_.below(model::kBufferCount)});
  const auto& b = state_.buffers.at(buffer);
  if (b.hole.truth()) {
    c.address = b.hole_first;
    c.length = b.hole_last - b.hole_first + Plain::address(1);
    c.option = b.read_only.truth() && random_.chance(30) ? kNoPages : kWritePages;
    return step;
  }
  const std::uint64_t pages = model::buffer_size(buffer) / model::kPageSize;
  std::uint64_t page = random_.below(pages);
  // Pages that a region needs at each access, if there is one.
  const auto on_demand = one_of(state_.regions, [&](const Region& r) {
    return usable(r) && (r.access.value() & kOnDemand) != 0 &&
           r.memory.value() >= b.first.value() && r.memory.value() <= b.last.value();
  });
  if (on_demand && random_.chance(60))
    page = (state_.regions.at(*on_demand).memory.value() - b.first.value()) / model::kPageSize;
  c.address = Plain::address(model::buffer_address(buffer) + page * model::kPageSize);
  c.length = Plain::address(random_.between(1, std::min<std::uint64_t>(2, pages - page)) *
                            model::kPageSize);
  c.option = random_.chance(50) ? kNoPages : kReadPages;
  return step;
}

model::PlannedCall CallMaker::fill() {
  model::PlannedCall step = call_of(Verb::fill);
  const auto buffer = random_.below(model::kBufferCount);
  const std::uint64_t offset = random_.below(model::buffer_size(buffer));
  step.call.address = Plain::address(model::buffer_address(buffer) + offset);
  step.call.length = Plain::address(std::min(model::buffer_size(buffer) - offset,
                                             random_.pick<std::uint64_t>({8, 64, 256, 1024})));
  step.call.seed = static_cast<std::uint8_t>(random_.below(256));
  return step;
}

}  // namespace mrproof::property_tests
