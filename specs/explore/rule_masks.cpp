#include "specs/explore/rule_masks.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/judge/dialects.hpp"
#include "model/judge/rulebook.hpp"

namespace mrproof::specs {

using namespace model;

namespace {

/// The bit of a condition among those of a verb; new ones get the next.
std::uint64_t bit_of(std::vector<const RuleCondition*>& conditions,
                     const RuleCondition* condition) {
  auto found = std::find(conditions.begin(), conditions.end(), condition);
  if (found == conditions.end()) {
    if (conditions.size() == 64)
      throw std::length_error("a verb has more than 64 conditions; widen the masks");
    found = conditions.insert(found, condition);
  }
  return std::uint64_t{1} << static_cast<unsigned>(found - conditions.begin());
}

}  // namespace

RuleMasks::RuleMasks(std::string_view dialect)
    : verbs_(kVerbs), defined_(find_rulebook(dialect)->defined_access()) {
  const auto add_all = [&](const auto& groups) {
    for (const auto& group : groups)
      for (const auto& rules : group) add(rules);
  };
  if (dialect == kDialects[0]) add_all(kLinuxRules<RuleDomain>);
  if (dialect == kDialects[1]) add_all(kLinux2006Rules<RuleDomain>);
  if (dialect == kDialects[2]) add_all(kExperimentalRules<RuleDomain>);
}

void RuleMasks::add(const VerbRules<RuleDomain>& rules) {
  auto& verb = verbs_.at(static_cast<std::size_t>(rules.verb));
  verb.preconditions.assign(rules.preconditions.begin(), rules.preconditions.end());
  for (const RuleRow& rule : rules.rules) {
    if (rule.weight == Weight::inconclusive) continue;
    MaskedRule masked;
    masked.rule = &rule;
    masked.id = std::string(kVerbNames.at(static_cast<std::size_t>(rules.verb))) + "." + rule.name;
    for (const auto& [condition, holds] : rule.requires_all) {
      if (condition->about != About::situation) continue;
      const auto bit = bit_of(verb.conditions, condition);
      masked.required |= bit;
      if (holds) masked.required_true |= bit;
    }
    masked.has_reasons = !rule.reasons.empty();
    for (const auto& [condition, holds] : rule.reasons)
      (holds ? masked.reason_true : masked.reason_false) |= bit_of(verb.conditions, condition);
    verb.rules.push_back(masked);
  }
}

bool RuleMasks::replace(const RuleCondition& condition) {
  bool replaced = false;
  for (auto& verb : verbs_)
    for (auto* list : {&verb.preconditions, &verb.conditions})
      for (auto& known : *list)
        if (std::string_view(known->id) == condition.id) {
          known = &condition;
          replaced = true;
        }
  return replaced;
}

bool RuleMasks::drop(std::string_view id) {
  std::size_t dropped = 0;
  for (auto& verb : verbs_)
    dropped += std::erase_if(verb.rules, [&](const MaskedRule& rule) { return rule.id == id; });
  return dropped != 0;
}

}  // namespace mrproof::specs
