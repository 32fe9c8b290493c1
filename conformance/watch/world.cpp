#include "conformance/watch/world.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/conditions/windows.hpp"

namespace mrproof::watch {
namespace {

using model::PlainCondition;
using model::PlainView;

using Conditions = std::array<const PlainCondition*, 4>;
constexpr Conditions kLocal{&model::local_key_live<Plain>, &model::local_same_pd<Plain>,
    &model::local_write_right<Plain>, &model::local_in_bounds<Plain>};
constexpr std::array<const PlainCondition*, 5> kRemote{&model::remote_key_live<Plain>,
    &model::remote_same_pd<Plain>, &model::remote_right<Plain>, &model::pair_accepts<Plain>,
    &model::remote_in_bounds<Plain>};

/// That a window is bound already may have become untrue unseen: that is no reason.
constexpr std::array<const PlainCondition*, 7> kBind{&model::window_type_fits<Plain>,
    &model::bind_region_same_pd<Plain>, &model::bind_qp_same_pd<Plain>, &model::bind_right<Plain>,
    &model::bind_has_local_write<Plain>, &model::bind_in_bounds<Plain>,
    &model::bind_not_empty<Plain>};

/// The conditions that do not hold. Of a key that nobody has nothing else is said.
void ask(const auto& conditions, const PlainView& view, Reason reason,
         std::vector<Reason>& reasons) {
  for (const PlainCondition* condition : conditions) {
    if (condition->holds(view).truth()) continue;
    reason.condition = condition;
    reasons.push_back(reason);
    if (reason.of_key()) return;
  }
}

}  // namespace

World::World() {
  // Nothing is known of what the device claims, and of the program's memory but that it is there.
  state.defined = model::kDefinedAccess;
  state.can.claimed = model::kFeatureFlags;
  state.can.max_message = ~std::uint64_t{0};
  state.can.features = model::kAtomics;
  state.buffers[0].last = ~std::uint64_t{0};
}

/// Hands over the slot of each window that the request changes.
void World::change_windows_of(const Request& request, auto&& change) {
  if (request.bind) return change(request.bind->mw);
  for (const auto slot : live_windows)
    if (const auto& w = state.windows.at(slot);
        (w.live & w.two & (w.rkey == request.rkey)).truth())
      change(slot);
}

void World::begin_change(const Request& request) {
  change_windows_of(request, [&](std::uint32_t slot) {
    ++windows[slot].pending;
    state.windows.change(slot, [](auto& w) { w.undefined = true; });
  });
}

void World::end_change(const Request& request, bool done) {
  change_windows_of(request, [&](std::uint32_t slot) {
    // An invalidation that was posted before its bind was over was not counted when it began.
    windows[slot].pending = std::max(0, windows[slot].pending - 1);
    const bool last = windows[slot].pending == 0;
    const bool known = done && last && (!request.bind || request.rkey.value() != 0);
    if (!state.windows.at(slot).live.truth() || !known) return;
    if (!request.bind) {
      state.windows.change(slot, [](auto& w) { w.bound = w.undefined = false; });
      return;
    }
    model::Result<Plain> result;
    result.rkey = request.rkey;
    const auto& rule =
        *model::linux_rulebook().rules(request.verb, model::Outcome::ok).front();
    rule.effect({state, *request.bind, result}, state);
  });
}

void World::doubt_windows(std::uint32_t qp_slot) {
  for (const auto slot : live_windows)
    if (const auto& w = state.windows.at(slot);
        (w.two & w.bound & (w.qp == Plain::slot(qp_slot))).truth())
      state.windows.change(slot, [](auto& doubted) { doubted.undefined = true; });
}

void World::end_windows_of(Plain::Key rkey) {
  for (const auto slot : live_windows)
    if (const auto& w = state.windows.at(slot); (w.live & (w.rkey == rkey)).truth())
      state.windows.change(slot, [](auto& old) { old.live = old.bound = false; });
}

void World::doubt_window(Plain::Key rkey) {
  for (const auto slot : live_windows)
    if ((state.windows.at(slot).rkey == rkey).truth())
      state.windows.change(slot, [](auto& w) { w.undefined = true; });
}

bool World::is_doubtful(Plain::Key rkey) const {
  bool known = by_rkey.contains(low(rkey.value())), any_undefined = false;
  for (const auto slot : live_windows) {
    const auto& w = state.windows.at(slot);
    if (!w.live.truth()) continue;
    if (!w.undefined.truth())
      known |= (w.rkey == rkey).truth();
    else if ((model::key_index(w.rkey) == model::key_index(rkey)).truth())
      return true;
    else
      any_undefined = true;
  }
  return any_undefined && !known;  // a bind under way may have made it
}

bool Reason::of_key() const {
  return condition == kLocal.front() || condition == kRemote.front();
}

Plain::Address Request::length() const {
  Plain::Address all = 0;
  for (const auto& element : elements) all = all + element.length;
  return all;
}

std::string_view Request::name() const {
  return model::kVerbNames.at(static_cast<std::size_t>(verb));
}

std::string Request::description() const {
  if (bind)
    return fmt::format("{} of {} bytes from {:#x} on, access {:#x}", name(), bind->length.value(),
                       bind->address.value(), bind->access.value());
  auto text = fmt::format("{} of {} bytes", name(), length().value());
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < std::min(elements.size(), kShown); ++i)
    text += fmt::format(", {:#x}+{} lkey {:#x}", elements[i].address.value(),
                        elements[i].length.value(), elements[i].lkey.value());
  if (elements.size() > kShown)
    text += fmt::format(", and {} elements more", elements.size() - kShown);
  if (is_remote(verb))
    text += fmt::format(", remote {:#x} rkey {:#x}", remote.value(), rkey.value());
  return text;
}

