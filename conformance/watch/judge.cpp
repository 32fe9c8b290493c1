#include "conformance/watch/judge.hpp"

#include <fmt/format.h>
#include <infiniband/verbs.h>

#include <algorithm>

#include "model/conditions/objects.hpp"

namespace mrproof::watch {

using model::Verb;

void Judge::take(const Event& event) {
  ++counts_.events;
  now_ = event.record.time;
  switch (event.record.kind) {
    case Kind::open_device: return open_device(event);
    case Kind::alloc_pd: return alloc_pd(event);
    case Kind::dealloc_pd: return dealloc_pd(event);
    case Kind::reg_mr: return reg_mr(event);
    case Kind::rereg_mr: return rereg_mr(event);
    case Kind::dereg_mr: return dereg_mr(event);
    case Kind::create_qp: return create_qp(event);
    case Kind::modify_qp: return modify_qp(event);
    case Kind::create_srq: return create_srq(event);
    case Kind::destroy_qp:
    case Kind::destroy_srq: return destroy_queue(event);
    case Kind::create_ah: return create_ah(event);
    case Kind::destroy_ah: return destroy_ah(event);
    case Kind::touched: return touched(event);
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
        end_region(*world, r, site_of(event));
    for (End& end : world->ends)
      if (end.life.pid == event.pid && end.life.parent == domain.object) end_qp(end);
    for (std::uint32_t w = 0; w < world->windows.size(); ++w)
      if (Life& life = world->windows[w].life;
          life.live && life.pid == event.pid && life.parent == domain.object) {
        mark_ended(life, site_of(event));
        world->live_windows.erase(w);
        world->state.windows.change(w, [](auto& window) { window.live = window.bound = false; });
        windows_.erase({life.pid, life.object});
      }
    for (Life& handle : world->handles)
      if (handle.live && handle.pid == event.pid && handle.parent == domain.object)
        mark_ended(handle, site_of(event));
    mark_ended(world->domains[slot], site_of(event));
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
  auto broken = broken_by(*world, call);
  // The model has no address handles.
  if (std::any_of(world->handles.begin(), world->handles.end(), [&](const Life& handle) {
        return handle.live && handle.pid == event.pid && handle.parent == event.record.object;
      }))
    broken.push_back(&model::pd_unused<Plain>);
  if (event.record.result != 0 && broken.empty()) ++counts_.unknown;
  if (event.record.result != 0 && !broken.empty()) {
    auto& finding = tell_broken(Whose::program, event, Verb::dealloc_pd,
                                "ibv_dealloc_pd() of a PD that is in use", *broken[0]);
    if (finding.count > 1) return;
    const Life& life = world->domains[slot];
    finding.objects = {involved("PD", life, "PD, allocated by " + origin(life))};
  }
  if (event.record.result != 0) return;
  mark_ended(world->domains[slot], site_of(event));
  world->state.pds.change(slot, [](auto& pd) { pd.live = false; });
  domains_.erase(found);
}

Site Judge::site_of(const Event& event) {
  Site site{event.record.caller};
  if (event.parts.empty() || event.parts.front().kind != Kind::stack) return site;
  const Stack& stack = event.parts.front().words;
  const auto [found, is_new] =
      stack_numbers_.try_emplace(stack, static_cast<std::uint32_t>(stacks_.size()));
  if (is_new) stacks_.push_back(stack);
  site.stack = found->second;
  return site;
}

Life Judge::life_of(const Event& event) {
  Life life{event.pid, event.record.object, event.record.words[0], site_of(event)};
  life.made = event.record.time;
  return life;
}

void Judge::mark_ended(Life& life, const Site& site) const {
  life.live = false;
  life.ended = now_;
  life.ended_by = site;
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
  end.signals_all = (words[2] & 0x100U) != 0;
  end.most = {low(words[7]), high(words[7]), high(words[5]), high(words[2]), low(words[5])};
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
  mark_ended(end.life, {});
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

void Judge::finish() {
  const auto leak = [&](const Life& life, const char* name, std::string object, const char* verb) {
    if (!life.live || !left_.contains(life.pid)) return;
    Event of{};
    of.pid = life.pid;
    of.record.caller = life.made_by.caller;
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
    for (const auto& handle : world->handles)
      leak(handle, "address_handle", "address handle", "ibv_destroy_ah");
    for (const auto& domain : world->domains) leak(domain, "PD", "PD", "ibv_dealloc_pd");
  }
}

End* Judge::find_end(Name name) {
  const auto found = ends_.find(name);
  return found == ends_.end() ? nullptr : &end_at(found->second);
}

}  // namespace mrproof::watch
