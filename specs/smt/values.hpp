// Terms as values with operators, and the domain of terms that rules can be asked in.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/domain.hpp"
#include "specs/smt/store.hpp"

namespace mrproof::specs::smt {

/// Counts the orderings (<, <=, >, >=) that are made while it lives, and makes the one numbered
/// `shifted` a neighbour of what it is: < for <= and the other way round.
class Orderings {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};
  explicit Orderings(std::size_t shifted = kNone);
  Orderings(const Orderings&) = delete;
  Orderings& operator=(const Orderings&) = delete;
  ~Orderings();
  /// How many there were so far.
  [[nodiscard]] std::size_t count() const { return made_.size(); }
  /// What they would be if none were shifted.
  [[nodiscard]] const std::vector<Ref>& made() const { return made_; }
  /// The ordering, or its neighbour if that is the one to be shifted.
  static Ref make(Op op, Ref a, Ref b);
  /// Whether there is such an object in this thread.
  static bool are_counted();

 private:
  std::size_t shifted_;
  std::vector<Ref> made_;
  Orderings* before_;
};

/// A bit: has the operators of model::Bit.
class Bit {
 public:
  Bit() = default;
  template <std::same_as<bool> B>
  Bit(B value) : ref_(value ? kTrue : kFalse) {}
  static Bit of(Ref ref) {
    Bit bit;
    bit.ref_ = ref;
    return bit;
  }
  static Bit unknown(std::string name) { return of(Store::current().unknown(0, std::move(name))); }
  [[nodiscard]] Ref ref() const { return ref_; }
  friend Bit operator&(Bit a, Bit b) { return a.with(Op::conjunction, b); }
  friend Bit operator|(Bit a, Bit b) { return a.with(Op::disjunction, b); }
  friend Bit operator!(Bit a) { return of(Store::current().make(Op::negation, a.ref_)); }
  friend Bit operator==(Bit a, Bit b) { return a.with(Op::equal, b); }

 private:
  [[nodiscard]] Bit with(Op op, Bit b) const { return of(Store::current().make(op, ref_, b.ref_)); }
  Ref ref_ = kFalse;
};

/// A word of N bits: has the operators of model::Word<N>.
template <unsigned N>
class Word {
 public:
  static constexpr unsigned kWidth = N;
  Word() : Word(0) {}
  template <model::Literal T>
  Word(T value) : ref_(Store::current().constant(N, static_cast<std::uint64_t>(value))) {}
  static Word of(Ref ref) { return Word(Tag{}, ref); }
  static Word unknown(std::string name) { return of(Store::current().unknown(N, std::move(name))); }
  [[nodiscard]] Ref ref() const { return ref_; }
  friend Word operator+(Word a, Word b) { return a.with(Op::add, b); }
  friend Word operator-(Word a, Word b) { return a.with(Op::subtract, b); }
  friend Word operator&(Word a, Word b) { return a.with(Op::bit_and, b); }
  friend Word operator|(Word a, Word b) { return a.with(Op::bit_or, b); }
  friend Word operator~(Word a) { return of(Store::current().make(Op::bit_not, a.ref_)); }
  friend Bit operator==(Word a, Word b) {
    return Bit::of(Store::current().make(Op::equal, a.ref_, b.ref_));
  }
  friend Bit operator!=(Word a, Word b) { return !(a == b); }
  friend Bit operator<(Word a, Word b) { return a.ordered(Op::less, b); }
  friend Bit operator<=(Word a, Word b) { return a.ordered(Op::less_equal, b); }
  friend Bit operator>(Word a, Word b) { return b.ordered(Op::less, a); }
  friend Bit operator>=(Word a, Word b) { return b.ordered(Op::less_equal, a); }

 private:
  struct Tag {};
  Word(Tag /*tag*/, Ref ref) : ref_(ref) {}
  [[nodiscard]] Word with(Op op, Word b) const {
    return of(Store::current().make(op, ref_, b.ref_));
  }
  [[nodiscard]] Bit ordered(Op op, Word b) const {
    return Bit::of(Orderings::make(op, ref_, b.ref_));
  }
  Ref ref_;
};

/// The same number in a wider word: sums of such do not wrap around.
template <unsigned Wide, unsigned N>
Word<Wide> widen(Word<N> word) {
  return Word<Wide>::of(Store::current().extend(word.ref(), Wide));
}

/// A domain of terms with the given number of object slots (see model/domain.hpp).
template <std::size_t PdSlots, std::size_t RegionSlots, std::size_t WindowSlots,
          std::size_t QpSlots, std::size_t BufferSlots>
struct Symbolic {
  using Bit = smt::Bit;
  using Address = Word<64>;
  using Key = Word<32>;
  using Flags = Word<32>;
  using Small = Word<8>;
  using Slot = Small;
  template <class T, std::size_t N>
  using Objects = model::ObjectArray<T, N>;
  static constexpr std::size_t kPds = PdSlots;
  static constexpr std::size_t kRegions = RegionSlots;
  static constexpr std::size_t kWindows = WindowSlots;
  static constexpr std::size_t kQps = QpSlots;
  static constexpr std::size_t kBuffers = BufferSlots;
  static Bit bit(bool value) { return Bit(value); }
  static Address address(model::Literal auto value) { return Address(value); }
  static Key key(model::Literal auto value) { return Key(value); }
  static Flags flags(model::Literal auto value) { return Flags(value); }
  static Small small(model::Literal auto value) { return Small(value); }
  static Slot slot(model::Literal auto value) { return Slot(value); }
  static Bit select(Bit when, Bit yes, Bit no) {
    return Bit::of(Store::current().make(Op::choice, when.ref(), yes.ref(), no.ref()));
  }
  template <unsigned N>
  static Word<N> select(Bit when, Word<N> yes, Word<N> no) {
    return Word<N>::of(Store::current().make(Op::choice, when.ref(), yes.ref(), no.ref()));
  }
  /// All that is not decided is possible.
  static bool possible(Bit bit) {
    // What is left out where it is known to be false would give those behind it other numbers.
    return bit.ref() != kFalse || Orderings::are_counted();
  }
  static constexpr bool kDecided = false;
};

}  // namespace mrproof::specs::smt
