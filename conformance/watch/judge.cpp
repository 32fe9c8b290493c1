#include "conformance/watch/judge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mrproof::watch {
namespace {

using model::Verb;

enum IbvState : std::uint64_t { kReset = 0, kRts = 3, kError = 6 };
constexpr std::uint64_t kMaskState = 1, kMaskAccess = 1U << 3U, kMaskPeer = 1U << 20U;
constexpr std::uint64_t kTypeRc = 2;

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); }

Life life_of(const Event& e) { return {e.pid, e.record.object, e.record.caller, 0, true}; }

}  // namespace

void Judge::take(const Event& event) {
  ++counts_.events;
  switch (event.record.kind) {
    case Kind::open_device: return open_device(event);
    case Kind::alloc_pd: return alloc_pd(event);
    case Kind::dealloc_pd: return dealloc_pd(event);
    case Kind::reg_mr: return reg_mr(event);
    case Kind::dereg_mr: return dereg_mr(event);
    case Kind::create_qp: return create_qp(event);
    case Kind::modify_qp: return modify_qp(event);
    case Kind::destroy_qp: return destroy_qp(event);
    case Kind::post_send:
    case Kind::post_recv: return post(event);
    case Kind::refused: return refused(event);
    case Kind::completion: return completion(event);
    case Kind::unmap: return unmap(event);
    case Kind::exit: return leave(event);
    default: return pass(event);
  }
}

/// What is not looked at, and what it makes uncertain.
void Judge::pass(const Event& event) {
  if (event.record.kind != Kind::passed) return;
  ++counts_.passed;
  const auto what = static_cast<Passed>(event.record.words[0]);
  if (what == Passed::alloc_mw)
    for (auto& [name, world] : worlds_) world->has_windows = true;
  const auto region = regions_.find({event.pid, event.record.object});
  if (what != Passed::rereg_mr || region == regions_.end()) return;
  // It has other keys, perhaps, and another range.
  auto& [world, slot] = region->second;
  const auto forget = [&](auto& keys) {
    std::erase_if(keys, [&](const auto& entry) { return entry.second == slot; });
  };
  forget(world->by_lkey);
  forget(world->by_rkey);
  world->state.regions.change(slot, [](auto& r) { r.live = false; });
}

void Judge::open_device(const Event& event) {
  std::string name(reinterpret_cast<const char*>(event.record.words.data()),
                   sizeof event.record.words);
  auto& world = worlds_[name.substr(0, name.find('\0'))];
  if (world == nullptr) world = std::make_unique<World>();
  contexts_[{event.pid, event.record.object}] = world.get();
}

/// The world of a device that was opened before the program was watched has no name.
World& Judge::world_of(const Event& event, std::uint64_t context) {
  if (const auto found = contexts_.find({event.pid, context}); found != contexts_.end())
    return *found->second;
  auto& world = worlds_[""];
  if (world == nullptr) world = std::make_unique<World>();
  return *world;
}

void Judge::alloc_pd(const Event& event) {
  if (event.record.object == 0) return;
  ++counts_.judged;
  World& world = world_of(event, event.record.words[0]);
  const auto slot = static_cast<std::uint32_t>(world.domains.size());
  world.domains.push_back(life_of(event));
  world.state.pds.change(slot, [](auto& pd) { pd.live = true; });
  domains_[{event.pid, event.record.object}] = {&world, slot};
}

void Judge::dealloc_pd(const Event& event) {
  const auto found = domains_.find({event.pid, event.record.object});
  if (found == domains_.end()) return;
  ++counts_.judged;
  auto& [world, slot] = found->second;
  model::Call<Plain> call;
  call.verb = Verb::dealloc_pd;
  call.pd = slot;
  const auto broken = broken_by(*world, call);
  if (event.record.result != 0 && broken.empty()) ++counts_.unknown;
  if (event.record.result != 0 && !broken.empty()) {
    auto& finding = tell(Whose::program, event, fmt::format("dealloc_pd.{}", broken[0]->id),
                         "ibv_dealloc_pd() of a PD that is in use",
                         fmt::format("it does not hold that {}", broken[0]->sentence));
    finding.remedy = remedy_of(*broken[0]);
    finding.clauses = broken[0]->clauses;
    finding.objects = {"PD, allocated by " + origin(world->domains[slot])};
  }
  if (event.record.result != 0) return;
  world->domains[slot].live = false;
  world->state.pds.change(slot, [](auto& pd) { pd.live = false; });
  domains_.erase(found);
}

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
    auto& finding = tell(refused ? Whose::program : Whose::provider, event,
                         fmt::format("reg_mr.{}", broken[0]->id),
                         fmt::format("registration of {:#x}, {} bytes, access {:#x}: {}", words[1],
                                     words[2], words[5], refused ? "refused" : "accepted"),
                         fmt::format("it does not hold that {}", broken[0]->sentence));
    finding.clauses = broken[0]->clauses;
    if (refused) finding.remedy = remedy_of(*broken[0]);
  }
  if (refused) return;
  model::Result<Plain> result;
  result.lkey = Plain::key(low(words[4]));
  result.rkey = Plain::key(high(words[4]));
  const auto& rule = *model::linux_rulebook().rules(call.verb, model::Outcome::ok).front();
  rule.effect({world.state, call, result}, world.state);
  world.regions.push_back(life_of(event));
  world.by_lkey[low(words[4])] = world.by_rkey[high(words[4])] = call.mr;
  regions_[{event.pid, event.record.object}] = {&world, call.mr};
}

