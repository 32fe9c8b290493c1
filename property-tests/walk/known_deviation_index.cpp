#include "property-tests/walk/known_deviation_index.hpp"

#include <algorithm>
#include <span>

#include "model/conditions/circumstances.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

using Terms = std::vector<Term<Plain>>;

bool are_as_named(const Terms& named, const PlainView& view) {
  return std::all_of(named.begin(), named.end(), [&](const Term<Plain>& term) {
    return term.condition->holds(view).truth() == term.holds;
  });
}

/// What a success of the view's call that breaks the rule would be named by.
BrokenConditions broken_situation(const PlainRule& rule, const PlainView& view) {
  Judgement judgement;
  for (const auto& term : rule.requires_all)
    if (term.condition->about != About::observation &&
        term.condition->holds(view).truth() != term.holds)
      judgement.broken.push_back(term.condition);
  tell_bounds_apart(judgement, view);
  return BrokenConditions(judgement.broken);
}

/// What an unexplained refusal of the view's call with the view's outcome would be named by.
BrokenConditions refusal_conditions(const PlainView& view) {
  Judgement judgement;
  judgement.broken.push_back(&kNothingForbids);
  add_circumstances(judgement, view);
  return BrokenConditions(judgement.broken);
}

/// The terms of which the rule could say that they are broken, each with what it is then.
Terms broken_terms(const PlainRule& rule) {
  Terms terms;
  for (const auto& term : rule.requires_all)
    if (term.condition->about != About::observation) terms.push_back({term.condition, !term.holds});
  return terms;
}

Terms circumstances() {
  Terms terms;
  for (const PlainCondition* circumstance : kCircumstances<Plain>)
    terms.push_back({circumstance, true});
  return terms;
}

/// The terms of those names; nothing if some name is none of theirs.
std::optional<Terms> terms_named(std::span<const std::string> names, const Terms& terms) {
  Terms found;
  for (const std::string& name : names) {
    const auto is_it = [&](const Term<Plain>& term) { return term.condition->id == name; };
    const auto term = std::find_if(terms.begin(), terms.end(), is_it);
    if (term == terms.end()) return std::nullopt;
    found.push_back(*term);
  }
  return found;
}

}  // namespace

/// What has to hold where the deviation is met, as far as single conditions say; nothing if it is
/// never met.
std::optional<std::vector<Term<Plain>>> KnownDeviationIndex::named_by(const DeviationName& known,
                                                                      const PlainRule& rule,
                                                                      const Rulebook& book) {
  const auto names = known.broken.ids();
  if (is_trouble(known)) {
    if (known.broken.is_dash()) return Terms();
    Terms terms = broken_terms(*book.rules(rule.verb, Outcome::ok).front());
    const Terms more = circumstances();
    terms.insert(terms.end(), more.begin(), more.end());
    return terms_named(names, terms);
  }
  if (known.kind == DeviationClass::accepted) {
    Terms terms = broken_terms(rule);
    for (const PlainCondition* circumstance : kOutOfBounds<Plain>)
      terms.push_back({circumstance, true});
    return terms_named(names, terms);
  }
  // A refusal that nothing explains, not even a circumstance, cannot be told beforehand.
  if (names.size() < 2 || names.front() != kNothingForbids.id) return std::nullopt;
  return terms_named(names.subspan(1), circumstances());
}

void KnownDeviationIndex::take(const std::vector<DeviationName>& known, const Rulebook& book) {
  for (; taken_ < known.size(); ++taken_) {
    const DeviationName& one = known[taken_];
    const PlainRule* rule = book.find(one.rule);
    if (rule == nullptr) continue;
    const Kind kind = is_trouble(one)                        ? Kind::trouble
                      : one.kind == DeviationClass::accepted ? Kind::accepted
                                                             : Kind::refused;
    if (auto named = named_by(one, *rule, book))
      of_verb_.at(static_cast<std::size_t>(rule->verb))
          .push_back({taken_, kind, rule, std::move(*named)});
  }
}

const DeviationName* KnownDeviationIndex::met(const std::vector<DeviationName>& known,
                                              const Rulebook& book, const PlainView& view) const {
  for (const Entry& entry : of_verb_[static_cast<std::size_t>(view.call.verb)])
    if (meets(known[entry.index], entry, book, view)) return &known[entry.index];
  return nullptr;
}

bool KnownDeviationIndex::meets(const DeviationName& known, const Entry& entry,
                                const Rulebook& book, const PlainView& view) {
  Result<Plain> result;
  result.outcome = entry.kind == Kind::trouble ? Outcome::none : entry.rule->outcome;
  const PlainView ended = view.ended_by(result);
  if (!are_as_named(entry.named, ended)) return false;
  if (entry.kind == Kind::accepted) return broken_situation(*entry.rule, ended) == known.broken;
  return entry.kind == Kind::trouble ? trouble_name(book, ended).broken.contains_all(known.broken)
                                     : refusal_conditions(ended) == known.broken;
}

}  // namespace mrproof::property_tests
