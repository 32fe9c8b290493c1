// How keys find memory: the questions that several conditions and effects share.
#pragma once

#include "model/rule.hpp"

namespace mrproof::model {

/// Which key of a region is meant. Windows have a remote key only.
enum class KeyKind : std::uint8_t { local, remote };

/// A scatter/gather element or remote address as one range behind a key, seen by one QP.
template <class D> struct Target {
  KeyKind kind;
  typename D::Key key;
  typename D::Address start;
  typename D::Address length;
  std::uint8_t qp;              ///< slot of the queue pair that uses the key
  std::uint32_t right;          ///< access flag needed; 0: none (local read is always enabled)
  const Holders<D>* holders{};  ///< of the key; belongs to the view
};

/// Whether the live region, the bound window answers to the key.
template <class D> constexpr auto answers(const Region<D>& region, const Target<D>& target) {
  if (target.kind == KeyKind::local) return region.live & (region.lkey == target.key);
  return region.live & (!region.null) & (region.rkey == target.key);
}
template <class D> constexpr auto answers(const Window<D>& window, const Target<D>& target) {
  return window.live & window.bound & (window.rkey == target.key);
}

/// The target with its holders, which are looked for once a view; `place` is theirs in it.
template <class D>
constexpr Target<D> looked_up(const View<D>& v, std::size_t place, Target<D> target) {
  Holders<D>& found = v.holders.at(place);
  target.holders = &found;
  if (found.looked) return target;
  found.looked = true;
  const auto look = [&](const auto& objects, auto& candidates) {
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto bit = answers<D>(objects[i], target);
      candidates.add(i, bit);
      found.live = found.live | bit;
    }
  };
  look(v.state.regions, found.regions);
  if (target.kind == KeyKind::remote) look(v.state.windows, found.windows);
  return target;
}

/// Whether `each` holds for whatever answers to the key: regions, and windows if it is remote.
template <class D, class Each>
constexpr auto all_that_answer(const State<D>& s, const Target<D>& t, Each&& each) {
  return t.holders->regions.all(s.regions, each) & t.holders->windows.all(s.windows, each);
}

/// Whether a live region or a bound window has the key.
template <class D> constexpr auto key_is_live(const State<D>& /*s*/, const Target<D>& t) {
  return t.holders->live;
}

/// Whether what has the key, if anything, is in the PD of the queue pair that uses it.
template <class D> constexpr auto same_pd(const State<D>& s, const Target<D>& t) {
  return all_that_answer(s, t, [&](const auto& h) { return h.pd == s.qps.at(t.qp).pd; });
}

/// Whether what has the key, if anything, grants the right.
template <class D> constexpr auto right_granted(const State<D>& s, const Target<D>& t) {
  return all_that_answer(s, t, [&](const auto& h) { return has<D>(h.access, t.right); });
}

/// Whether the range lies inside the region (a null region contains all ranges), or the window.
template <class D> constexpr auto contains(const Region<D>& r, const Target<D>& t) {
  return r.null | ((!r.empty) & within<D>(t.start, t.length, r.first, r.last));
}
template <class D> constexpr auto contains(const Window<D>& w, const Target<D>& t) {
  return within<D>(t.start, t.length, w.first, w.last);
}

/// Whether the range lies inside what has the key, if anything.
template <class D> constexpr auto in_bounds(const State<D>& s, const Target<D>& t) {
  return all_that_answer(s, t, [&](const auto& h) { return contains<D>(h, t); });
}

/// Whether a type 2 window that has the key is used through the queue pair it was bound through.
template <class D> constexpr auto same_qp(const State<D>& s, const Target<D>& t) {
  return t.holders->windows.all(
      s.windows, [&](const auto& w) { return implies(w.two, w.qp == t.qp); });
}

/// Whether the `length` bytes of memory from `from` on are mapped now; `write`: and writable.
template <class D>
constexpr auto paged_in(
    const State<D>& s, typename D::Address from, typename D::Address length, bool write) {
  const auto last = from + length - 1;
  return any<D>(s.buffers, [&](const Buffer<D>& b) {
    const auto apart = (last < b.hole_first) | (b.hole_last < from);
    const auto sound = write ? D::bit(false) : b.read_only;
    return within<D>(from, length, b.first, b.last) & ((!b.hole) | apart | sound);
  });
}

/// Where the first byte of the range is in memory, by the region or window that has its key.
template <class D> constexpr auto memory_of(const auto& holder, const Target<D>& t) {
  return holder.memory + (t.start - holder.first);
}

/// Whether the region that the window is bound to satisfies the predicate.
template <class D, class Predicate>
constexpr auto behind(const State<D>& s, const Window<D>& w, Predicate&& predicate) {
  auto result = D::bit(false);
  for (std::size_t i = 0; i < D::kRegions; ++i) {
    const auto here = w.region == i;
    if (D::possible(here)) result = result | (here & predicate(s.regions[i]));
  }
  return result;
}

