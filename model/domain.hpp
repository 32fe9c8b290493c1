// The vocabulary that rules are written in, and its concrete domain.
//
// State, calls and rules are templates over a domain D. A domain gives value types (Bit, Address,
// Key, Flags, Small) whose only operations are the ones below, so that one definition of a rule
// serves the oracle (plain words), exhaustive exploration (narrow words) and proof (bit-vectors).
// Rules never branch in C++ on a value of the domain.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mrproof::model {

/// A number or an enumerator of C++: the same in every domain.
template <class T>
concept Literal = (std::integral<T> || std::is_enum_v<T>)&&!std::same_as<T, bool>;

/// A truth value. Not a bool on purpose: what does not compile here would not work symbolically.
class Bit {
 public:
  constexpr Bit() = default;
  template <std::same_as<bool> B> constexpr Bit(B value) : value_(value) {}
  friend constexpr Bit operator&(Bit a, Bit b) { return Bit(a.value_ && b.value_); }
  friend constexpr Bit operator|(Bit a, Bit b) { return Bit(a.value_ || b.value_); }
  friend constexpr Bit operator!(Bit a) { return Bit(!a.value_); }
  friend constexpr Bit operator==(Bit a, Bit b) { return Bit(a.value_ == b.value_); }
  /// Leaves the domain: for the oracle and its printers, never for rules.
  [[nodiscard]] constexpr bool truth() const { return value_; }

 private:
  bool value_ = false;
};

/// The narrowest unsigned type that holds N bits.
template <unsigned N>
using Storage = std::conditional_t<(N <= 8), std::uint8_t,
    std::conditional_t<(N <= 16), std::uint16_t,
        std::conditional_t<(N <= 32), std::uint32_t, std::uint64_t>>>;

/// An unsigned word of N bits; arithmetic wraps around modulo 2^N.
template <unsigned N> class Word {
 public:
  static constexpr std::uint64_t kMask = N == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << N) - 1;
  constexpr Word() = default;
  template <Literal T>
  constexpr Word(T value)
      : value_(static_cast<Storage<N>>(static_cast<std::uint64_t>(value) & kMask)) {}
  friend constexpr Word operator+(Word a, Word b) { return Word(a.wide() + b.wide()); }
  friend constexpr Word operator-(Word a, Word b) { return Word(a.wide() - b.wide()); }
  friend constexpr Word operator&(Word a, Word b) { return Word(a.wide() & b.wide()); }
  friend constexpr Word operator|(Word a, Word b) { return Word(a.wide() | b.wide()); }
  friend constexpr Word operator~(Word a) { return Word(~a.wide()); }
  friend constexpr Bit operator==(Word a, Word b) { return Bit(a.value_ == b.value_); }
  friend constexpr Bit operator!=(Word a, Word b) { return Bit(a.value_ != b.value_); }
  friend constexpr Bit operator<(Word a, Word b) { return Bit(a.value_ < b.value_); }
  friend constexpr Bit operator<=(Word a, Word b) { return Bit(a.value_ <= b.value_); }
  friend constexpr Bit operator>(Word a, Word b) { return Bit(a.value_ > b.value_); }
  friend constexpr Bit operator>=(Word a, Word b) { return Bit(a.value_ >= b.value_); }
  /// Leaves the domain: for the oracle and its printers, never for rules.
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

 private:
  [[nodiscard]] constexpr std::uint64_t wide() const { return value_; }
  Storage<N> value_ = 0;
};

/// The name of an object, which is all that can be said of it: it is the same as another, or not.
class Name {
 public:
  constexpr Name() = default;
  template <Literal T> constexpr Name(T slot) : slot_(static_cast<std::uint32_t>(slot)) {}
  friend constexpr Bit operator==(Name a, Name b) { return Bit(a.slot_ == b.slot_); }
  friend constexpr Bit operator!=(Name a, Name b) { return Bit(a.slot_ != b.slot_); }
  /// Leaves the domain: for containers, the oracle and its printers, never for rules.
  [[nodiscard]] constexpr std::uint32_t value() const { return slot_; }

 private:
  std::uint32_t slot_ = 0;
};

