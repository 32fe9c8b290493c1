#include "conformance/catalogue/catalogue.hpp"

#include <algorithm>
#include <cctype>

#include "model/conditions/circumstances.hpp"
#include "model/judge/leftovers.hpp"
#include "model/oracle/flight.hpp"
#include "model/oracle/together.hpp"
#include "model/trace/notation.hpp"
#include "specs/citations.hpp"

namespace mrproof::conformance {

using namespace model;
using specs::Clause;
using specs::Gap;

namespace {

char lower(unsigned char letter) { return static_cast<char>(std::tolower(letter)); }

bool has(std::string_view text, const std::string& search) {
  return std::search(text.begin(), text.end(), search.begin(), search.end(), [](char a, char b) {
           return lower(static_cast<unsigned char>(a)) == lower(static_cast<unsigned char>(b));
         }) != text.end();
}

/// Whether a clause or gap of the list has the search in it.
bool named_have(std::string_view ids, std::string_view dialect, const std::string& search) {
  if (has(ids, search)) return true;
  for (const Clause* clause : specs::cited(ids, dialect))
    if (has(clause->id, search) || has(specs::citation(*clause), search) ||
        has(clause->text, search))
      return true;
  const auto gaps = specs::gaps_of(ids);
  return std::any_of(gaps.begin(), gaps.end(), [&](const Gap* gap) {
    return has(gap->text, search) || has(gap->decision, search);
  });
}

bool rule_has(const Rulebook& book, const PlainRule& rule, const std::string& search) {
  if (has(rule.id, search) ||
      has(model::print_outcome(rule.outcome, is_transfer(rule.verb)), search))
    return true;
  if (rule.freedom != nullptr && named_have(rule.freedom, book.dialect(), search)) return true;
  for (const auto& list : {rule.requires_all, rule.reasons})
    for (const auto& term : list)
      if (has(term.condition->id, search) || has(term.condition->sentence, search) ||
          named_have(term.condition->clauses, book.dialect(), search))
        return true;
  const auto clauses = clauses_of(book, rule);
  return std::any_of(clauses.begin(), clauses.end(), [&](const Clause* clause) {
    return named_have(clause->id, book.dialect(), search);
  });
}

template <class List, class Value>
bool contains(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

std::vector<const PlainRule*> find_rules(const Rulebook& book, const std::string& search) {
  std::vector<const PlainRule*> found;
  for (const PlainRule* rule : book.rules())
    if (search.empty() || rule_has(book, *rule, search)) found.push_back(rule);
  return found;
}

std::vector<const Gap*> find_gaps(const Rulebook& book, const std::string& search) {
  std::vector<const Gap*> found;
  for (const Gap& gap : specs::gaps())
    if ((!rules_named(book, gap.rules).empty() ||
         !conditions_named(book, gap.conditions).empty()) &&
        (search.empty() || named_have(gap.id, book.dialect(), search)))
      found.push_back(&gap);
  return found;
}

std::vector<const PlainRule*> rules_named(const Rulebook& book,
                                          std::span<const std::string_view> patterns) {
  std::vector<const PlainRule*> found;
  for (const PlainRule* rule : book.rules())
    if (std::any_of(patterns.begin(), patterns.end(),
                    [&](auto pattern) { return specs::names_rule(pattern, rule->id); }))
      found.push_back(rule);
  return found;
}

std::vector<const Clause*> clauses_of(const Rulebook& book, const PlainRule& rule) {
  std::vector<const Clause*> found;
  for (const Clause& clause : specs::clauses())
    if (specs::speaks_for(clause, book.dialect()) &&
        std::any_of(clause.rules.begin(), clause.rules.end(),
                    [&](auto pattern) { return specs::names_rule(pattern, rule.id); }))
      found.push_back(&clause);
  return found;
}

std::vector<const PlainCondition*> conditions_named(const Rulebook& book,
                                                    std::span<const std::string_view> ids) {
  std::vector<const PlainCondition*> found;
  for (const PlainCondition* condition : all_conditions(book))
    if (contains(ids, std::string_view(condition->id))) found.push_back(condition);
  return found;
}

std::vector<const PlainCondition*> all_conditions(const Rulebook& book) {
  auto all = book.conditions();
  for (const PlainCondition* circumstance : kCircumstances<Plain>)
    if (!contains(all, circumstance)) all.push_back(circumstance);
  for (const PlainCondition* named : {&kNothingForbids, &kBytesAsPredicted, &kOutcomeKnown,
                                      &kMayBeInFlight, &kFlightLeavesAlone, &kFlightApart,
                                      &kFailsBehind, &kPeerChanges, &kRegionEnds, &kMayOverlap,
                                      &kAnyOrder, &kOverlaps})
    all.push_back(named);
  for (const auto& condition : kNothingLeft) all.push_back(&condition);
  return all;
}

}  // namespace mrproof::conformance
