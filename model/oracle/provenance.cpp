#include "model/oracle/provenance.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mrproof::model {

/// Slots of objects, as sets.
struct Provenance::Objects {
  SlotSet pds, regions, windows, qps;

  void add_window(const State<Plain>& state, std::uint32_t slot) {
    windows.add(slot);
    regions.add(state.windows.at(slot).region.value());
  }
  /// Whatever has, or had, the key; of many objects, what has it.
  void add_key(const State<Plain>& state, Plain::Key key) {
    if (key.value() == 0) return;
    for (std::uint32_t i = 0; i < Plain::kRegions; ++i) {
      const auto& r = state.regions.at(i);
      const auto is_its = (r.lkey == key) | (r.rkey == key) | (r.old_lkey == key);
      if ((is_its | (r.old_rkey == key)).truth()) regions.add(i);
    }
    for (std::uint32_t i = 0; i < Plain::kWindows; ++i) {
      const auto& w = state.windows.at(i);
      if (((w.rkey == key) | (w.old_rkey == key)).truth()) add_window(state, i);
    }
    state.regions.visit_more(WithKeys{key, key}, [&](std::size_t slot, const auto& r) {
      if (((r.lkey == key) | (r.rkey == key)).truth())
        regions.add(static_cast<std::uint32_t>(slot));
    });
    state.windows.visit_more(WithRkey{key}, [&](std::size_t slot, const auto& w) {
      if ((w.rkey == key).truth()) add_window(state, static_cast<std::uint32_t>(slot));
    });
  }
};

void Provenance::SlotSet::add(std::uint32_t slot) {
  const auto end = slots_.begin() + static_cast<std::ptrdiff_t>(count_);
  if (count_ == slots_.size() || std::find(slots_.begin(), end, slot) != end) return;
  slots_.at(count_++) = slot;
}

Provenance::Objects Provenance::met(const PlainView& view) {
  const auto& call = view.call;
  const auto& state = view.state;
  Objects all;
  if (call.verb == Verb::dealloc_pd) all.pds.add(call.pd);
  if (call.verb == Verb::dereg_mr || call.verb == Verb::rereg_mr || is_bind(call.verb))
    all.regions.add(call.mr);
  if (call.verb == Verb::reg_shared_mr) all.regions.add(call.source);
  if (call.verb == Verb::dealloc_mw || is_bind(call.verb)) all.add_window(state, call.mw);
  if (has_elements(call.verb)) {
    all.add_key(state, call.lkey);
    if (call.elements == 2) all.add_key(state, call.second.lkey);
  }
  const bool invalidates = call.verb == Verb::local_inv || call.verb == Verb::send_with_inv;
  if (is_remote(call.verb) || invalidates) all.add_key(state, call.rkey);
  if (call.verb == Verb::destroy_qp || call.verb == Verb::query_qp ||
      call.verb == Verb::modify_qp)
    all.qps.add(call.qp);
  if (!is_transfer(call.verb) && call.verb != Verb::post_recv) return all;
  all.qps.add(call.qp);
  all.qps.add(peer_of(call.qp));
  const auto& peer = state.qps.at(peer_of(call.qp));
  for (const auto& element : peer.elements)
    if (is_send(call.verb) && peer.posted.truth()) all.add_key(state, element.lkey);
  return all;
}

Provenance::Taken& Provenance::grown(std::vector<Taken>& objects, std::uint32_t slot) {
  if (slot >= objects.size()) objects.resize(slot + 1);
  return objects[slot];
}

void Provenance::note(const Rulebook& book, const PlainRule& rule, const PlainView& view) {
  const auto& call = view.call;
  const auto& state = view.state;
  const bool ok = rule.outcome == Outcome::ok;
  // Most calls only use their objects.
  if (is_remote(call.verb) && ok && call.verb != Verb::rdma_write_with_imm) return;
  if (call.verb == Verb::fill || call.verb == Verb::query_qp) return;
  const auto index = book.index(rule);
  if (makes_region(call.verb) && ok) grown(regions_, call.mr) = Taken().set(index);
  if (call.verb == Verb::alloc_mw && ok) grown(windows_, call.mw) = Taken().set(index);
  if (call.verb == Verb::alloc_pd && ok) grown(pds_, call.pd) = Taken().set(index);
  Objects all = met(view);
  if (call.verb == Verb::connect) {
    all.qps.add(call.qp);
    all.qps.add(peer_of(call.qp));
  }
  if (call.verb == Verb::destroy_qp) all.pds.add(state.qps.at(call.qp).pd.value());
  if (call.verb == Verb::dereg_mr) all.pds.add(state.regions.at(call.mr).pd.value());
  if (call.verb == Verb::dealloc_mw) all.pds.add(state.windows.at(call.mw).pd.value());
  if (call.verb == Verb::rereg_mr && ok) {
    all.pds.add(call.pd);
    all.pds.add(state.regions.at(call.mr).pd.value());
  }
  if (call.verb == Verb::protect)
    for (std::uint32_t i = 0; i < Plain::kRegions; ++i) {
      const auto& r = state.regions.at(i);
      const auto first = r.memory.value();
      const auto last = first + (r.last.value() - r.first.value());
      if (first < call.address.value() + call.length.value() && call.address.value() <= last)
        all.regions.add(i);
    }
  const auto add = [&](const SlotSet& chosen, auto& objects) {
    for (const std::uint32_t slot : chosen.slots()) grown(objects, slot).set(index);
  };
  add(all.pds, pds_);
  if (!is_transfer(call.verb) || is_bind(call.verb) || call.verb == Verb::local_inv ||
      call.verb == Verb::send_with_inv) {
    add(all.regions, regions_);
    add(all.windows, windows_);
  }
  add(all.qps, qps_);
}

std::vector<Provenance::Origin> Provenance::of(const Rulebook& book, const PlainView& view) const {
  std::vector<Origin> origins;
  const auto add = [&](const char* kind, const SlotSet& chosen, const auto& objects) {
    std::vector<std::uint32_t> slots(chosen.slots().begin(), chosen.slots().end());
    std::sort(slots.begin(), slots.end());
    for (const std::uint32_t slot : slots) {
      if (slot >= objects.size() || objects[slot].none()) continue;
      Origin origin{fmt::format("{}{}", kind, slot), {}};
      for (std::size_t rule = 0; rule < book.rules().size(); ++rule)
        if (objects[slot][rule]) origin.rules.push_back(book.rules()[rule]);
      origins.push_back(std::move(origin));
    }
  };
  const Objects all = met(view);
  add("pd", all.pds, pds_);
  add("mr", all.regions, regions_);
  add("mw", all.windows, windows_);
  add("qp", all.qps, qps_);
  return origins;
}

}  // namespace mrproof::model