template <class T, std::size_t N> struct ObjectArray;
template <class T, std::size_t Few> class ObjectTable;

/// A domain of machine words: addresses of AddressBits bits, the given number of object slots.
template <unsigned AddressBits, std::size_t PdSlots, std::size_t RegionSlots,
    std::size_t WindowSlots, std::size_t QpSlots>
struct Concrete {
  using Bit = model::Bit;
  using Address = Word<AddressBits>;
  using Key = Word<32>;
  using Flags = Word<32>;
  using Small = Word<8>;
  using Slot = Small;
  /// What holds its objects (model/objects.hpp).
  template <class T, std::size_t N> using Objects = ObjectArray<T, N>;
  static constexpr std::size_t kPds = PdSlots, kRegions = RegionSlots, kWindows = WindowSlots;
  static constexpr std::size_t kQps = QpSlots, kBuffers = 4;
  static constexpr Bit bit(bool value) { return Bit(value); }
  static constexpr Address address(Literal auto value) { return Address(value); }
  static constexpr Key key(Literal auto value) { return Key(value); }
  static constexpr Flags flags(Literal auto value) { return Flags(value); }
  static constexpr Small small(Literal auto value) { return Small(value); }
  static constexpr Slot slot(Literal auto value) { return Slot(value); }
  static constexpr Bit select(Bit when, Bit yes, Bit no) { return when.truth() ? yes : no; }
  template <unsigned N> static constexpr Word<N> select(Bit when, Word<N> yes, Word<N> no) {
    return when.truth() ? yes : no;
  }
  /// Whether the bit can be true. The one C++ branch that rules take on a value: to leave out work
  /// whose result cannot matter. A symbolic domain says yes to all that it has not decided.
  static constexpr bool possible(Bit bit) { return bit.truth(); }
  /// Whether every bit is known to be true or false, so that what is possible() is true.
  static constexpr bool kDecided = true;
};

/// The oracle's domain: 64-bit addresses, any number of objects. The numbers are those of slots
/// that are looked at one by one, and that cases have which are told nothing else.
struct Plain : Concrete<64, 4, 8, 4, 4> {
  using Slot = Name;
  static constexpr Slot slot(Literal auto value) { return Slot(value); }
  using Concrete::select;
  static constexpr Name select(Bit when, Name yes, Name no) { return when.truth() ? yes : no; }
  template <class T, std::size_t Few> using Objects = ObjectTable<T, Few>;
};
/// The most slots of a kind that a trace may name.
inline constexpr std::uint32_t kMostObjects = 1U << 20U;

/// a implies b.
template <class B> constexpr B implies(B a, B b) { return (!a) | b; }

/// Whether some element satisfies the predicate.
template <class D> constexpr auto any(const auto& slots, auto&& predicate) {
  auto result = D::bit(false);
  for (const auto& slot : slots) {
    result = result | predicate(slot);
    if (!D::possible(!result)) break;
  }
  return result;
}
/// Whether every element satisfies the predicate.
template <class D> constexpr auto all(const auto& slots, auto&& predicate) {
  auto result = D::bit(true);
  for (const auto& slot : slots) {
    result = result & predicate(slot);
    if (!D::possible(result)) break;
  }
  return result;
}
/// Whether `when` implies what `then` says; `then` is only asked where it matters.
template <class D> constexpr auto only_if(typename D::Bit when, auto&& then) {
  if (!D::possible(when)) return D::bit(true);
  return (!when) | then();
}
/// Whether every flag of `wanted` is set in `flags`.
template <class D> constexpr auto has(typename D::Flags flags, std::uint32_t wanted) {
  return (flags & wanted) == wanted;
}
/// Whether some flag of `wanted` is set in `flags`.
template <class D> constexpr auto has_any(typename D::Flags flags, std::uint32_t wanted) {
  return (flags & wanted) != 0;
}
/// Whether the `length` bytes at `start`, at least one, lie in [first, last] without wrapping.
template <class D>
constexpr auto within(typename D::Address start, typename D::Address length,
    typename D::Address first, typename D::Address last) {
  const auto end = start + length - 1;
  return (length != 0) & (start <= end) & (first <= start) & (end <= last);
}

}  // namespace mrproof::model