void Judge::dereg_mr(const Event& event) {
  const auto found = regions_.find({event.pid, event.record.object});
  if (found == regions_.end()) return;
  ++counts_.judged;
  if (event.record.result != 0) {
    ++counts_.unknown;
    return;
  }
  auto& [world, slot] = found->second;
  world->regions[slot].live = false;
  world->regions[slot].ended_by = event.record.caller;
  world->state.regions.change(slot, [](auto& region) { region.live = false; });
  regions_.erase(found);
}

void Judge::create_qp(const Event& event) {
  const auto& words = event.record.words;
  const auto domain = domains_.find({event.pid, words[0]});
  if (event.record.object == 0 || domain == domains_.end()) return;
  ++counts_.judged;
  World& world = *domain->second.world;
  End end;
  end.life = life_of(event);
  end.world = &world;
  end.slot = static_cast<std::uint32_t>(2 * world.ends.size());
  end.number = low(words[1]);
  end.is_rc = (words[2] & 0xffU) == kTypeRc;
  end.send_cq = words[3];
  end.receive_cq = words[4];
  world.state.qps.change(end.slot, [&](auto& qp) {
    qp.live = true;
    qp.pd = Plain::slot(domain->second.slot);
    qp.state = Plain::small(model::QpState::other);
    qp.access = model::kPairRights;  // until the program says something else
  });
  ends_[{event.pid, event.record.object}] = {&world, end.slot / 2};
  world.ends.push_back(std::move(end));
}

void Judge::modify_qp(const Event& event) {
  End* end = find_end({event.pid, event.record.object});
  if (end == nullptr || event.record.result != 0) return;
  ++counts_.judged;
  const auto& [mask, state, access, peer, a, b, c, d] = event.record.words;
  if ((mask & kMaskPeer) != 0) end->peer_number = low(peer), end->connected = true;
  if ((mask & kMaskState) != 0) {
    end->state = state;
    if (state == kReset) {
      end->sends.clear();
      end->receives.clear();
      end->connected = false;
    }
  }
  const auto rights = low(access) & model::kPairRights;
  end->world->state.qps.change(end->slot, [&](auto& qp) {
    if ((mask & kMaskAccess) != 0) qp.access = Plain::flags(rights);
    if ((mask & kMaskState) == 0) return;
    qp.state = Plain::small(state == kRts     ? model::QpState::rts
                            : state == kError ? model::QpState::err
                                              : model::QpState::other);
  });
}

void Judge::destroy_qp(const Event& event) {
  End* end = find_end({event.pid, event.record.object});
  if (end == nullptr || event.record.result != 0) return;
  ++counts_.judged;
  end->life.live = false;
  end->sends.clear();
  end->receives.clear();
  end->world->state.qps.change(end->slot, [](auto& qp) { qp.live = false; });
  ends_.erase({event.pid, event.record.object});
}

/// Memory of a region went away. The device goes on using the pages that it has.
void Judge::unmap(const Event& event) {
  const auto& [address, length, a, b, c, d, e, f] = event.record.words;
  for (const auto& [name, place] : regions_) {
    const auto& region = place.world->state.regions.at(place.slot);
    const auto first = region.memory.value();
    const auto last = first + (region.last - region.first).value();
    if (name.first != event.pid || first >= address + length || last < address ||
        region.empty.truth() || (region.access & model::kOnDemand).value() != 0)
      continue;
    auto& finding =
        tell(Whose::program, event, "munmap.registered_memory",
             fmt::format("munmap() of {:#x}, {} bytes", address, length),
             "a region that is registered still has pages there: what is mapped there next is not "
             "what the device sees");
    finding.objects = {fmt::format("region [{:#x}, {:#x}], registered by {}", first, last,
                                   origin(place.world->regions[place.slot]))};
    finding.remedy = "deregister the region before its memory is unmapped";
    finding.clauses = "gap.memory_unmapped_later";
  }
}

/// The program ends by itself: what it has made and not destroyed.
void Judge::leave(const Event& event) {
  const auto leak = [&](const Life& life, const char* kind, const char* verb) {
    if (!life.live || life.pid != event.pid) return;
    Event of = event;
    of.record.caller = life.made_by;
    auto& finding = tell(Whose::program, of, fmt::format("exit.{}_left", kind),
                         fmt::format("the program ends with a {} that it made", kind),
                         "nobody has destroyed it");
    finding.remedy = fmt::format("call {}()", verb);
  };
  for (auto& [device, world] : worlds_) {
    for (const auto& end : world->ends) leak(end.life, "queue_pair", "ibv_destroy_qp");
    for (const auto& region : world->regions) leak(region, "region", "ibv_dereg_mr");
    for (const auto& domain : world->domains) leak(domain, "PD", "ibv_dealloc_pd");
  }
}

End* Judge::find_end(Name name) {
  const auto found = ends_.find(name);
  return found == ends_.end() ? nullptr : &found->second.world->ends.at(found->second.slot);
}

}  // namespace mrproof::watch
