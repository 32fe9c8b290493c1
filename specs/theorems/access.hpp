// What no remote or local access can do: theorems about each byte that a device may move.
#pragma once

#include <array>

#include "model/rules/effects.hpp"
#include "specs/theorems/invariants.hpp"

namespace mrproof::specs {

/// A range that a work request names, and the memory that the rule says it is.
template <class D>
struct Side {
  std::string name;
  model::KeyKind kind;
  typename D::Key key;
  typename D::Address start;
  std::uint32_t qp;  ///< whose protection domain counts
  std::uint32_t right;
  model::Piece<D> piece;
  typename D::Bit carried{};  ///< the program takes the bytes along: no key says where they are
};

/// The sides of a step that moves bytes: as the call and the posted receive name them.
template <class D>
std::vector<Side<D>> sides_of(const Taken<D>& t) {
  using model::KeyKind;
  std::vector<Side<D>> sides;
  const auto& c = t.call;
  const bool stores = c.verb == Verb::rdma_read || model::is_atomic(c.verb);
  const auto& near = stores ? t.transfer->to : t.transfer->from;
  const auto& far = stores ? t.transfer->from : t.transfer->to;
  const std::uint32_t local = stores ? model::kLocalWrite : 0U;
  const auto carried =
      model::has<D>(c.flags, model::kInline) & D::bit(model::is_sent_only(c.verb));
  sides.push_back({"element 0", KeyKind::local, c.lkey, c.address, c.qp, local, near[0], carried});
  if (c.elements == 2)
    sides.push_back({"element 1", KeyKind::local, c.second.lkey, c.second.address, c.qp, local,
                     near[1], carried});
  const auto peer = model::peer_of(c.qp);
  if (model::is_send(c.verb)) {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& e = t.before.qps.at(peer).elements.at(i);
      sides.push_back({named("receive ", i), KeyKind::local, e.lkey, e.address, peer,
                       model::kLocalWrite, far.at(i)});
    }
    return sides;
  }
  std::uint32_t right = model::kRemoteWrite;
  if (c.verb == Verb::rdma_read) right = model::kRemoteRead;
  if (model::is_atomic(c.verb)) right = model::kRemoteAtomic;
  sides.push_back({"remote", KeyKind::remote, c.rkey, c.remote, peer, right, far[0]});
  return sides;
}

/// The facts about bytes.
template <class D>
struct AccessFacts {
  using Bit = typename D::Bit;
  using T = Taken<D>;
  using F = Facts<D>;

  /// Whether byte `offset` of the side is byte `offset` of its piece, and lies in the range that
  /// the holder's keys address, at the place in memory that belongs to it.
  template <class Holder>
  static std::vector<Bit> at_home(const Side<D>& side, typename D::Address offset,
                                  const Holder& holder) {
    const auto address = side.start + offset;
    return {holder.first <= side.start, side.start <= address, address <= holder.last,
            side.piece.at == holder.memory + (side.start - holder.first)};
  }

  /// Whether the region answers to the side's key.
  static Bit has_key(const Region<D>& r, const Side<D>& side) {
    if (side.kind == model::KeyKind::local) return r.live & (r.lkey == side.key);
    return r.live & (!r.null) & (r.rkey == side.key);
  }

  using Bits = std::vector<Bit>;

  /// Adds facts for each side: a byte that moves has a key that something answers to, and all that
  /// answers to it says yes to all of `region`, or of `window` for the region behind the window.
  template <class OfRegion, class OfWindow>
  static void each_side(const T& t, F& facts, OfRegion&& region, OfWindow&& window) {
    if (t.transfer == nullptr) return;
    for (const auto& side : sides_of(t)) {
      const Bit moves = (t.offset < side.piece.length) & !side.carried;
      const auto add = [&](const std::string& of, Bit when, const Bits& all) {
        for (const Bit bit : all) facts.add(side.name + " " + of, implies(moves & when, bit));
      };
      Bit some = D::bit(false);
      for (std::size_t i = 0; i < D::kRegions; ++i) {
        const auto& r = t.before.regions.at(i);
        some = some | has_key(r, side);
        add(named("mr", i), has_key(r, side), region(side, r));
      }
      for (std::size_t i = 0; side.kind == model::KeyKind::remote && i < D::kWindows; ++i) {
        const auto& w = t.before.windows.at(i);
        for (std::size_t j = 0; j < D::kRegions; ++j) {
          const Bit used = w.live & w.bound & (w.rkey == side.key) & (w.region == D::slot(j));
          some = some | used;
          add(named("mw", i) + " " + named("mr", j), used, window(side, w, t.before.regions.at(j)));
        }
      }
      add("key", D::bit(true), {some});
    }
  }

