#include "model/judge/rulebook.hpp"

#include <algorithm>

#include "model/judge/dialects.hpp"

namespace mrproof::model {

PlainRule::PlainRule(const Rule<Plain>& row, Verb of_verb, std::size_t at, Applies function)
    : Rule<Plain>(row),
      verb(of_verb),
      place(at),
      id(std::string(kVerbNames.at(static_cast<std::size_t>(of_verb))) + "." + row.name),
      applies(function) {}

Rulebook::Rulebook(std::string_view dialect, std::uint32_t defined, std::span<const Group> groups)
    : dialect_(dialect), defined_(defined) {
  for (const auto& group : groups) {
    for (const auto& [verb, rows, owed, functions] : group) {
      const auto place = static_cast<std::size_t>(verb);
      preconditions_.at(place) = owed;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        rules_.push_back(&store_.emplace_back(rows[i], verb, rules_.size(), functions[i]));
        const auto outcome = static_cast<std::size_t>(rows[i].outcome);
        by_outcome_.at(place).at(outcome).push_back(rules_.back());
      }
    }
  }
}

bool Rulebook::has(Verb verb) const { return !rules(verb, Outcome::ok).empty(); }
std::span<const PlainCondition* const> Rulebook::preconditions(Verb verb) const {
  return preconditions_.at(static_cast<std::size_t>(verb));
}

const PlainCondition* Rulebook::forbids(const State<Plain>& state, const Call<Plain>& call) const {
  const Result<Plain> nothing_yet;
  return forbids({state, call, nothing_yet});
}
const PlainCondition* Rulebook::forbids(const PlainView& view) const {
  if (!has(view.call.verb)) return &kVerbInDialect;
  for (const PlainCondition* precondition : preconditions(view.call.verb))
    if (!precondition->holds(view).truth()) return precondition;
  return nullptr;
}

std::vector<const PlainCondition*> Rulebook::conditions() const {
  std::vector<const PlainCondition*> all;
  const auto add = [&](const PlainCondition* condition) {
    if (std::find(all.begin(), all.end(), condition) == all.end()) all.push_back(condition);
  };
  for (const PlainRule* rule : rules_)
    for (const auto& list : {rule->requires_all, rule->reasons})
      for (const auto& term : list) add(term.condition);
  for (const auto& list : preconditions_)
    for (const auto* precondition : list) add(precondition);
  return all;
}
const PlainRule* Rulebook::find(std::string_view id) const {
  const auto found =
      std::find_if(rules_.begin(), rules_.end(), [&](const auto* rule) { return rule->id == id; });
  return found == rules_.end() ? nullptr : *found;
}

const PlainCondition kVerbInDialect{"verb_in_dialect", "the dialect has this verb",
    "harness.dialect", About::situation, [](const PlainView& /*v*/) { return Bit(false); }};

const Rulebook& linux_rulebook() {
  static const Rulebook book(kDialects[0], kDefinedAccess, kLinuxRules<Plain>);
  return book;
}
const Rulebook& linux_2006_rulebook() {
  static const Rulebook book(kDialects[1], kDefinedAccess2006, kLinux2006Rules<Plain>);
  return book;
}
const Rulebook& experimental_rulebook() {
  static const Rulebook book(kDialects[2], kDefinedAccessExperimental, kExperimentalRules<Plain>);
  return book;
}
const Rulebook* find_rulebook(std::string_view dialect) {
  for (const auto* book : {&linux_rulebook(), &linux_2006_rulebook(), &experimental_rulebook()})
    if (book->dialect() == dialect) return book;
  return nullptr;
}

}  // namespace mrproof::model
