// Memory regions: registered, changed, deregistered, and their memory unmapped under them.
#include <fmt/format.h>
#include <infiniband/verbs.h>

#include <algorithm>

#include "conformance/watch/extract.hpp"
#include "conformance/watch/judge.hpp"
#include "model/conditions/windows.hpp"

namespace mrproof::watch {
namespace {

using model::Verb;

void name_by_keys(World& world, std::uint32_t slot) {
  const auto region = world.state.regions.at(slot);
  world.by_lkey[low(region.lkey.value())] = world.by_rkey[low(region.rkey.value())] = slot;
}

/// Codes of ibv_rereg_mr(3).
bool is_renewed(std::int32_t code) { return code == 0 || code == IBV_REREG_MR_ERR_DO_FORK_OLD; }
bool is_kept(std::int32_t code) {
  return code == IBV_REREG_MR_ERR_INPUT || code == IBV_REREG_MR_ERR_DONT_FORK_NEW;
}

}  // namespace

void Judge::reg_mr(const Event& event) {
  const auto& words = event.record.words;
  const auto domain = domains_.find({event.pid, words[0]});
  if (domain == domains_.end()) return;
  ++counts_.judged;
  World& world = *domain->second.world;
  model::Call<Plain> call;
  call.verb = words[3] == words[1] ? Verb::reg_mr : Verb::reg_mr_iova;
  call.pd = domain->second.slot;
  call.mr = static_cast<std::uint32_t>(world.regions.size());
  call.address = words[1];
  call.length = words[2];
  call.iova = words[3];
  call.access = Plain::flags(low(words[5]));
  const auto broken = broken_by(world, call);
  const bool refused = event.record.object == 0;
  if (refused && broken.empty()) ++counts_.unknown;
  if (!broken.empty()) {
    // Both verbs of a registration are the same call to a programmer.
    auto& finding = tell_broken(
        refused ? Whose::program : Whose::provider, event, Verb::reg_mr,
        fmt::format("registration of {:#x}, {} bytes, access {:#x}: {}", words[1], words[2],
                    words[5], refused ? "refused" : "accepted"),
        *broken[0]);
    if (!refused && finding.count == 1) add_trace(finding, cut_out(world, call, *broken[0]));
  }
  if (!refused) note_region(event, world, call);
}

void Judge::note_region(const Event& event, World& world, const model::Call<Plain>& call) {
  take_keys(world, call.mr, event.record.words[4]);
  model::Result<Plain> result;
  result.lkey = Plain::key(low(event.record.words[4]));
  result.rkey = Plain::key(high(event.record.words[4]));
  const auto& rule = *model::linux_rulebook().rules(call.verb, model::Outcome::ok).front();
  rule.effect({world.state, call, result}, world.state);
  world.regions.push_back(life_of(event));
  regions_[{event.pid, event.record.object}] = {&world, call.mr};
  if (world.state.regions.at(call.mr).undefined.truth())
    world.state.regions.change(call.mr, [](auto& region) { region.live = false; });
  else
    name_by_keys(world, call.mr);
}

/// A key names one region of a device: who else had it has been killed, or has lost it unseen.
void Judge::take_keys(World& world, std::uint32_t slot, std::uint64_t keys) {
  const auto end_other = [&](const auto& names, std::uint32_t key, auto member) {
    const auto old = names.find(key);
    if (key == 0 || old == names.end() || old->second == slot) return;
    // One that was re-registered may have another key now.
    const auto region = world.state.regions.at(old->second);
    if (low((region.*member).value()) == key) end_region(world, old->second, {});
  };
  end_other(world.by_lkey, low(keys), &model::Region<Plain>::lkey);
  end_other(world.by_rkey, high(keys), &model::Region<Plain>::rkey);
  world.end_windows_of(Plain::key(high(keys)));
}

void Judge::rereg_mr(const Event& event) {
  const auto found = regions_.find({event.pid, event.record.object});
  if (found == regions_.end()) return;
  ++counts_.judged;
  const Place place = found->second;
  World& world = *place.world;
  const auto& words = event.record.words;
  model::Call<Plain> call;
  call.verb = Verb::rereg_mr;
  call.mr = place.slot;
  call.flags = Plain::flags(low(words[0]));
  call.address = words[2];
  call.length = words[3];
  call.access = Plain::flags(low(words[5]));
  if ((words[0] & IBV_REREG_MR_CHANGE_PD) != 0) {
    const auto domain = domains_.find({event.pid, words[1]});
    // Nobody saw the PD being made: where the region is now is not known.
    if (domain == domains_.end() || domain->second.world != &world)
      return end_region(world, place.slot, {});
    call.pd = domain->second.slot;
  }
  const auto code = event.record.result;
  auto broken = broken_by(world, call);
  // Whether a region may be changed under a window is not written (gap.rereg_with_windows).
  if (is_renewed(code)) std::erase(broken, &model::no_bound_window<Plain>);
  if (code != 0 && broken.empty()) ++counts_.unknown;
  if (!broken.empty())
    tell_broken(
        code == 0 ? Whose::provider : Whose::program, event, Verb::rereg_mr,
        fmt::format("change {:#x} of a region to {:#x}, {} bytes, access {:#x}: {}", words[0],
                    words[2], words[3], words[5], code == 0 ? "accepted" : "refused"),
        *broken[0]);
  if (is_renewed(code))
    change_region(event, place, call);
  else if (!is_kept(code))  // it may only be deregistered
    end_region(world, place.slot, {});
}

void Judge::change_region(const Event& event, const Place& place, const model::Call<Plain>& call) {
  World& world = *place.world;
  take_keys(world, call.mr, event.record.words[4]);
  model::Result<Plain> result;
  result.lkey = Plain::key(low(event.record.words[4]));
  result.rkey = Plain::key(high(event.record.words[4]));
  const auto& rule = *model::linux_rulebook().find("rereg_mr.ok_while_bound");
  rule.effect({world.state, call, result}, world.state);
  Life& life = world.regions[call.mr];
  life.changed_by = site_of(event);
  if ((call.flags & model::kChangeTranslation).value() != 0)
    life.unmapped_first = life.unmapped_last = 0;
  name_by_keys(world, call.mr);
}

void Judge::end_region(World& world, std::uint32_t slot, const Site& site) {
  Life& life = world.regions[slot];
  if (!life.live) return;
  mark_ended(life, site);
  world.state.regions.change(slot, [](auto& region) { region.live = false; });
  const auto found = regions_.find({life.pid, life.object});
  if (found != regions_.end() && found->second.world == &world && found->second.slot == slot)
    regions_.erase(found);
}

void Judge::dereg_mr(const Event& event) {
  const auto found = regions_.find({event.pid, event.record.object});
  if (found == regions_.end()) return;
  ++counts_.judged;
  const auto place = found->second;
  if (event.record.result == 0) return end_region(*place.world, place.slot, site_of(event));
  model::Call<Plain> call;
  call.verb = Verb::dereg_mr;
  call.mr = place.slot;
  const auto broken = broken_by(*place.world, call);
  if (broken.empty()) {
    ++counts_.unknown;
    return;
  }
  auto& finding = tell_broken(Whose::program, event, Verb::dereg_mr,
                              "ibv_dereg_mr() of a region that windows are bound to: refused",
                              *broken[0]);
  if (finding.count > 1) return;
  const Life& life = place.world->regions[place.slot];
  finding.objects = {involved("region", life, "region, registered by " + origin(life))};
}

/// Memory of a region went away: the device goes on using the pages that it has. Caches of
/// regions deregister later, which harms nobody; whoever uses the memory again is told.
void Judge::unmap(const Event& event) {
  const auto address = event.record.words[0], end = address + event.record.words[1];
  for (auto it = regions_.lower_bound({event.pid, 0});
       it != regions_.end() && it->first.first == event.pid; ++it) {
    const auto& region = it->second.world->state.regions.at(it->second.slot);
    const auto first = region.memory.value();
    const auto last = first + (region.last - region.first).value();
    if (first >= end || last < address || region.empty.truth() ||
        (region.access & model::kOnDemand).value() != 0)
      continue;
    Life& life = it->second.world->regions[it->second.slot];
    life.unmapped_first = std::max(first, address);
    life.unmapped_last = std::min(last, end - 1);
    life.unmapped_by = site_of(event);
  }
}

}  // namespace mrproof::watch
