// Memory windows: what a bind asks for takes effect when its completion is seen, and until then
// nothing is said of the window.
#include <infiniband/verbs.h>

#include <algorithm>

#include "conformance/watch/judge.hpp"

namespace mrproof::watch {

using model::Verb;

void Judge::alloc_mw(const Event& event) {
  const auto& words = event.record.words;
  const auto domain = domains_.find({event.pid, words[0]});
  if (event.record.object == 0 || domain == domains_.end()) return;
  ++counts_.judged;
  World& world = *domain->second.world;
  model::Call<Plain> call;
  call.verb = Verb::alloc_mw;
  call.pd = domain->second.slot;
  call.mw = static_cast<std::uint32_t>(world.windows.size());
  call.option = words[2] == IBV_MW_TYPE_2 ? model::kTypeTwo : 0;
  model::Result<Plain> result;
  result.rkey = Plain::key(low(words[1]));
  world.end_windows_of(result.rkey);
  if (const auto old = world.by_rkey.find(low(words[1])); old != world.by_rkey.end())
    end_region(world, old->second, {});
  const auto& rule = *model::linux_rulebook().rules(call.verb, model::Outcome::ok).front();
  rule.effect({world.state, call, result}, world.state);
  world.live_windows.insert(call.mw);
  world.windows.push_back({life_of(event), 0});
  windows_[{event.pid, event.record.object}] = {&world, call.mw};
}

void Judge::dealloc_mw(const Event& event) {
  const auto found = windows_.find({event.pid, event.record.object});
  if (found == windows_.end()) return;
  ++counts_.judged;
  if (event.record.result != 0) {
    ++counts_.unknown;
    return;
  }
  auto& [world, slot] = found->second;
  mark_ended(world->windows[slot].life, site_of(event));
  world->live_windows.erase(slot);
  world->state.windows.change(
      slot, [](auto& window) { window.live = window.bound = window.undefined = false; });
  windows_.erase(found);
}

/// The request of a bind. What names a window or a region that nobody was seen to make is not
/// looked at; the window, if there is one, stays in doubt.
void Judge::take_bind(const Event& event, const End& end, Request& request) const {
  const auto& words = event.record.words;
  request.verb = event.record.kind == Kind::bind_mw ? Verb::bind_mw : Verb::post_bind_mw;
  request.rkey = Plain::key(high(words[6]));
  request.judged = false;
  const auto window = windows_.find({event.pid, words[2]});
  if (window == windows_.end() || window->second.world != end.world) return;
  const auto region = regions_.find({event.pid, words[3]});
  const bool known = region != regions_.end() && region->second.world == end.world;
  auto& call = request.bind.emplace();
  call.verb = request.verb;
  call.mw = window->second.slot;
  call.qp = end.slot;
  call.address = words[4];
  call.length = words[5];
  call.access = Plain::flags(low(words[6]));
  call.rkey = request.rkey;
  if (known) call.mr = region->second.slot;
  request.judged = known;
  if (!known) request.rkey = Plain::key(0);  // what it stands for is never known
}

/// The key that a window of type 1 has from now on.
void Judge::bound(const Event& event) {
  const auto found = windows_.find({event.pid, event.record.object});
  if (found == windows_.end()) return;
  for (End& end : found->second.world->ends) {
    const auto last = std::find_if(end.sends.rbegin(), end.sends.rend(), [&](const Request& r) {
      return r.bind && r.judged && r.verb == Verb::bind_mw && r.rkey.value() == 0 &&
             r.bind->mw == found->second.slot;
    });
    if (last != end.sends.rend() && last->tid == event.tid)
      last->rkey = Plain::key(low(event.record.words[0]));
  }
}

}  // namespace mrproof::watch
