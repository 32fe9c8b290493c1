// The rules of a dialect, ready to be asked.
#pragma once

#include <array>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/rule.hpp"

namespace mrproof::model {

using PlainCondition = Condition<Plain>;
using PlainView = View<Plain>;

/// A rule as one verb has it: verbs that share a table have rules of their own.
struct PlainRule : Rule<Plain> {
  using Applies = VerbRules<Plain>::Applies;

  PlainRule(const Rule<Plain>& row, Verb of_verb, std::size_t at, Applies function);
  Verb verb;
  std::size_t place;  ///< in its rulebook's rules()
  std::string id;     ///< "verb.name"
  Applies applies;    ///< whether it applies to a view: all its terms, and one of its reasons
};

/// All rules and preconditions of one dialect over the oracle's domain. Immutable; share it freely.
class Rulebook {
 public:
  using Group = std::span<const VerbRules<Plain>>;

  /// `defined`: the access flags that the dialect gives a meaning.
  Rulebook(std::string_view dialect, std::uint32_t defined, std::span<const Group> groups);
  Rulebook(const Rulebook&) = delete;
  Rulebook& operator=(const Rulebook&) = delete;

  std::string_view dialect() const { return dialect_; }
  std::uint32_t defined_access() const { return defined_; }
  /// Every rule, in the order of the catalogue; a rule's index is its place here.
  std::span<const PlainRule* const> rules() const { return rules_; }
  /// The rules that allow `outcome` of `verb`, the strictest first.
  std::span<const PlainRule* const> rules(Verb verb, Outcome outcome) const {
    return by_outcome_[static_cast<std::size_t>(verb)][static_cast<std::size_t>(outcome)];
  }
  /// Whether the dialect has the verb.
  bool has(Verb verb) const;
  /// What the caller of `verb` owes.
  std::span<const PlainCondition* const> preconditions(Verb verb) const;
  /// The precondition that a caller would break, or null: then the call may be made.
  const PlainCondition* forbids(const State<Plain>& state, const Call<Plain>& call) const;
  /// The same for the call of a view, which keeps what its keys were found to be.
  const PlainCondition* forbids(const PlainView& view) const;
  /// Every condition that a rule or a precondition speaks of, once.
  std::vector<const PlainCondition*> conditions() const;
  /// The rule of that id, or null.
  const PlainRule* find(std::string_view id) const;
  /// Place in rules() of one of them.
  std::size_t index(const PlainRule& rule) const { return rule.place; }

 private:
  std::string_view dialect_;
  std::uint32_t defined_;
  std::deque<PlainRule> store_;
  std::vector<const PlainRule*> rules_;
  std::array<std::array<std::vector<const PlainRule*>, kOutcomes>, kVerbs> by_outcome_;
  std::array<std::span<const PlainCondition* const>, kVerbs> preconditions_{};
};

/// Stands for the precondition to call only verbs that the dialect has.
extern const PlainCondition kVerbInDialect;
/// The current manual pages of rdma-core.
const Rulebook& linux_rulebook();
/// The older ibv_reg_mr(3): fewer flags and verbs.
const Rulebook& linux_2006_rulebook();
/// The vendor's experimental verbs: another ibv_rereg_mr(), shared regions.
const Rulebook& experimental_rulebook();
/// The names of all dialects: "linux", "linux-2006", "mlnx-exp".
inline constexpr std::array<std::string_view, 3> kDialects{"linux", "linux-2006", "mlnx-exp"};
/// The rulebook of that name, or null.
const Rulebook* find_rulebook(std::string_view dialect);

}  // namespace mrproof::model
