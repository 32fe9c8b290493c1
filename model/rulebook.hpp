// The rules of a dialect, ready to be asked.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "model/rule.hpp"

namespace mrproof::model {

using PlainRule = Rule<Plain>;
using PlainCondition = Condition<Plain>;
using PlainView = View<Plain>;

/// All rules and duties of one dialect over the oracle's domain. Immutable; share it freely.
class Rulebook {
 public:
  explicit Rulebook(std::string_view dialect, std::span<const std::span<const PlainRule>> rules,
                    std::span<const std::span<const Duty<Plain>>> duties);

  [[nodiscard]] std::string_view dialect() const { return dialect_; }
  /// Every rule, in the order of the catalogue; a rule's index is its place here.
  [[nodiscard]] std::span<const PlainRule* const> rules() const { return rules_; }
  /// The rules that allow `outcome` of `verb`, the strictest first.
  [[nodiscard]] std::span<const PlainRule* const> rules(Verb verb, Outcome outcome) const;
  /// What the caller of `verb` owes.
  [[nodiscard]] std::span<const PlainCondition* const> duties(Verb verb) const;
  /// The duty that a caller would break, or null: then the call may be made.
  [[nodiscard]] const PlainCondition* forbids(const State<Plain>& state,
                                              const Call<Plain>& call) const;
  /// The rule of that id, or null.
  [[nodiscard]] const PlainRule* find(std::string_view id) const;
  /// Place of a rule in rules().
  [[nodiscard]] std::size_t index(const PlainRule& rule) const;

 private:
  std::string_view dialect_;
  std::vector<const PlainRule*> rules_;
  std::array<std::array<std::vector<const PlainRule*>, kOutcomes>, kVerbs> by_outcome_;
  std::array<std::span<const PlainCondition* const>, kVerbs> duties_{};
};

/// The current manual pages of rdma-core.
const Rulebook& linux_rulebook();

/// The rulebook of that name, or null. Names: "linux".
const Rulebook* find_rulebook(std::string_view dialect);

}  // namespace mrproof::model
