#include "model/rulebook.hpp"

#include <algorithm>
#include <iterator>

#include "model/rules/messages.hpp"
#include "model/rules/objects.hpp"
#include "model/rules/rdma.hpp"

namespace mrproof::model {

Rulebook::Rulebook(std::string_view dialect, std::span<const std::span<const PlainRule>> rules,
                   std::span<const std::span<const Duty<Plain>>> duties)
    : dialect_(dialect) {
  for (const auto& group : rules) {
    for (const PlainRule& rule : group) {
      rules_.push_back(&rule);
      by_outcome_.at(static_cast<std::size_t>(rule.verb))
          .at(static_cast<std::size_t>(rule.outcome))
          .push_back(&rule);
    }
  }
  for (const auto& group : duties)
    for (const auto& duty : group)
      duties_.at(static_cast<std::size_t>(duty.verb)) = duty.conditions;
}

std::span<const PlainRule* const> Rulebook::rules(Verb verb, Outcome outcome) const {
  return by_outcome_.at(static_cast<std::size_t>(verb)).at(static_cast<std::size_t>(outcome));
}

std::span<const PlainCondition* const> Rulebook::duties(Verb verb) const {
  return duties_.at(static_cast<std::size_t>(verb));
}

const PlainCondition* Rulebook::forbids(const State<Plain>& state, const Call<Plain>& call) const {
  const Result<Plain> nothing_yet;
  const PlainView view{state, call, nothing_yet};
  for (const PlainCondition* duty : duties(call.verb))
    if (!duty->holds(view).truth()) return duty;
  return nullptr;
}

const PlainRule* Rulebook::find(std::string_view id) const {
  const auto found =
      std::find_if(rules_.begin(), rules_.end(), [&](const auto* rule) { return rule->id == id; });
  return found == rules_.end() ? nullptr : *found;
}

std::size_t Rulebook::index(const PlainRule& rule) const {
  return static_cast<std::size_t>(
      std::distance(rules_.begin(), std::find(rules_.begin(), rules_.end(), &rule)));
}

const Rulebook& linux_rulebook() {
  static const std::array<std::span<const PlainRule>, 4> rules{
      ObjectRules<Plain>::kRules, MessageRules<Plain>::kRules, RdmaRules<Plain>::kWrite,
      RdmaRules<Plain>::kRead};
  static const std::array<std::span<const Duty<Plain>>, 3> duties{
      ObjectRules<Plain>::kDuties, MessageRules<Plain>::kDuties, RdmaRules<Plain>::kDuties};
  static const Rulebook book("linux", rules, duties);
  return book;
}

const Rulebook* find_rulebook(std::string_view dialect) {
  return dialect == "linux" ? &linux_rulebook() : nullptr;
}

}  // namespace mrproof::model
