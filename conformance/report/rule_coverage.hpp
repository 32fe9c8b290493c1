// Which rules were open and taken, and which of their conditions decided alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/judge/rulebook.hpp"

namespace mrproof::conformance {

/// A rule and a situation's condition of it. It decides alone where all else that the rule requires
/// is as it has to be: what is required is broken alone; of the reasons for a refusal it is the
/// only one.
struct DecidingCondition {
  const model::PlainRule* rule = nullptr;
  const model::PlainCondition* condition = nullptr;
  bool reason = false;
};

/// Counts for one rulebook. Rules that prove nothing (no_resources, transport) are left out.
class RuleCoverage {
 public:
  /// `book` has to outlive it.
  explicit RuleCoverage(const model::Rulebook& book);

  /// Looks at a call that is made in a state: which rules are open, what decides alone.
  void look(const model::PlainView& view);
  /// The rule was taken.
  void take(const model::PlainRule& rule);

  /// Everything that there is to be seen.
  [[nodiscard]] const std::vector<DecidingCondition>& conditions() const { return conditions_; }
  /// How often each of conditions() decided alone.
  [[nodiscard]] const std::vector<std::uint64_t>& alone() const { return alone_; }
  /// How often each rule of the book was open, and taken.
  [[nodiscard]] const std::vector<std::uint64_t>& open() const { return open_; }
  [[nodiscard]] const std::vector<std::uint64_t>& taken() const { return taken_; }
  [[nodiscard]] const model::Rulebook& book() const { return *book_; }

 private:
  /// A rule as bits of its verb's conditions.
  struct Row {
    const model::PlainRule* rule = nullptr;
    std::size_t place = 0;  ///< in the book
    std::uint64_t required = 0, required_true = 0, reason_true = 0, reason_false = 0;
    std::size_t first = 0;  ///< place of its first item in conditions_
    std::vector<unsigned> required_bits, reason_bits;
  };
  struct VerbRows {
    std::vector<const model::PlainCondition*> conditions;
    std::vector<Row> rows;
  };
  unsigned bit_of(VerbRows& verb, const model::PlainCondition* condition);

  const model::Rulebook* book_;
  std::vector<VerbRows> verbs_;
  std::vector<DecidingCondition> conditions_;
  std::vector<std::uint64_t> alone_, open_, taken_;
};

}  // namespace mrproof::conformance