/// Whether the range's bytes can be reached in memory, if a region on demand is behind the key.
/// Other regions hold their pages.
template <class D> constexpr auto memory_there(const State<D>& s, const Target<D>& t, bool write) {
  if (!D::possible(has<D>(s.proven, kOnDemand))) return D::bit(true);
  const auto there = [&](typename D::Bit on_demand, const auto& holder) {
    return only_if<D>(
        on_demand, [&] { return paged_in(s, memory_of(holder, t), t.length, write); });
  };
  const auto on_demand = [](const Region<D>& r) { return has<D>(r.access, kOnDemand); };
  return t.holders->regions.all(s.regions, [&](const auto& r) {
    return there(on_demand(r) & !r.unseen, r);
  }) & t.holders->windows.all(s.windows, [&](const auto& w) {
    return there(behind(s, w, on_demand), w);
  });
}

/// Whether every check on the range passes.
template <class D> constexpr auto granted(const State<D>& s, const Target<D>& t, bool write) {
  return key_is_live(s, t) & same_pd(s, t) & right_granted(s, t) & in_bounds(s, t) & same_qp(s, t) &
         memory_there(s, t, write);
}

/// Where the range lies, if something answers to the key: for its first `length` bytes.
template <class D>
constexpr Piece<D> piece_of(const State<D>& s, const Target<D>& t, typename D::Address length) {
  Piece<D> piece;
  piece.length = length;
  const auto take = [&](typename D::Bit found, const auto& holder, const Region<D>& region) {
    if (!D::possible(found)) return;
    const auto at = memory_of(holder, t);
    const auto gone = region.gone & (region.gone_first <= at) & (at <= region.gone_last);
    piece.at = D::select(found, at, piece.at);
    piece.unseen = D::select(found, region.unseen | region.null | gone, piece.unseen);
    piece.zeros = D::select(found, region.null, piece.zeros);
  };
  t.holders->regions.each(s.regions, [&](auto found, const auto& r) { take(found, r, r); });
  t.holders->windows.each(s.windows, [&](auto found, const auto& w) {
    for (std::size_t i = 0; i < D::kRegions; ++i) take(found & (w.region == i), w, s.regions[i]);
  });
  return piece;
}

/// How many of the range's bytes, from its start, the key lets the queue pair reach: all of them
/// if it is granted, fewer where it runs over the end, none if a check other than the bound fails.
/// What a device may have moved before it noticed.
template <class D> constexpr auto reachable_prefix(const State<D>& s, const Target<D>& t) {
  auto length = D::address(0);
  const auto take = [&](typename D::Bit found, const auto& h) {
    const auto inside = found & (h.pd == s.qps.at(t.qp).pd) & has<D>(h.access, t.right) &
                        (h.first <= t.start) & (t.start <= h.last);
    // Compared before one is added: a region may end at the last byte of the address space.
    const auto after_start = h.last - t.start;
    const auto fits = D::select(t.length <= after_start, t.length, after_start + 1);
    length = D::select(inside, fits, length);
  };
  t.holders->regions.each(s.regions, [&](auto found, const auto& r) { take(found & !r.empty, r); });
  t.holders->windows.each(s.windows, take);
  return length;
}

/// The part of the range that a device may read or write.
template <class D> constexpr Piece<D> reachable_piece(const State<D>& s, const Target<D>& t) {
  return piece_of(s, t, reachable_prefix(s, t));
}

/// Whether nothing that answers to the key is undefined, and its bytes are all seen or all unseen;
/// `read`: all seen, or known to be zeros.
template <class D> constexpr auto is_defined(const State<D>& s, const Target<D>& t, bool read) {
  const auto known = [&](const Region<D>& r, typename D::Address from) {
    const auto last = from + t.length - 1;
    const auto outside = (last < r.gone_first) | (r.gone_last < from);
    const auto inside = (r.gone_first <= from) & (last <= r.gone_last);
    const auto whole = read ? outside : (outside | inside);
    const auto seen = read ? ((!r.unseen) | r.null) : D::bit(true);
    return (!r.undefined) & seen & ((!r.gone) | (t.length == 0) | whole);
  };
  const auto regions =
      t.holders->regions.all(s.regions, [&](const auto& r) { return known(r, memory_of(r, t)); });
  if (t.kind == KeyKind::local) return regions;
  // An undefined window may still answer, so its key may not be used whether it is bound or not.
  return regions & all<D>(s.windows, [&](const Window<D>& w) {
    return !(w.live & w.undefined & (w.rkey == t.key));
  }) & t.holders->windows.all(s.windows, [&](const Window<D>& w) {
    return behind(s, w, [&](const auto& r) { return known(r, memory_of(w, t)); });
  });
}

}  // namespace mrproof::model
