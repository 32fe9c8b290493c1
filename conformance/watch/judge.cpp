#include "conformance/watch/judge.hpp"

#include <fmt/format.h>
#include <infiniband/verbs.h>

#include <algorithm>

namespace mrproof::watch {
namespace {

using model::Verb;

Life life_of(const Event& e) {
  Life life{e.pid, e.record.object, e.record.words[0], e.record.caller};
  life.made = e.record.time;
  return life;
}

}  // namespace

void Judge::take(const Event& event) {
  ++counts_.events;
  now_ = event.record.time;
  switch (event.record.kind) {
    case Kind::open_device: return open_device(event);
    case Kind::alloc_pd: return alloc_pd(event);
    case Kind::dealloc_pd: return dealloc_pd(event);
    case Kind::reg_mr: return reg_mr(event);
    case Kind::dereg_mr: return dereg_mr(event);
    case Kind::create_qp: return create_qp(event);
    case Kind::modify_qp: return modify_qp(event);
    case Kind::create_srq: return create_srq(event);
    case Kind::destroy_qp:
    case Kind::destroy_srq: return destroy_queue(event);
    case Kind::alloc_mw: return alloc_mw(event);
    case Kind::dealloc_mw: return dealloc_mw(event);
    case Kind::bound: return bound(event);
    case Kind::bind_mw:
    case Kind::post_send:
    case Kind::post_recv: return post(event);
    case Kind::refused: return refused(event);
    case Kind::completion: return completion(event);
    case Kind::unmap: return unmap(event);
    case Kind::close_device: return close_device(event);
    case Kind::exit: left_.insert(event.pid); return;
    default: return pass(event);
  }
}

/// What is not looked at, and what it makes uncertain.
void Judge::pass(const Event& event) {
  if (event.record.kind != Kind::passed) return;
  ++counts_.passed;
  const auto what = static_cast<Passed>(event.record.words[0]);
  if (what == Passed::extended_cq) extended_cqs_.insert({event.pid, event.record.object});
  const auto found = regions_.find({event.pid, event.record.object});
  if (what != Passed::rereg_mr || found == regions_.end()) return;
  // It has other keys, perhaps, and another range.
  auto& [world, slot] = found->second;
  const auto region = world->state.regions.at(slot);
  world->by_lkey.erase(low(region.lkey.value()));
  world->by_rkey.erase(low(region.rkey.value()));
  end_region(*world, slot, 0);
}

void Judge::open_device(const Event& event) {
  std::string name(reinterpret_cast<const char*>(event.record.words.data()),
                   sizeof event.record.words);
  auto& world = worlds_[name.substr(0, name.find('\0'))];
  if (world == nullptr) world = std::make_unique<World>();
  contexts_[{event.pid, event.record.object}] = world.get();
}

/// What was made in the context and not destroyed is gone with it.
void Judge::close_device(const Event& event) {
  if (event.record.result != 0) return;
  contexts_.erase({event.pid, event.record.object});
  for (auto it = domains_.begin(); it != domains_.end();) {
    auto& [world, slot] = it->second;
    const Life domain = world->domains[slot];
    if (it->first.first != event.pid || domain.parent != event.record.object) {
      ++it;
      continue;
    }
    for (std::uint32_t r = 0; r < world->regions.size(); ++r)
      if (world->regions[r].pid == event.pid && world->regions[r].parent == domain.object)
        end_region(*world, r, event.record.caller);
    for (End& end : world->ends)
      if (end.life.pid == event.pid && end.life.parent == domain.object) end_qp(end);
    for (std::uint32_t w = 0; w < world->windows.size(); ++w)
      if (Life& life = world->windows[w].life;
          life.live && life.pid == event.pid && life.parent == domain.object) {
        mark_ended(life, event.record.caller);
        world->live_windows.erase(w);
        world->state.windows.change(w, [](auto& window) { window.live = window.bound = false; });
        windows_.erase({life.pid, life.object});
      }
    mark_ended(world->domains[slot], event.record.caller);
    it = domains_.erase(it);
  }
}

void Judge::alloc_pd(const Event& event) {
  const auto context = contexts_.find({event.pid, event.record.words[0]});
  // Of a device that was opened unseen it is not known which it is.
  if (event.record.object == 0 || context == contexts_.end()) return;
  ++counts_.judged;
  World& world = *context->second;
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
    if (finding.count > 1) return;
    finding.remedy = remedy_of(*broken[0]);
    finding.clauses = broken[0]->clauses;
    const Life& life = world->domains[slot];
    finding.objects = {involved("PD", life, "PD, allocated by " + origin(life))};
  }
  if (event.record.result != 0) return;
  mark_ended(world->domains[slot], event.record.caller);
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
  if (!refused) note_region(event, world, call);
}

