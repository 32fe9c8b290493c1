// Terms of bits and bit-vectors, each stored once.
//
// Equal terms have equal references, so that "this conjunct says after the step what it said before
// it" is a comparison of numbers, and what has the same meaning for a simple reason is not proved
// twice. Nothing here knows a solver.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mrproof::specs::smt {

/// Wide enough for the sums of two 64-bit numbers.
__extension__ using Number = unsigned __int128;

/// What a term is made by. Comparisons are unsigned: there are no others.
enum class Op : std::uint8_t {
  constant,
  unknown,
  negation,     ///< of a bit
  conjunction,  ///< of bits
  disjunction,
  choice,  ///< args[0]: a bit; args[1] if it is true, else args[2]: bits or words
  equal,   ///< bits or words
  less,
  less_equal,
  add,
  subtract,
  bit_and,
  bit_or,
  bit_not,
  extend,  ///< with zeros
};

/// A term of the current store.
using Ref = std::uint32_t;
inline constexpr Ref kFalse = 0;
inline constexpr Ref kTrue = 1;

/// One term. A bit has width 0.
struct Node {
  Op op = Op::constant;
  std::uint8_t width = 0;
  std::array<Ref, 3> args{};
  Number value = 0;  ///< of a constant; of an unknown, its index in Store::names()

  friend bool operator==(const Node&, const Node&) = default;
};

/// How many arguments a term of that kind has.
std::size_t arity(Op op);

/// Tells terms apart by what they mean, in all stores alike.
struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

/// Holds terms. Arguments of a term have smaller references than the term. Not for two threads.
class Store {
 public:
  Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// The store that this thread makes terms in: the youngest one that lives.
  static Store& current();

  Ref constant(unsigned width, Number value);
  /// The unknown of that name; width 0: a bit.
  Ref unknown(unsigned width, std::string name);
  /// The term, simplified where that is cheap.
  Ref make(Op op, Ref a, Ref b = 0, Ref c = 0);
  Ref extend(Ref a, unsigned width);

  /// Whether the term compares words of 64 bits or more.
  [[nodiscard]] bool compares_wide(Ref ref) const;

  [[nodiscard]] const Node& node(Ref ref) const { return nodes_[ref]; }
  [[nodiscard]] bool is_constant(Ref ref) const { return nodes_[ref].op == Op::constant; }
  [[nodiscard]] Fingerprint fingerprint(Ref ref) const { return fingerprints_[ref]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// The unknown of that name; kFalse if there is none.
  [[nodiscard]] Ref find(std::string_view name) const;
  /// The terms that these are made of, themselves included, arguments first.
  [[nodiscard]] std::vector<Ref> cone(const std::vector<Ref>& roots) const;

 private:
  /// A sum of terms and negated terms, and a constant.
  struct Sum {
    std::vector<Ref> plus;
    std::vector<Ref> minus;
    Number rest = 0;
  };

  Ref intern(const Node& node);
  void add_to(Sum& sum, Ref term, bool negated, unsigned width) const;
  Ref simplify_sum(Op op, Ref a, Ref b);
  [[nodiscard]] Fingerprint fingerprint_of(const Node& node) const;
  Ref simplify_bits(Op op, Ref a, Ref b);
  Ref simplify_choice(Ref when, Ref yes, Ref no);
  Ref simplify_words(Op op, Ref a, Ref b);
  [[nodiscard]] bool opposite(Ref a, Ref b) const;

  struct Hash {
    std::size_t operator()(const Node& node) const;
  };
  std::vector<Node> nodes_;
  std::vector<Fingerprint> fingerprints_;
  std::unordered_map<Node, Ref, Hash> known_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Ref> by_name_;
  Store* before_;
};

/// The greatest number of that width; 1 for a bit.
constexpr Number greatest(unsigned width) {
  return width == 0 ? 1 : (static_cast<Number>(1) << width) - 1;
}

/// The value of an operation on numbers: what a term of constants is.
Number apply(Op op, unsigned width, Number a, Number b, Number c);

/// What unknowns are: by their index in Store::names(); those beyond the end are 0.
using Assignment = std::vector<Number>;

/// The values of the terms under the assignment.
std::vector<Number> evaluate(const Store& store, const std::vector<Ref>& roots,
                             const Assignment& values);

}  // namespace mrproof::specs::smt