  static void no_byte_outside(const T& t, F& facts) {
    each_side(
        t, facts,
        [&](const Side<D>& side, const Region<D>& r) {
          Bits all{r.null | !r.empty};
          for (const Bit bit : at_home(side, t.offset, r)) all.push_back(r.null | bit);
          return all;
        },
        [&](const Side<D>& side, const Window<D>& w, const Region<D>& r) {
          // Where the byte is, as the region's own keys address it.
          const auto first = w.memory - r.memory + r.first + (side.start - w.first);
          Bits all = at_home(side, t.offset, w);
          for (const Bit bit : {r.live, !r.empty, r.first <= first, first <= first + t.offset,
                                first + t.offset <= r.last})
            all.push_back(bit);
          return all;
        });
  }

  static void no_domain_crossed(const T& t, F& facts) {
    const auto pd = [&](const Side<D>& side) { return t.before.qps.at(side.qp).pd; };
    each_side(
        t, facts, [&](const Side<D>& side, const Region<D>& r) { return Bits{r.pd == pd(side)}; },
        [&](const Side<D>& side, const Window<D>& w, const Region<D>& r) {
          return Bits{w.pd == pd(side), r.pd == pd(side)};
        });
  }

  static void no_right_missing(const T& t, F& facts) {
    each_side(
        t, facts,
        [&](const Side<D>& side, const Region<D>& r) {
          return Bits{model::has<D>(r.access, side.right)};
        },
        [&](const Side<D>& side, const Window<D>& w, const Region<D>& r) {
          const bool writes = side.right != model::kRemoteRead;
          return Bits{model::has<D>(w.access, side.right),
                      model::has<D>(r.access, model::kMwBind | (writes ? model::kLocalWrite : 0U))};
        });
  }

  /// What a queue pair does not accept moves no byte at its end, whatever the key.
  static void no_operation_unaccepted(const T& t, F& facts) {
    if (t.transfer == nullptr || !model::is_remote(t.call.verb)) return;
    for (const auto& side : sides_of(t))
      if (side.kind == model::KeyKind::remote)
        facts.add(side.name, implies(t.offset < side.piece.length,
                                     model::has<D>(t.before.qps.at(side.qp).access, side.right)));
  }

  /// What type 2 windows are bound through is the only way to use them, but for type 2A.
  static void window_through_its_pair(const T& t, F& facts) {
    if (t.transfer == nullptr || !model::is_remote(t.call.verb)) return;
    const auto features = t.before.can.features;
    const Bit a =
        model::has<D>(features, model::kMwType2A) & !model::has<D>(features, model::kMwType2B);
    for (const auto& side : sides_of(t)) {
      if (side.kind != model::KeyKind::remote) continue;
      for (std::size_t i = 0; i < D::kWindows; ++i) {
        const auto& w = t.before.windows.at(i);
        const Bit used =
            w.live & w.bound & w.two & (w.rkey == side.key) & (t.offset < side.piece.length);
        facts.add(named("mw", i), implies(used & !a, w.qp == D::slot(side.qp)));
      }
    }
  }

  /// Where an access is refused for the key, the domain or the right, nothing may have been moved
  /// there; and refused or not, no more than was asked for.
  static void no_more_than_asked(const T& t, F& facts) {
    if (t.transfer == nullptr) return;
    const auto& c = t.call;
    auto asked = c.length;
    if (c.elements == 2) asked = asked + c.second.length;
    for (const auto& side : sides_of(t)) facts.add(side.name, side.piece.length <= asked);
  }
};

}  // namespace mrproof::specs
