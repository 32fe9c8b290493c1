// Calls on memory windows.
#include <algorithm>

#include "model/access.hpp"
#include "property-tests/walk/walk_calls.hpp"

namespace mrproof::property_tests {

using namespace model;

std::size_t CallMaker::live_windows() const {
  return static_cast<std::size_t>(std::count_if(state_.windows.begin(), state_.windows.end(),
                                                [](const auto& w) { return w.live.truth(); }));
}

std::optional<model::PlannedCall> CallMaker::allocate_window() {
  model::PlannedCall step = call_of(Verb::alloc_mw);
  const auto slot = free_slot(state_.windows, 25);
  if (!slot) return std::nullopt;
  step.call.mw = *slot;
  step.call.option = random_.chance(50) ? kTypeOne : kTypeTwo;
  if (!worth(step.call.option == kTypeOne ? kMwType1 : kMwType2A | kMwType2B)) return std::nullopt;
  step.call.pd = pd_of_pairs();
  if (!state_.pds.at(step.call.pd).live.truth()) return std::nullopt;
  return step;
}

std::optional<model::PlannedCall> CallMaker::deallocate_window() {
  model::PlannedCall step = call_of(Verb::dealloc_mw);
  const auto useless =
      one_of(state_.windows, [](const Window& w) { return w.live.truth() && w.undefined.truth(); });
  const auto any = one_of(state_.windows, [](const Window& w) { return w.live.truth(); });
  if (!any) return std::nullopt;
  step.call.mw = useless ? *useless : *any;
  return step;
}

std::optional<model::PlannedCall> CallMaker::bind(bool wrong) {
  const bool rebind = random_.chance(wrong ? 50 : 30);
  const auto window = one_of(state_.windows, [&](const Window& w) {
    const bool free = !w.bound.truth() || (rebind && (wrong || !w.two.truth()));
    return w.live.truth() && !w.undefined.truth() && free;
  });
  return window ? bind_window(*window, wrong) : std::nullopt;
}

std::optional<model::PlannedCall> CallMaker::bind_window(std::uint32_t window, bool wrong) {
  const Window& w = state_.windows.at(window);
  // Now and then one that has failed, as with other work requests.
  const bool ready = !random_.chance(wrong ? 25 : 8);
  const auto qp = one_of(state_.qps, [&](const auto& q, std::uint32_t slot) {
    const bool of_use = is_ready(q) && is_ready(state_.qps.at(peer_of(slot)));
    return q.live.truth() && q.pd.value() == w.pd.value() && of_use == ready;
  });
  const auto region = region_in(w.pd.value(), kMwBind);
  if (!qp || !region) return std::nullopt;
  const Region& r = state_.regions.at(*region);
  model::PlannedCall step = call_of(w.two.truth() ? Verb::post_bind_mw : Verb::bind_mw);
  auto& c = step.call;
  c.qp = *qp;
  c.mw = window;
  c.mr = *region;
  const Side side = place(*region, model::KeyName::Kind::rkey);
  c.address = Plain::address(side.address);
  c.length = Plain::address(length_up_to(side.room()));
  const bool writable = (r.access.value() & kLocalWrite) != 0;
  c.access = Plain::flags(random_.pick<std::uint32_t>(
      {0, kRemoteRead, writable ? kRemoteWrite : 0U, writable ? kRemoteWrite : 0U,
       writable ? kRemoteWrite | kRemoteRead : kRemoteRead,
       writable ? kRemoteWrite | kRemoteRead | kRemoteAtomic : kRemoteRead}));
  if (w.two.truth() && random_.chance(25)) c.access = c.access | Plain::flags(kZeroBased);
  if (!w.two.truth() && random_.chance(22)) c.length = Plain::address(0);  // unbinds
  step.rkey = {model::KeyName::Kind::window_rkey, window,
               static_cast<std::uint32_t>(random_.between(random_.chance(3) ? 0 : 1, 255)), 0};
  if (!w.two.truth()) step.rkey = {};
  const bool wrong_already = w.two.truth() && w.bound.truth();
  if (wrong && !wrong_already) spoil_bind(step);
  return step;
}

void CallMaker::spoil_bind_range(model::PlannedCall& step, const Region& r) {
  auto& c = step.call;
  const auto one = Plain::address(1);
  switch (random_.below(5)) {
    case 0: c.length = r.last - c.address + Plain::address(2); break;
    case 1: c.address = r.last + one; break;
    case 2: c.address = r.first - one; break;
    case 3:  // the end wraps around
      c.length = Plain::address(0) - c.address + one;
      break;
    default:  // begins below and wraps around to inside
      c.address = r.first - one;
      c.length = r.last - r.first + one;
  }
}

void CallMaker::spoil_bind(model::PlannedCall& step) {
  auto& c = step.call;
  const Window& w = state_.windows.at(c.mw);
  const auto pd = w.pd.value();
  const auto take = [&](auto&& predicate) {
    const auto found =
        one_of(state_.regions, [&](const Region& r) { return usable(r) && predicate(r); });
    if (!found) return;
    const Side side = place(*found, model::KeyName::Kind::rkey);
    c.mr = *found;
    c.address = Plain::address(side.address);
    c.length = Plain::address(length_up_to(std::min(side.room(), model::kBufferSize)));
  };
  switch (random_.below(11)) {
    case 0:
      return take(
          [&](const Region& r) { return r.pd.value() == pd && (r.access.value() & kMwBind) == 0; });
    case 1:
      return take(
          [&](const Region& r) { return r.pd.value() != pd && (r.access.value() & kMwBind) != 0; });
    case 2:
      take([&](const Region& r) {
        return r.pd.value() == pd && (r.access.value() & (kMwBind | kLocalWrite)) == kMwBind;
      });
      c.access = Plain::flags(random_.pick<std::uint32_t>({kRemoteWrite, kRemoteAtomic}));
      return;
    case 3:
    case 4: return spoil_bind_range(step, state_.regions.at(c.mr));
    case 5:  // the other type's verb
      c.verb = c.verb == Verb::bind_mw ? Verb::post_bind_mw : Verb::bind_mw;
      step.rkey = {};
      if (c.verb == Verb::post_bind_mw) step.rkey = {model::KeyName::Kind::window_rkey, c.mw, 1, 0};
      return;
    case 6:
      if (w.two.truth()) step.rkey.flip ^= random_.pick<std::uint32_t>({0x100, 0x80000000U});
      return;
    case 7:
      c.access = c.access | Plain::flags(random_.pick<std::uint32_t>(
                                {kZeroBased, kZeroBased, kLocalWrite, kMwBind, 1U << 12U}));
      return;
    case 8:
      if (w.two.truth()) c.length = Plain::address(0);
      return;
    default:
      if (const auto other =
              one_of(state_.qps, [&](const auto& q) { return is_ready(q) && q.pd.value() != pd; }))
        c.qp = *other;
  }
}

std::optional<model::PlannedCall> CallMaker::invalidate(bool wrong) {
  const auto window = one_of(state_.windows, [&](const Window& w) {
    return usable(w) && w.two.truth() && state_.qps.at(w.qp.value()).live.truth();
  });
  model::PlannedCall step = call_of(Verb::local_inv);
  if (!wrong) {
    if (!window) return std::nullopt;
    step.call.qp = static_cast<std::uint32_t>(state_.windows.at(*window).qp.value());
    step.rkey = {model::KeyName::Kind::window_rkey, *window, 0, 0};
    return step;
  }
  const auto any = one_of(state_.windows, [](const Window& w) { return w.live.truth(); });
  const auto region = live_region();
  step.call.qp = static_cast<std::uint32_t>(random_.below(Plain::kQps));
  const auto which = random_.below(4);
  if (which == 0 && region) {
    step.rkey = {random_.chance(50) ? model::KeyName::Kind::rkey : model::KeyName::Kind::lkey,
                 *region, 0, 0};
  } else if (which == 1 && window) {  // another queue pair, a neighbour of the key
    step.rkey = {model::KeyName::Kind::window_rkey, *window, random_.chance(50) ? 1U : 0U, 0};
  } else if (any) {  // of type 1, or not bound
    step.rkey = {model::KeyName::Kind::window_rkey, *any, 0, 0};
  } else {
    return std::nullopt;
  }
  return step;
}

}  // namespace mrproof::property_tests
