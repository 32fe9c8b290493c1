// How keys find memory: the questions that several conditions and effects share.
#pragma once

#include "model/access.hpp"
#include "model/rule.hpp"

namespace mrproof::model {

/// Which key of a region is meant. Windows have a remote key only.
enum class KeyKind : std::uint8_t { local, remote };

/// A scatter/gather element or remote address as one range behind a key, seen by one QP.
template <class D>
struct Target {
  KeyKind kind;
  typename D::Key key;
  typename D::Address start;
  typename D::Address length;
  std::uint8_t qp;      ///< slot of the queue pair that uses the key
  std::uint32_t right;  ///< access flag needed; 0: none (local read is always enabled)
};

/// Whether the live region answers to the key.
template <class D>
constexpr typename D::Bit answers(const Region<D>& region, const Target<D>& target) {
  if (target.kind == KeyKind::local) return region.live & (region.lkey == target.key);
  return region.live & (!region.null) & (region.rkey == target.key);
}

/// Whether the window is bound and answers to the key.
template <class D>
constexpr typename D::Bit answers(const Window<D>& window, const Target<D>& target) {
  return window.live & window.bound & (window.rkey == target.key);
}

/// Whether windows need looking at: the key is a remote one, and there has been a window at all.
template <class D>
constexpr bool windows_matter(const State<D>& s, const Target<D>& target) {
  return target.kind == KeyKind::remote &&
         D::possible(has_any<D>(s.shown, kMwType1 | kMwType2A | kMwType2B));
}

/// Whether `each` holds for whatever answers to the key: regions, and windows if it is remote.
template <class D, class Each>
constexpr typename D::Bit all_that_answer(const State<D>& s, const Target<D>& target, Each&& each) {
  const auto result = all<D>(s.regions, [&](const Region<D>& r) {
    return only_if<D>(answers<D>(r, target), [&] { return each(r); });
  });
  if (!windows_matter<D>(s, target)) return result;
  return result & all<D>(s.windows, [&](const Window<D>& w) {
           return only_if<D>(answers<D>(w, target), [&] { return each(w); });
         });
}

/// Whether a live region or a bound window has the key.
template <class D>
constexpr typename D::Bit key_is_live(const State<D>& s, const Target<D>& target) {
  const auto region = any<D>(s.regions, [&](const Region<D>& r) { return answers<D>(r, target); });
  if (!windows_matter<D>(s, target)) return region;
  return region | any<D>(s.windows, [&](const Window<D>& w) { return answers<D>(w, target); });
}

/// Whether what has the key, if anything, is in the PD of the queue pair that uses it.
template <class D>
constexpr typename D::Bit same_pd(const State<D>& s, const Target<D>& target) {
  const auto pd = s.qps.at(target.qp).pd;
  return all_that_answer<D>(s, target, [&](const auto& holder) { return holder.pd == pd; });
}

/// Whether what has the key, if anything, grants the right.
template <class D>
constexpr typename D::Bit right_granted(const State<D>& s, const Target<D>& target) {
  return all_that_answer<D>(
      s, target, [&](const auto& holder) { return has<D>(holder.access, target.right); });
}

/// Whether the range lies inside the region; a null region contains all ranges.
template <class D>
constexpr typename D::Bit contains(const Region<D>& r, const Target<D>& target) {
  return r.null | ((!r.empty) & within<D>(target.start, target.length, r.first, r.last));
}
/// Whether the range lies inside the window.
template <class D>
constexpr typename D::Bit contains(const Window<D>& w, const Target<D>& target) {
  return within<D>(target.start, target.length, w.first, w.last);
}

/// Whether the range lies inside what has the key, if anything.
template <class D>
constexpr typename D::Bit in_bounds(const State<D>& s, const Target<D>& target) {
  return all_that_answer<D>(s, target,
                            [&](const auto& holder) { return contains<D>(holder, target); });
}

/// Whether a type 2 window that has the key is used through the queue pair it was bound through.
template <class D>
constexpr typename D::Bit same_qp(const State<D>& s, const Target<D>& target) {
  if (!windows_matter<D>(s, target)) return D::bit(true);
  return all<D>(s.windows, [&](const Window<D>& w) {
    return implies(answers<D>(w, target) & w.two, w.qp == D::small(target.qp));
  });
}

/// Whether the `length` bytes of memory from `from` on are mapped now; `write`: and writable.
template <class D>
constexpr typename D::Bit paged_in(const State<D>& s, typename D::Address from,
                                   typename D::Address length, bool write) {
  return any<D>(s.buffers, [&](const Buffer<D>& b) {
    const auto last = from + length - D::address(1);
    const auto apart = (last < b.hole_first) | (b.hole_last < from);
    const auto sound = write ? D::bit(false) : b.read_only;
    return within<D>(from, length, b.first, b.last) & ((!b.hole) | apart | sound);
  });
}

/// Whether the range's bytes can be reached in memory, if a region on demand is behind the key.
/// Other regions hold their pages.
template <class D>
constexpr typename D::Bit memory_there(const State<D>& s, const Target<D>& target, bool write) {
  if (!D::possible(has<D>(s.proven, kOnDemand))) return D::bit(true);
  auto result = all<D>(s.regions, [&](const Region<D>& r) {
    return only_if<D>(answers<D>(r, target) & has<D>(r.access, kOnDemand) & !r.unseen, [&] {
      return paged_in<D>(s, r.memory + (target.start - r.first), target.length, write);
    });
  });
  if (!windows_matter<D>(s, target)) return result;
  for (const Window<D>& w : s.windows) {
    const auto found = answers<D>(w, target);
    if (!D::possible(found)) continue;
    auto on_demand = D::bit(false);
    for (std::size_t i = 0; i < D::kRegions; ++i)
      on_demand =
          on_demand | ((w.region == D::small(i)) & has<D>(s.regions.at(i).access, kOnDemand));
    result = result & only_if<D>(found & on_demand, [&] {
               return paged_in<D>(s, w.memory + (target.start - w.first), target.length, write);
             });
  }
  return result;
}

/// Whether every check on the range passes.
template <class D>
constexpr typename D::Bit granted(const State<D>& s, const Target<D>& target, bool write) {
  return key_is_live<D>(s, target) & same_pd<D>(s, target) & right_granted<D>(s, target) &
         in_bounds<D>(s, target) & same_qp<D>(s, target) & memory_there<D>(s, target, write);
}

/// Where the range lies, if something answers to the key: for its first `length` bytes.
template <class D>
constexpr Piece<D> piece_of(const State<D>& s, const Target<D>& target,
                            typename D::Address length) {
  Piece<D> piece;
  piece.length = length;
  const auto take = [&](typename D::Bit found, typename D::Address at, const Region<D>& region) {
    if (!D::possible(found)) return;
    const auto gone = region.gone & (region.gone_first <= at) & (at <= region.gone_last);
    piece.at = D::select(found, at, piece.at);
    piece.unseen = D::select(found, region.unseen | region.null | gone, piece.unseen);
    piece.zeros = D::select(found, region.null, piece.zeros);
  };
  for (const Region<D>& r : s.regions)
    take(answers<D>(r, target), r.memory + (target.start - r.first), r);
  if (!windows_matter<D>(s, target)) return piece;
  for (const Window<D>& w : s.windows)
    for (std::size_t i = 0; i < D::kRegions && D::possible(answers<D>(w, target)); ++i)
      take(answers<D>(w, target) & (w.region == D::small(i)), w.memory + (target.start - w.first),
           s.regions.at(i));
  return piece;
}

/// How many of the range's bytes, from its start, the key lets the queue pair reach: all of them
/// if it is granted, fewer where it runs over the end, none if a check other than the bound fails.
/// What a device may have moved before it noticed.
template <class D>
constexpr typename D::Address reachable_prefix(const State<D>& s, const Target<D>& target) {
  auto length = D::address(0);
  const auto pd = s.qps.at(target.qp).pd;
  const auto take = [&](typename D::Bit found, const auto& holder) {
    if (!D::possible(found)) return;
    const auto inside = found & (holder.pd == pd) & has<D>(holder.access, target.right) &
                        (holder.first <= target.start) & (target.start <= holder.last);
    // Compared before one is added: a region may end at the last byte of the address space.
    const auto beyond_first = holder.last - target.start;
    const auto fits =
        D::select(target.length <= beyond_first, target.length, beyond_first + D::address(1));
    length = D::select(inside, fits, length);
  };
  for (const Region<D>& r : s.regions) take(answers<D>(r, target) & (!r.empty), r);
  if (!windows_matter<D>(s, target)) return length;
  for (const Window<D>& w : s.windows) take(answers<D>(w, target), w);
  return length;
}

/// Whether nothing that answers to the key is undefined, and its bytes are all seen or all unseen;
/// `read`: all seen, or known to be zeros.
template <class D>
constexpr typename D::Bit is_defined(const State<D>& s, const Target<D>& target, bool read) {
  const auto known = [&](const Region<D>& r, typename D::Address from) {
    const auto last = from + target.length - D::address(1);
    const auto outside = (last < r.gone_first) | (r.gone_last < from);
    const auto inside = (r.gone_first <= from) & (last <= r.gone_last);
    const auto whole = read ? outside : (outside | inside);
    const auto seen = read ? ((!r.unseen) | r.null) : D::bit(true);
    return (!r.undefined) & seen & ((!r.gone) | (target.length == D::address(0)) | whole);
  };
  auto result = all<D>(s.regions, [&](const Region<D>& r) {
    return only_if<D>(answers<D>(r, target),
                      [&] { return known(r, r.memory + (target.start - r.first)); });
  });
  if (!windows_matter<D>(s, target)) return result;
  for (const Window<D>& w : s.windows) {
    // An undefined window may still answer, so its key may not be used whether it is bound or not.
    result = result & !(w.live & w.undefined & (w.rkey == target.key));
    for (std::size_t i = 0; i < D::kRegions; ++i)
      result = result & implies(answers<D>(w, target) & (w.region == D::small(i)),
                                known(s.regions.at(i), w.memory + (target.start - w.first)));
  }
  return result;
}

}  // namespace mrproof::model