void Judge::note_region(const Event& event, World& world, const model::Call<Plain>& call) {
  const auto lkey = low(event.record.words[4]), rkey = high(event.record.words[4]);
  // A key names one region of a device: who had it has been killed, or has lost it unseen.
  for (const auto* keys : {&world.by_lkey, &world.by_rkey})
    if (const auto old = keys->find(keys == &world.by_lkey ? lkey : rkey);
        old != keys->end() && old->first != 0)
      end_region(world, old->second, 0);
  world.end_windows_of(Plain::key(rkey));
  model::Result<Plain> result;
  result.lkey = Plain::key(lkey);
  result.rkey = Plain::key(rkey);
  const auto& rule = *model::linux_rulebook().rules(call.verb, model::Outcome::ok).front();
  rule.effect({world.state, call, result}, world.state);
  world.regions.push_back(life_of(event));
  regions_[{event.pid, event.record.object}] = {&world, call.mr};
  if (world.state.regions.at(call.mr).undefined.truth()) {
    world.state.regions.change(call.mr, [](auto& region) { region.live = false; });
    return;
  }
  world.by_lkey[lkey] = world.by_rkey[rkey] = call.mr;
}

void Judge::mark_ended(Life& life, std::uint64_t caller) const {
  life.live = false;
  life.ended = now_;
  life.ended_by = caller;
}

void Judge::end_region(World& world, std::uint32_t slot, std::uint64_t caller) {
  Life& life = world.regions[slot];
  if (!life.live) return;
  mark_ended(life, caller);
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
  if (event.record.result == 0) return end_region(*place.world, place.slot, event.record.caller);
  model::Call<Plain> call;
  call.verb = Verb::dereg_mr;
  call.mr = place.slot;
  const auto broken = broken_by(*place.world, call);
  if (broken.empty()) {
    ++counts_.unknown;
    return;
  }
  auto& finding = tell(Whose::program, event, fmt::format("dereg_mr.{}", broken[0]->id),
                       "ibv_dereg_mr() of a region that windows are bound to: refused",
                       fmt::format("it does not hold that {}", broken[0]->sentence));
  if (finding.count > 1) return;
  finding.remedy = remedy_of(*broken[0]);
  finding.clauses = broken[0]->clauses;
  const Life& life = place.world->regions[place.slot];
  finding.objects = {involved("region", life, "region, registered by " + origin(life))};
}

void Judge::create_qp(const Event& event) {
  const auto& words = event.record.words;
  const auto domain = domains_.find({event.pid, words[0]});
  if (event.record.object == 0 || domain == domains_.end()) return;
  ++counts_.judged;
  End& end = add_end(event, domain->second);
  World& world = *end.world;
  end.number = low(words[1]);
  end.is_rc = (words[2] & 0xffU) == IBV_QPT_RC;
  end.signals_all = (words[2] >> 8U) != 0;
  end.send_cq = words[3];
  end.receive_cq = words[4];
  end.srq = words[6];
  // A number names one queue pair of a device.
  for (auto [it, last] = by_number_.equal_range(end.number); it != last;) {
    const Place place = (it++)->second;
    if (place.world == &world) end_qp(end_at(place));
  }
  const Place place{&world, end.slot};
  by_number_.emplace(end.number, place);
  for (const auto cq : {end.send_cq, end.receive_cq}) by_cq_[{event.pid, cq, end.number}] = place;
}

/// One more queue pair, or what is like one.
End& Judge::add_end(const Event& event, const Place& domain) {
  World& world = *domain.world;
  End& end = world.ends.emplace_back();
  end.life = life_of(event);
  end.world = &world;
  end.slot = static_cast<std::uint32_t>(2 * (world.ends.size() - 1));
  world.state.qps.change(end.slot, [&](auto& qp) {
    qp.live = true;
    qp.pd = Plain::slot(domain.slot);
    qp.state = Plain::small(model::QpState::other);
    qp.access = model::kPairRights;  // until the program says something else
  });
  ends_[{event.pid, event.record.object}] = {&world, end.slot};
  return end;
}

void Judge::create_srq(const Event& event) {
  const auto domain = domains_.find({event.pid, event.record.words[0]});
  if (event.record.object == 0 || domain == domains_.end()) return;
  ++counts_.judged;
  add_end(event, domain->second).is_srq = true;
}