std::string End::name() const {
  return is_srq ? "shared receive queue" : fmt::format("queue pair {:#x}", number);
}

std::vector<Reason> reasons_against(const End& end, const Request& request, const End* peer) {
  static const model::Result<Plain> nothing;
  std::vector<Reason> reasons;
  model::Call<Plain> call;
  call.verb = request.verb;
  for (const auto& element : request.elements) {
    if (request.inlined || !request.judged) break;
    call.qp = end.slot;
    call.lkey = element.lkey;
    call.address = element.address;
    call.length = element.length;
    ask(kLocal, {end.world->state, call, nothing}, {nullptr, false, element}, reasons);
  }
  // Whether it is the PD of the shared queue or of the queue pair that counts is not written.
  if (end.is_srq)
    std::erase_if(reasons, [](const Reason& r) { return r.condition == kLocal[1]; });
  if (request.bind) {
    auto asked = *request.bind;
    asked.qp = end.slot;
    const auto& region = end.world->state.regions.at(asked.mr);
    ask(kBind, {end.world->state, asked, nothing},
        {nullptr, false, {region.lkey, asked.address, asked.length}}, reasons);
  }
  if (peer == nullptr || !is_remote(request.verb) || peer->world->is_doubtful(request.rkey))
    return reasons;
  call.qp = peer->slot + 1;
  call.length = request.length();
  call.rkey = request.rkey;
  call.remote = request.remote;
  const PlainView view{peer->world->state, call, nothing};
  const Reason reason{nullptr, true, {request.rkey, request.remote, call.length}};
  // Drivers give all regions without a remote right the key 0: which one is meant is not told.
  if (request.rkey.value() == 0 && peer->world->by_rkey.contains(0))
    ask(std::array{kRemote[2]}, view, reason, reasons);
  else
    ask(kRemote, view, reason, reasons);
  return reasons;
}

std::vector<const PlainCondition*> broken_by(const World& world, const model::Call<Plain>& call) {
  const model::Result<Plain> success;
  const auto& rule = *model::linux_rulebook().rules(call.verb, model::Outcome::ok).front();
  const PlainView view{world.state, call, success};
  std::vector<const PlainCondition*> broken;
  for (const auto& term : rule.requires_all)
    if (term.condition->about == model::About::situation &&
        term.condition->holds(view).truth() != term.holds)
      broken.push_back(term.condition);
  return broken;
}

}  // namespace mrproof::watch
