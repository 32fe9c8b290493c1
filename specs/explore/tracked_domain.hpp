// A domain of values that know where they come from: which objects of the state a rule has read to
// come to its answer. So an answer is found once and holds in all states that agree on those
// objects, however the others differ.
//
// Sources are a set of bits, one for each object. An operation takes those of its operands that
// decide: of `a & b`, where a is false, those of a alone. C++ branches that rules take on a value
// (possible()) are read by whatever comes after them, and are collected apart.
#pragma once

#include <cstdint>

#include "specs/explore/world.hpp"

namespace mrproof::specs {

/// A set of objects; `kUntouched` besides: the value is that of the state, nothing has written it.
using Sources = std::uint16_t;
inline constexpr Sources kUntouched = 1U << 15U;

/// What a thread's C++ branches have read since it was set to zero.
inline thread_local Sources g_branched_on = 0;

/// A truth value with its sources.
class TrackedBit {
 public:
  constexpr TrackedBit() = default;
  template <std::same_as<bool> B>
  constexpr TrackedBit(B value) : value_(value) {}
  constexpr TrackedBit(bool value, Sources sources) : value_(value), sources_(sources) {}
  friend constexpr TrackedBit operator&(TrackedBit a, TrackedBit b) {
    if (a.value_ && b.value_) return {true, both(a, b)};
    // One that is false decides alone: the one that comes from less.
    const bool first = !a.value_ && (b.value_ || a.read() <= b.read());
    return {false, first ? a.read() : b.read()};
  }
  friend constexpr TrackedBit operator|(TrackedBit a, TrackedBit b) { return !((!a) & (!b)); }
  friend constexpr TrackedBit operator!(TrackedBit a) { return {!a.value_, a.read()}; }
  friend constexpr TrackedBit operator==(TrackedBit a, TrackedBit b) {
    return {a.value_ == b.value_, both(a, b)};
  }
  /// Leaves the domain: not for rules.
  [[nodiscard]] constexpr bool truth() const { return value_; }
  [[nodiscard]] constexpr Sources sources() const { return sources_; }

 private:
  [[nodiscard]] constexpr Sources read() const {
    return static_cast<Sources>(sources_ & ~kUntouched);
  }
  static constexpr Sources both(TrackedBit a, TrackedBit b) {
    return static_cast<Sources>(a.read() | b.read());
  }
  bool value_ = false;
  Sources sources_ = 0;
};

/// A word of N bits with its sources; arithmetic as that of model::Word.
template <unsigned N>
class TrackedWord {
 public:
  using Plain = model::Word<N>;
  constexpr TrackedWord() = default;
  template <model::Literal T>
  constexpr TrackedWord(T value) : value_(value) {}
  constexpr TrackedWord(Plain value, Sources sources) : value_(value), sources_(sources) {}
  friend constexpr TrackedWord operator+(TrackedWord a, TrackedWord b) {
    return {a.value_ + b.value_, both(a, b)};
  }
  friend constexpr TrackedWord operator-(TrackedWord a, TrackedWord b) {
    return {a.value_ - b.value_, both(a, b)};
  }
  friend constexpr TrackedWord operator&(TrackedWord a, TrackedWord b) {
    return {a.value_ & b.value_, both(a, b)};
  }
  friend constexpr TrackedWord operator|(TrackedWord a, TrackedWord b) {
    return {a.value_ | b.value_, both(a, b)};
  }
  friend constexpr TrackedWord operator~(TrackedWord a) { return {~a.value_, a.read()}; }
  friend constexpr TrackedBit operator==(TrackedWord a, TrackedWord b) {
    return {(a.value_ == b.value_).truth(), both(a, b)};
  }
  friend constexpr TrackedBit operator!=(TrackedWord a, TrackedWord b) { return !(a == b); }
  friend constexpr TrackedBit operator<(TrackedWord a, TrackedWord b) {
    return {(a.value_ < b.value_).truth(), both(a, b)};
  }
  friend constexpr TrackedBit operator<=(TrackedWord a, TrackedWord b) { return !(b < a); }
  friend constexpr TrackedBit operator>(TrackedWord a, TrackedWord b) { return b < a; }
  friend constexpr TrackedBit operator>=(TrackedWord a, TrackedWord b) { return !(a < b); }
  /// Leaves the domain: not for rules.
  [[nodiscard]] constexpr Plain plain() const { return value_; }
  [[nodiscard]] constexpr Sources sources() const { return sources_; }
  [[nodiscard]] constexpr Sources read() const {
    return static_cast<Sources>(sources_ & ~kUntouched);
  }

 private:
  static constexpr Sources both(TrackedWord a, TrackedWord b) {
    return static_cast<Sources>(a.read() | b.read());
  }
  Plain value_{};
  Sources sources_ = 0;
};

/// The explorer's world of watched values.
struct TrackedDomain {
  using Bit = TrackedBit;
  using Address = TrackedWord<64>;
  using Key = TrackedWord<32>;
  using Flags = TrackedWord<32>;
  using Small = TrackedWord<8>;
  using Slot = Small;
  template <class T, std::size_t N>
  using Objects = model::ObjectArray<T, N>;
  static constexpr std::size_t kPds = World::kPds, kRegions = World::kRegions;
  static constexpr std::size_t kWindows = World::kWindows, kQps = World::kQps;
  static constexpr std::size_t kBuffers = World::kBuffers;
  static constexpr Bit bit(bool value) { return Bit(value); }
  static constexpr Address address(model::Literal auto value) { return Address(value); }
  static constexpr Key key(model::Literal auto value) { return Key(value); }
  static constexpr Flags flags(model::Literal auto value) { return Flags(value); }
  static constexpr Small small(model::Literal auto value) { return Small(value); }
  static constexpr Slot slot(model::Literal auto value) { return Slot(value); }
  static constexpr Bit select(Bit when, Bit yes, Bit no) { return (when & yes) | ((!when) & no); }
  template <unsigned N>
  static constexpr TrackedWord<N> select(Bit when, TrackedWord<N> yes, TrackedWord<N> no) {
    const auto& chosen = when.truth() ? yes : no;
    const auto decided = static_cast<Sources>(when.sources() & ~kUntouched);
    return {chosen.plain(), static_cast<Sources>(chosen.read() | decided)};
  }
  static bool possible(Bit bit) {
    g_branched_on = static_cast<Sources>(g_branched_on | (bit.sources() & ~kUntouched));
    return bit.truth();
  }
  /// What a bit that is true comes from counts, too.
  static constexpr bool kDecided = false;
};

}  // namespace mrproof::specs
