// How keys find memory: the questions that several conditions and effects share.
#pragma once

#include <bit>

#include "model/state.hpp"

namespace mrproof::model {

/// Which of a few objects satisfy a predicate, or may, with the bits that say so.
template <class D, std::size_t N> class FoundAmongFew {
 public:
  constexpr auto look_up(const auto& objects, auto&& predicate) {
    auto some = D::bit(false);
    for (std::size_t i = 0; i < N; ++i) {
      const auto bit = predicate(objects[i]);
      if (!D::possible(bit)) continue;
      slots_[count_] = static_cast<std::uint8_t>(i);
      bits_[count_++] = bit;
      some = some | bit;
    }
    return some;
  }
  /// Calls visit(bit, object) for each of them.
  constexpr void each(const auto& objects, auto&& visit) const {
    for (std::size_t i = 0; i < count_; ++i) visit(bits_[i], objects[slots_[i]]);
  }

 private:
  std::array<std::uint8_t, N> slots_{};
  std::array<typename D::Bit, N> bits_{};
  std::uint8_t count_ = 0;
};
/// The same where every bit is known.
template <class D, std::size_t N>
requires(D::kDecided) class FoundAmongFew<D, N> {
 public:
  constexpr auto look_up(const auto& objects, auto&& predicate) {
    static_assert(N <= 8);
    for (std::size_t i = 0; i < N; ++i)
      mask_ =
          static_cast<std::uint8_t>(mask_ | (D::possible(predicate(objects[i])) ? 1U << i : 0U));
    return D::bit(mask_ != 0);
  }
  constexpr void each(const auto& objects, auto&& visit) const {
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1)
      visit(D::bit(true), objects[static_cast<std::size_t>(std::countr_zero(rest))]);
  }
  constexpr auto first(const auto& objects) const {
    return mask_ == 0 ? nullptr : &objects[static_cast<std::size_t>(std::countr_zero(mask_))];
  }
  [[nodiscard]] constexpr bool several() const { return (mask_ & (mask_ - 1U)) != 0; }

 private:
  std::uint8_t mask_ = 0;
};

/// Those of all objects that are asked for which satisfy a predicate, looked up once.
template <class D, class Objects> class Found;
template <class D, class T, std::size_t N> class Found<D, ObjectArray<T, N>> {
 public:
  /// Whether there are some.
  constexpr auto look_up(
      const ObjectArray<T, N>& objects, const auto& /*which*/, auto&& predicate) {
    return few_.look_up(objects, predicate);
  }
  /// There are none.
  constexpr void clear() {}
  /// Calls visit(bit, object) for each; to be asked as it was looked up.
  constexpr void each(const ObjectArray<T, N>& objects, const auto& /*which*/, auto&& /*predicate*/,
      auto&& visit) const {
    few_.each(objects, visit);
  }

 private:
  FoundAmongFew<D, N> few_;
};
/// Of a table mostly one. As small as can be: the judge makes ten of them a step.
template <class D, class T, std::size_t Few> class Found<D, ObjectTable<T, Few>> {
 public:
  constexpr Found() {}  // not even zeros
  constexpr void clear() { first_ = nullptr; }
  constexpr auto look_up(const ObjectTable<T, Few>& objects, const auto& which, auto&& predicate) {
    FoundAmongFew<D, Few> few;
    few.look_up(objects.few(), predicate);
    first_ = few.first(objects.few());
    several_ = few.several();
    if (objects.more() != nullptr) [[unlikely]]
      look_behind(objects, which, predicate);
    return D::bit(first_ != nullptr);
  }
  constexpr void each(
      const ObjectTable<T, Few>& objects, const auto& which, auto&& predicate, auto&& visit) const {
    for (const T* object = first_; object != nullptr;) {
      visit(D::bit(true), *object);
      if (!several_) [[likely]]
        return;
      object = next_of(objects, which, predicate, object);
    }
  }

 private:
  [[gnu::noinline]] void look_behind(
      const ObjectTable<T, Few>& objects, const auto& which, auto&& predicate) {
    for (auto walk = objects.walk(which); !several_ && walk.next();) {
      if (!predicate(walk.object()).truth()) continue;
      several_ = first_ != nullptr;
      if (!several_) first_ = &walk.object();
    }
  }
  /// Several regions have one key where they are null: as many steps as there are, for each of
  /// them.
  [[gnu::noinline]] static const T* next_of(
      const ObjectTable<T, Few>& objects, const auto& which, auto&& predicate, const T* last) {
    const T* next = nullptr;
    bool passed = false;
    objects.visit(which, [&](const T& object) {
      if (passed && predicate(object).truth()) next = &object;
      passed = passed || &object == last;
      return next == nullptr;
    });
    return next;
  }

  const T* first_;
  bool several_;
};

