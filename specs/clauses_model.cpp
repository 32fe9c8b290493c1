#include "specs/clauses_model.hpp"

#include <algorithm>

#include "model/conditions/circumstances.hpp"
#include "model/judge/judge.hpp"
#include "model/judge/leftovers.hpp"
#include "model/judge/rulebook.hpp"
#include "model/oracle/flight.hpp"
#include "model/oracle/together.hpp"

namespace mrproof::specs {
namespace {

/// A clause or a gap.
struct Named {
  std::string_view id;
  std::span<const std::string_view> conditions;
  std::span<const std::string_view> rules;
  bool resolved = false;  ///< its carriers are another clause's
  bool out_of_scope = false;

  [[nodiscard]] bool has_condition(std::string_view condition) const {
    return std::find(conditions.begin(), conditions.end(), condition) != conditions.end();
  }
  [[nodiscard]] bool has_rule(std::string_view rule) const {
    return std::any_of(rules.begin(), rules.end(),
                       [&](auto pattern) { return names_rule(pattern, rule); });
  }
};

bool names(const std::string& list, std::string_view id) {
  const auto all = words(list);
  return std::find(all.begin(), all.end(), id) != all.end();
}

class Finder {
 public:
  Finder(std::span<const Clause> clauses, std::span<const Gap> gaps, const Carriers& model)
      : model_(&model) {
    for (const Clause& c : clauses)
      named_.push_back({c.id, c.conditions, c.rules, !c.same_as.empty(), !c.out_of_scope.empty()});
    for (const Gap& g : gaps) named_.push_back({g.id, g.conditions, g.rules});
  }

  std::vector<std::string> find() {
    for (const Named& one : named_) check(one);
    for (const auto& [id, clauses] : model_->conditions) {
      if (words(clauses).empty()) report("condition " + id, "names no clause and no gap");
      check_list("condition " + id, clauses,
                 [&name = id](const Named& one) { return one.has_condition(name); });
    }
    for (const auto& [id, freedom] : model_->rules) {
      const auto lists_it = [&name = id](const Named& one) { return one.has_rule(name); };
      check_list("rule " + id, freedom, lists_it);
      if (std::none_of(named_.begin(), named_.end(), lists_it))
        report("rule " + id, "no clause and no gap lists it");
    }
    return findings_;
  }

 private:
  void report(const std::string& subject, const std::string& what) {
    findings_.push_back(subject + ": " + what);
  }

  void check(const Named& one) {
    const std::string subject(one.id);
    if (!one.out_of_scope && one.conditions.empty() && one.rules.empty())
      report(subject, "nothing carries it, and it is not out of scope");
    for (const auto id : one.conditions) {
      const auto found = model_->conditions.find(std::string(id));
      if (found == model_->conditions.end())
        report(subject, "no condition '" + std::string(id) + "'");
      else if (!one.resolved && !names(found->second, one.id))
        report(subject, "condition '" + std::string(id) + "' does not name it");
    }
    for (const auto pattern : one.rules)
      if (std::none_of(model_->rules.begin(), model_->rules.end(),
                       [&](const auto& rule) { return names_rule(pattern, rule.first); }))
        report(subject, "no rule '" + std::string(pattern) + "'");
  }

  /// Whether all that the list names is there and names the subject too.
  template <class Lists>
  void check_list(const std::string& subject, const std::string& list, Lists&& lists) {
    for (const auto id : words(list)) {
      const auto found = std::find_if(named_.begin(), named_.end(),
                                      [&](const Named& one) { return one.id == id; });
      if (found == named_.end())
        report(subject, "no clause or gap '" + std::string(id) + "'");
      else if (!lists(*found))
        report(subject, "'" + std::string(id) + "' does not list it");
    }
  }

  const Carriers* model_;
  std::vector<Named> named_;
  std::vector<std::string> findings_;
};

}  // namespace

Carriers model_carriers() {
  using namespace model;
  Carriers all;
  const auto add = [&](const PlainCondition* c) { all.conditions.emplace(c->id, c->clauses); };
  for (const auto dialect : kDialects) {
    const Rulebook& book = *find_rulebook(dialect);
    for (const PlainRule* rule : book.rules()) {
      std::string& freedom = all.rules[rule->id];
      if (rule->freedom != nullptr) freedom += std::string(" ") + rule->freedom;
    }
    for (const auto* condition : book.conditions()) add(condition);
  }
  for (const auto* condition : kCircumstances<Plain>) add(condition);
  for (const auto* condition :
       {&kVerbInDialect, &kNothingForbids, &kBytesAsPredicted, &kOutcomeKnown, &kMayBeInFlight,
        &kFlightLeavesAlone, &kFlightApart, &kFailsBehind, &kPeerChanges, &kRegionEnds,
        &kMayOverlap, &kAnyOrder, &kOverlaps})
    add(condition);
  for (const auto& condition : kNothingLeft) add(&condition);
  return all;
}

std::vector<std::string> orphans(std::span<const Clause> clauses, std::span<const Gap> gaps,
                                 const Carriers& model) {
  return Finder(clauses, gaps, model).find();
}

}  // namespace mrproof::specs
