// The state of the model: protection domains, memory regions, memory windows, queue pairs, buffers.
#pragma once

#include <array>

#include "model/access.hpp"
#include "model/call.hpp"
#include "model/objects.hpp"

namespace mrproof::model {

/// A protection domain.
template <class D> struct ProtectionDomain { typename D::Bit live{}; };

/// A memory region. The range that keys address is [first, last]; `memory` is the virtual address
/// of the byte at `first`. A dead slot keeps its keys: they are the stale ones.
template <class D> struct Region {
  typename D::Bit live{};
  typename D::Bit empty{};            ///< registered with length zero: contains nothing
  typename D::Bit undefined{};        ///< may only be deregistered: nothing says what it is
  typename D::Bit null{};             ///< discards what is written, reads as zeros; local key only
  typename D::Bit outside_buffers{};  ///< its memory is none of the buffers
  /// Pages [unmapped_first, unmapped_last] of its memory were unmapped after it was registered: the
  /// region still holds them, the program does not see them any more.
  typename D::Bit unmapped{};
  typename D::Slot pd{};
  typename D::Flags access{};
  typename D::Address first{}, last{}, memory{}, unmapped_first{}, unmapped_last{};
  typename D::Key lkey{}, rkey{};
  typename D::Key old_lkey{}, old_rkey{};  ///< before the last re-registration
};

/// A memory window. While it is bound, its key gives remote access to [first, last]; `memory` is
/// the virtual address of the byte at `first`, in region `region`.
template <class D> struct Window {
  typename D::Bit live{}, bound{};
  typename D::Bit two{};        ///< type 2
  typename D::Bit undefined{};  ///< may only be deallocated: nothing says whether it is bound
  typename D::Slot pd{}, region{};
  typename D::Slot qp{};  ///< that a type 2 window was bound through
  typename D::Flags access{};
  typename D::Address first{}, last{}, memory{};
  typename D::Key rkey{};
  typename D::Key old_rkey{};  ///< before the last bind
};

/// An RC queue pair, connected to the one in the neighbouring slot (slot ^ 1), with room for one
/// posted receive of one or two elements.
template <class D> struct QueuePair {
  typename D::Bit live{};
  typename D::Slot pd{};
  typename D::Small state{};  ///< QpState::rts or err
  typename D::Flags access{};  ///< the remote rights that its peer may make use of
  typename D::Bit posted{};   ///< a receive is posted:
  typename D::Bit two{};      ///< with both elements; the second is empty otherwise
  std::array<Element<D>, 2> elements{};
};

/// Memory of the program: [first, last]; all of it is mapped and writable, but for one hole at
/// most.
template <class D> struct Buffer {
  typename D::Address first{}, last{};
  typename D::Bit hole{};       ///< [hole_first, hole_last] is not mapped, or
  typename D::Bit read_only{};  ///< is not writable
  typename D::Address hole_first{}, hole_last{};
};

/// What a device claims to be able to do, read from the device.
template <class D> struct Capabilities {
  typename D::Flags claimed{};        ///< feature access flags that the device says it supports
  typename D::Address max_message{};  ///< longest message in bytes (ibv_query_port(3), max_msg_sz)
  typename D::Flags features{};       ///< Feature flags that the device says it has
};

/// What a table finds PDs, regions, windows and queue pairs by.
template <> struct Links<ProtectionDomain<Plain>> {
  static constexpr std::size_t kLinks = 0;
  static std::array<std::optional<std::uint32_t>, 0> numbers(const ProtectionDomain<Plain>&) {
    return {};
  }
};
template <> struct Links<Region<Plain>> {
  static constexpr std::size_t kLinks = 3;
  static std::array<std::optional<std::uint32_t>, kLinks> numbers(const Region<Plain>& r) {
    if (!r.live.truth()) return {};
    return {index(r.lkey), index(r.rkey), r.pd.value()};
  }
  static std::array<Link, 1> of(const WithKey<Plain::Key>& w) {
    return {{{w.kind == KeyKind::local ? 0U : 1U, index(w.key)}}};
  }
  static std::array<Link, 1> of(const WithRkey<Plain::Key>& w) { return {{{1, index(w.key)}}}; }
  static std::array<Link, 2> of(const WithKeys<Plain::Key>& w) {
    return {{{0, index(w.lkey)}, {1, index(w.rkey)}}};
  }
  static std::array<Link, 1> of(const InPd<Plain::Slot>& w) { return {{{2, w.pd.value()}}}; }
  static std::uint32_t index(Plain::Key key) {
    return static_cast<std::uint32_t>(key_index(key).value());
  }
};
template <> struct Links<Window<Plain>> {
  static constexpr std::size_t kLinks = 4;
  static std::array<std::optional<std::uint32_t>, kLinks> numbers(const Window<Plain>& w) {
    if (!w.live.truth()) return {};
    std::array<std::optional<std::uint32_t>, kLinks> all{
        Links<Region<Plain>>::index(w.rkey), w.pd.value()};
    if (w.bound.truth()) all[2] = w.region.value();
    if ((w.bound & w.two).truth()) all[3] = w.qp.value();
    return all;
  }
  static std::array<Link, 1> of(const WithRkey<Plain::Key>& w) {
    return {{{0, Links<Region<Plain>>::index(w.key)}}};
  }
  static std::array<Link, 1> of(const InPd<Plain::Slot>& w) { return {{{1, w.pd.value()}}}; }
  static std::array<Link, 1> of(const OnRegion<Plain::Slot>& w) {
    return {{{2, w.region.value()}}};
  }
  static std::array<Link, 1> of(const ThroughQp<Plain::Slot>& w) { return {{{3, w.qp.value()}}}; }
};
template <> struct Links<QueuePair<Plain>> {
  static constexpr std::size_t kLinks = 1;
  static std::array<std::optional<std::uint32_t>, kLinks> numbers(const QueuePair<Plain>& q) {
    if (!q.live.truth()) return {};
    return {q.pd.value()};
  }
  static std::array<Link, 1> of(const InPd<Plain::Slot>& w) { return {{{0, w.pd.value()}}}; }
};

/// Memory that a program has beside its buffers, for regions that are larger than these: mapped,
/// writable, and what is in it is not looked at.
inline constexpr std::uint64_t kWideMemory = 0x210000000000ULL;
inline constexpr std::uint64_t kWideSize = (8ULL << 30U) + (1ULL << 16U);

/// Everything that rules read and effects change.
template <class D> struct State {
  typename D::template Objects<ProtectionDomain<D>, D::kPds> pds{};
  typename D::template Objects<Region<D>, D::kRegions> regions{};
  typename D::template Objects<Window<D>, D::kWindows> windows{};
  typename D::template Objects<QueuePair<D>, D::kQps> qps{};
  std::array<Buffer<D>, D::kBuffers> buffers{};
  Capabilities<D> can{};
  /// The process whose context the protection domains of each slot are made in, and all that is
  /// made in them: the same for a whole case, and a plain number in every domain.
  std::array<std::uint8_t, D::kPds> process{};
  bool wide = false;  ///< whether the program has kWideMemory; likewise a plain fact
  /// Whether each process is on a host of its own, with a device of its own: keys are numbers of
  /// that one, and what one has shown says nothing of the other. Likewise a plain fact.
  bool two_devices = false;
  [[nodiscard]] constexpr std::uint8_t process_of(std::size_t pd) const {
    return pd < process.size() ? process[pd] : std::uint8_t{0};
  }
  typename D::Flags defined{};  ///< access flags that the dialect gives a meaning
  typename D::Flags
      demonstrated_access{};  ///< access flags of every registration that succeeded so far
  typename D::Flags demonstrated_features{};  ///< Feature flags that some success has shown

  /// Access flags, Feature flags that the device claims or has granted before.
  constexpr auto promised_access() const {
    return two_devices ? can.claimed : can.claimed | demonstrated_access;
  }
  constexpr auto promised_features() const {
    return two_devices ? can.features : can.features | demonstrated_features;
  }
};

/// Whether objects of the two PDs belong to one process.
template <class D>
constexpr auto of_one_process(const State<D>& s, typename D::Slot one, typename D::Slot other) {
  return s.pds.template alike<D>(one, other, [&](std::size_t pd) { return s.process_of(pd); });
}
/// Whether they belong to one device, which then tells them apart by their keys.
template <class D>
constexpr auto of_one_device(const State<D>& s, typename D::Slot one, typename D::Slot other) {
  return s.two_devices ? of_one_process(s, one, other) : D::bit(true);
}

/// Whether queue pairs are connected over iWARP.
template <class D> constexpr auto is_iwarp(const State<D>& s) {
  return (s.can.features & kIwarp) != 0;
}
/// The slot of the queue pair at the other end.
constexpr std::uint32_t peer_of(std::uint32_t qp) { return qp ^ 1U; }

}  // namespace mrproof::model