template <class D> struct Target;

/// What has a key: regions, and windows if the key is remote. Looked up once, in one state, and
/// never reset: another state needs other holders.
template <class D> class Holders {
 public:
  using Bit = typename D::Bit;
  constexpr Holders() {}  // nothing is read before look_up()
  constexpr Holders(const Holders&) = default;
  Holders& operator=(const Holders&) = delete;
  constexpr ~Holders() = default;

  /// Finds those of the target's key, if that was not done before.
  constexpr void look_up(const Target<D>& target) {
    if (!looked_) find(target);
  }
  /// Whether something answers.
  [[nodiscard]] constexpr const Bit& live() const { return live_; }
  /// Calls visit(bit, object) for each region, each window that answers, or may.
  constexpr void each_region(const Target<D>& target, auto&& visit) const {
    const auto finds = [&](const auto& object) { return target.finds(object); };
    regions_.each(target.s.regions, WithKey{target.key, target.kind}, finds, visit);
  }
  constexpr void each_window(const Target<D>& target, auto&& visit) const {
    const auto finds = [&](const auto& object) { return target.finds(object); };
    windows_.each(target.s.windows, WithRkey{target.key}, finds, visit);
  }

 private:
  constexpr void find(const Target<D>& target) {
    looked_ = true;
    const auto finds = [&](const auto& object) { return target.finds(object); };
    live_ = regions_.look_up(target.s.regions, WithKey{target.key, target.kind}, finds);
    if (target.kind == KeyKind::local)
      windows_.clear();
    else
      live_ = live_ | windows_.look_up(target.s.windows, WithRkey{target.key}, finds);
  }
  bool looked_ = false;
  Bit live_;
  Found<D, decltype(State<D>::regions)> regions_;
  Found<D, decltype(State<D>::windows)> windows_;
};

/// The queue pair that invalidates: for send_with_inv the receiving one.
constexpr std::uint32_t invalidating_qp(const auto& call) {
  return call.verb == Verb::send_with_inv ? peer_of(call.qp) : call.qp;
}
/// Whether the window has the key that the call invalidates.
template <class D>
constexpr auto is_named(const State<D>& s, const Call<D>& call, const Window<D>& w) {
  return (w.rkey == call.rkey) & of_one_device(s, w.pd, s.qps.at(invalidating_qp(call)).pd);
}