void Judge::modify_qp(const Event& event) {
  End* end = find_end({event.pid, event.record.object});
  if (end == nullptr || event.record.result != 0) return;
  ++counts_.judged;
  const auto& words = event.record.words;
  const auto mask = words[0];
  const auto state = low(words[1]);
  end->state_known = end->state_known && mask != 0;
  if ((mask & IBV_QP_DEST_QPN) != 0) end->peer_number = low(words[2]), end->connected = true;
  if ((mask & IBV_QP_AV) != 0)
    end->peer_gid = {words[3], words[4]}, end->gid = {words[5], words[6]};
  if ((mask & IBV_QP_ACCESS_FLAGS) != 0) end->modified = words[7];
  if ((mask & IBV_QP_STATE) != 0) {
    end->state = state;
    if (state == IBV_QPS_RESET || state == IBV_QPS_ERR) end->world->doubt_windows(end->slot);
    if (state == IBV_QPS_RESET) {
      end->sends.clear();
      end->receives.clear();
      end->connected = false;
    }
  }
  const auto rights = high(words[1]) & model::kPairRights;
  end->world->state.qps.change(end->slot, [&](auto& qp) {
    if ((mask & IBV_QP_ACCESS_FLAGS) != 0) qp.access = Plain::flags(rights);
    if ((mask & IBV_QP_STATE) == 0) return;
    qp.state = Plain::small(state == IBV_QPS_RTS   ? model::QpState::rts
                            : state == IBV_QPS_ERR ? model::QpState::err
                                              : model::QpState::other);
  });
}

void Judge::destroy_queue(const Event& event) {
  End* end = find_end({event.pid, event.record.object});
  if (end == nullptr || event.record.result != 0) return;
  ++counts_.judged;
  end_qp(*end);
}

void Judge::end_qp(End& end) {
  if (!end.life.live) return;
  mark_ended(end.life, 0);
  end.world->doubt_windows(end.slot);
  end.sends.clear();
  end.receives.clear();
  end.world->state.qps.change(end.slot, [](auto& qp) { qp.live = false; });
  const auto is_it = [&](const auto& entry) {
    return entry.second.world == end.world && entry.second.slot == end.slot;
  };
  for (auto [it, last] = by_number_.equal_range(end.number); it != last; ++it)
    if (is_it(*it)) {
      by_number_.erase(it);
      break;
    }
  for (const auto cq : {end.send_cq, end.receive_cq})
    if (const auto it = by_cq_.find({end.life.pid, cq, end.number}); it != by_cq_.end())
      if (is_it(*it)) by_cq_.erase(it);
  if (const auto it = ends_.find({end.life.pid, end.life.object}); it != ends_.end())
    if (is_it(*it)) ends_.erase(it);
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
    life.unmapped_by = event.record.caller;
  }
}

void Judge::finish() {
  const auto leak = [&](const Life& life, const char* name, std::string object,
                        const char* verb) {
    if (!life.live || !left_.contains(life.pid)) return;
    Event of{};
    of.pid = life.pid;
    of.record.caller = life.made_by;
    auto& finding = tell(Whose::program, of, fmt::format("exit.{}_left", name),
                         fmt::format("the program ends with a {}", object),
                         "the program has made it, and nobody has destroyed it");
    finding.remedy = fmt::format("call {}()", verb);
    if (finding.count > 1) return;
    auto history = fmt::format("{}, made by {}", object, origin(life));
    finding.objects = {involved(std::move(object), life, std::move(history))};
  };
  for (auto& [device, world] : worlds_) {
    for (const auto& end : world->ends)
      leak(end.life, end.is_srq ? "shared_receive_queue" : "queue_pair", end.name(),
           end.is_srq ? "ibv_destroy_srq" : "ibv_destroy_qp");
    for (std::uint32_t i = 0; i < world->regions.size(); ++i)
      leak(world->regions[i], "region",
           fmt::format("region, lkey {:#x}", world->state.regions.at(i).lkey.value()),
           "ibv_dereg_mr");
    for (const auto& window : world->windows)
      leak(window.life, "window", "memory window", "ibv_dealloc_mw");
    for (const auto& domain : world->domains) leak(domain, "PD", "PD", "ibv_dealloc_pd");
  }
}

End* Judge::find_end(Name name) {
  const auto found = ends_.find(name);
  return found == ends_.end() ? nullptr : &end_at(found->second);
}

}  // namespace mrproof::watch
