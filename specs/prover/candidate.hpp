// One way for the skeleton of a question to hold, and which comparisons of numbers it needs.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "specs/smt/skeleton.hpp"

namespace mrproof::specs {

/// Values of all bits and narrow words of a store, by what a skeleton says of its unknowns and its
/// comparisons of wide words; what it does not speak of is 0.
class Candidate {
 public:
  explicit Candidate(const smt::Skeleton& skeleton) : skeleton_(skeleton) {}

  /// The bit is wanted to be what it is: finds comparisons that suffice for that, few of them.
  void need(smt::Ref bit);
  /// The comparisons that are needed.
  [[nodiscard]] const std::vector<smt::Ref>& comparisons() const { return comparisons_; }
  /// The comparison, negated if it does not hold, with the words in the place of choices that the
  /// candidate chooses.
  smt::Ref resolved(smt::Ref comparison);
  /// The bits that decide on these choices.
  std::vector<smt::Literal> choices(smt::Ref comparison);
  smt::Number value(smt::Ref ref);

 private:
  void need_word(smt::Ref word);
  void need_either(smt::Ref a, smt::Ref b, smt::Number wanted);
  unsigned weight(smt::Ref ref);
  smt::Ref resolve(smt::Ref word);

  const smt::Skeleton& skeleton_;
  std::unordered_map<smt::Ref, smt::Number> values_;
  std::unordered_map<smt::Ref, unsigned> weights_;
  std::unordered_map<smt::Ref, smt::Ref> resolved_;
  std::unordered_set<smt::Ref> needed_;
  std::vector<smt::Ref> comparisons_;
};

}  // namespace mrproof::specs