/// A stretch of memory that a rule reads or writes.
template <class D> struct Piece {
  typename D::Address at{}, length{};  ///< virtual address, bytes
  typename D::Bit outside_buffers{};   ///< not in the buffers: what is written there is not seen
  typename D::Bit zeros{};             ///< reads as zeros (a null region)
};

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
/// A scatter/gather element or remote address as one range behind a key, seen by one QP.
template <class D> struct Target {
  using Bit = typename D::Bit;
  using Address = typename D::Address;
  const State<D>& s;
  KeyKind kind;
  typename D::Key key;
  Address start, length;
  std::uint32_t qp;           ///< slot of the queue pair that uses the key
  std::uint32_t right;        ///< access flag needed; 0: none (local read is always enabled)
  const Holders<D>* holders;  ///< of the key; belongs to the view
  typename D::Slot pd;        ///< whose device is asked: the queue pair's, or the call's own
  /// The program itself takes the bytes from its memory: no key is looked at.
  Bit keyless{};

  /// Whether the live region, the bound window answers to the key.
  constexpr Bit finds(const Region<D>& r) const {
    return r.live & (!keyless) &
           (kind == KeyKind::local ? r.lkey == key : (!r.null) & (r.rkey == key)) & on_device(r);
  }
  constexpr Bit finds(const Window<D>& w) const {
    return w.live & w.bound & (w.rkey == key) & on_device(w);
  }
  /// Whether it is the device's that is asked.
  constexpr Bit on_device(const auto& object) const {
    return of_one_device(s, object.pd, pd);
  }

  /// Whether `each` holds for all regions, windows, both of which answer to the key.
  constexpr Bit regions(auto&& each) const {
    auto result = D::bit(true);
    holders->each_region(
        *this, [&](const Bit& bit, const auto& r) { result = result & implies(bit, each(r)); });
    return result;
  }
  constexpr Bit windows(auto&& each) const {
    auto result = D::bit(true);
    holders->each_window(
        *this, [&](const Bit& bit, const auto& w) { result = result & implies(bit, each(w)); });
    return result;
  }
  constexpr Bit both(auto&& each) const { return regions(each) & windows(each); }

  /// Whether a live region or a bound window has the key, or none is needed.
  constexpr Bit key_is_live() const { return holders->live() | keyless; }
  /// Whether what has the key, if anything, is in the PD of the queue pair that uses it; grants the
  /// right; contains the range (a null region contains all ranges).
  constexpr Bit same_pd() const {
    return both([&](auto& h) { return h.pd == s.qps.at(qp).pd; });
  }
  constexpr Bit right_granted() const {
    return both([&](auto& h) { return has<D>(h.access, right); });
  }
  /// Whether the queue pair at this end accepts from its peer what the right is needed for.
  constexpr Bit accepted() const { return has<D>(s.qps.at(qp).access, right); }
  constexpr Bit in_bounds() const {
    return both([&](auto& h) { return contained(h); });
  }
  constexpr Bit contained(const Region<D>& r) const {
    return r.null | ((!r.empty) & within<D>(start, length, r.first, r.last));
  }
  constexpr Bit contained(const Window<D>& w) const {
    return within<D>(start, length, w.first, w.last);
  }
  /// Whether a type 2 window that has the key is used through the queue pair it was bound through.
  constexpr Bit same_qp() const {
    return windows([&](auto& w) { return implies(w.two, w.qp == qp); });
  }

  /// Where the first byte of the range is in memory, by the region or window that has its key.
  constexpr Address memory_of(const auto& holder) const {
    return holder.memory + (start - holder.first);
  }
  /// Whether the region that the window is bound to satisfies the predicate.
  constexpr Bit behind(const Window<D>& w, auto&& predicate) const {
    auto result = D::bit(false);
    s.regions.template named<D>(w.region,
        [&](const Bit& here, const Region<D>& r) { result = result | (here & predicate(r)); });
    return result;
  }
  /// Whether the range's bytes can be reached in memory, if a region on demand is behind the key.
  /// Other regions hold their pages.
  constexpr Bit memory_there(bool write) const {
    if (!D::possible(has<D>(s.demonstrated_access, kOnDemand))) return true;
    const auto there = [&](Bit on_demand, auto& holder) {
      return only_if<D>(on_demand, [&] { return paged_in(s, memory_of(holder), length, write); });
    };
    return regions([&](auto& r) { return there(paged_on_demand(r) & !r.outside_buffers, r); }) &
           windows([&](auto& w) { return there(behind(w, paged_on_demand), w); });
  }
  static constexpr Bit paged_on_demand(const Region<D>& r) { return has<D>(r.access, kOnDemand); }
  /// Whether no region that was registered with the access flag is behind the key.
  constexpr Bit none_with(std::uint32_t flag) const {
    const auto with = [&](auto& r) { return has<D>(r.access, flag); };
    return regions([&](auto& r) { return !with(r); }) &
           windows([&](auto& w) { return !behind(w, with); });
  }
  /// Whether every check on the range passes.
  constexpr Bit granted(bool write) const {
    const auto sound = key_is_live() & same_pd() & right_granted() & in_bounds() & same_qp() &
                       memory_there(write);
    return kind == KeyKind::local ? sound : sound & accepted();
  }

  /// The range; of an empty one, a byte.
  constexpr Target a_byte_at_least() const {
    Target t = *this;
    t.length = D::select(length == 0, D::address(1), length);
    return t;
  }

  /// Where the range lies, if something answers to the key: for its first `bytes` bytes.
  constexpr Piece<D> piece(Address bytes) const {
    Piece<D> piece;
    piece.length = bytes;
    piece.at = D::select(keyless, start, D::address(0));
    const auto take = [&](Bit found, auto& holder, const Region<D>& region) {
      if (!D::possible(found)) return;
      const auto at = memory_of(holder);
      const auto gone =
          region.unmapped & (region.unmapped_first <= at) & (at <= region.unmapped_last);
      piece.at = D::select(found, at, piece.at);
      piece.outside_buffers =
          D::select(found, region.outside_buffers | region.null | gone, piece.outside_buffers);
      piece.zeros = D::select(found, region.null, piece.zeros);
    };
    holders->each_region(*this, [&](Bit found, auto& r) { take(found, r, r); });
    holders->each_window(*this, [&](Bit found, auto& w) {
      s.regions.template named<D>(
          w.region, [&](const Bit& here, auto& r) { take(found & here, w, r); });
    });
    return piece;
  }
  /// How many of the range's bytes, from its start, the key lets the queue pair reach: all of them
  /// if it is granted, fewer where it runs over the end, none if a check other than the bound
  /// fails. What a device may have moved before it noticed.
  constexpr Address reachable() const {
    auto bytes = D::select(keyless, length, D::address(0));
    const Bit open = kind == KeyKind::local ? Bit(true) : accepted();
    const auto take = [&](Bit found, auto& h) {
      const auto inside = open & found & (h.pd == s.qps.at(qp).pd) & has<D>(h.access, right) &
                          (h.first <= start) & (start <= h.last);
      // Compared before one is added: a region may end at the last byte of the address space.
      const auto after_start = h.last - start;
      const auto fits = D::select(length <= after_start, length, after_start + 1);
      bytes = D::select(inside, fits, bytes);
    };
    holders->each_region(*this, [&](Bit found, auto& r) { take(found & !r.empty, r); });
    holders->each_window(*this, take);
    return bytes;
  }
  constexpr Piece<D> reachable_piece() const { return piece(reachable()); }

  /// Whether nothing that answers to the key is undefined, and its bytes are all seen or all
  /// outside the buffers; `read`: all seen, or known to be zeros.
  constexpr Bit is_defined(bool read) const {
    const auto known = [&](const Region<D>& r, Address from) {
      const auto last = from + length - 1;
      const auto outside = (last < r.unmapped_first) | (r.unmapped_last < from);
      const auto inside = (r.unmapped_first <= from) & (last <= r.unmapped_last);
      const auto whole = read ? outside : (outside | inside);
      const auto seen = read ? ((!r.outside_buffers) | r.null) : D::bit(true);
      return (!r.undefined) & seen & ((!r.unmapped) | (length == 0) | whole);
    };
    const auto sound = regions([&](auto& r) { return known(r, memory_of(r)); });
    if (kind == KeyKind::local) return sound;
    // An undefined window may still answer, so its key may not be used whether it is bound or not.
    return sound & all<D>(s.windows, WithRkey{key}, [&](auto& w) {
      return !(w.live & w.undefined & (w.rkey == key) & on_device(w));
    }) & windows([&](auto& w) {
      return behind(w, [&](auto& r) { return known(r, memory_of(w)); });
    });
  }
};

}  // namespace mrproof::model
