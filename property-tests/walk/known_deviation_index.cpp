#include "property-tests/walk/known_deviation_index.hpp"

#include <algorithm>
#include <string_view>

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

/// The situation's conditions that a rule would break, as a deviation names them.
std::string broken_situation(const PlainRule& rule, const PlainView& view) {
  std::string names;
  for (const auto& term : rule.requires_all) {
    if (term.condition->about == About::observation) continue;
    if (term.condition->holds(view).truth() == term.holds) continue;
    if (!names.empty()) names += '+';
    names += term.condition->id;
  }
  return names;
}

/// What an unexplained refusal of the view's call with the view's outcome would be named by.
std::string refusal_name(const PlainView& view) {
  Judgement judgement;
  judgement.add_broken(&kNothingForbids);
  add_circumstances(judgement, view);
  return joined_names(judgement);
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

/// The terms of those names, joined by '+'; nothing if some name is none of theirs.
std::optional<Terms> terms_named(std::string_view names, const Terms& terms) {
  Terms found;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find('+'));
    const auto is_it = [&](const Term<Plain>& term) { return term.condition->id == name; };
    const auto term = std::find_if(terms.begin(), terms.end(), is_it);
    if (term == terms.end()) return std::nullopt;
    found.push_back(*term);
    names.remove_prefix(std::min(name.size() + 1, names.size()));
  }
  return found;
}

}  // namespace

/// What has to hold where the deviation is met, as far as single conditions say; nothing if it is
/// never met.
std::optional<std::vector<Term<Plain>>> KnownDeviationIndex::named_by(const KnownDeviation& known,
                                                                      const PlainRule& rule,
                                                                      const Rulebook& book) {
  if (known.kind == KnownDeviation::kTrouble) {
    if (known.broken == "-") return Terms();
    Terms terms = broken_terms(*book.rules(rule.verb, Outcome::ok).front());
    const Terms more = circumstances();
    terms.insert(terms.end(), more.begin(), more.end());
    return terms_named(known.broken, terms);
  }
  if (known.kind == "accepted") return terms_named(known.broken, broken_terms(rule));
  // A refusal that nothing explains, not even a circumstance, cannot be told beforehand.
  const std::string first = std::string(kNothingForbids.id) + "+";
  if (!known.broken.starts_with(first)) return std::nullopt;
  return terms_named(std::string_view(known.broken).substr(first.size()), circumstances());
}

void KnownDeviationIndex::take(const std::vector<KnownDeviation>& known, const Rulebook& book) {
  for (; taken_ < known.size(); ++taken_) {
    const KnownDeviation& one = known[taken_];
    const PlainRule* rule = book.find(one.rule);
    if (rule == nullptr) continue;
    const Kind kind = one.kind == KnownDeviation::kTrouble ? Kind::trouble
                      : one.kind == "accepted"             ? Kind::accepted
                                                           : Kind::refused;
    if (auto named = named_by(one, *rule, book))
      of_verb_.at(static_cast<std::size_t>(rule->verb))
          .push_back({taken_, kind, rule, std::move(*named)});
  }
}

const KnownDeviation* KnownDeviationIndex::met(const std::vector<KnownDeviation>& known,
                                               const Rulebook& book, const PlainView& view) const {
  for (const Entry& entry : of_verb_[static_cast<std::size_t>(view.call.verb)])
    if (meets(known[entry.index], entry, book, view)) return &known[entry.index];
  return nullptr;
}

bool KnownDeviationIndex::meets(const KnownDeviation& known, const Entry& entry,
                                const Rulebook& book, const PlainView& view) {
  if (entry.kind == Kind::accepted)
    return are_as_named(entry.named, view) && broken_situation(*entry.rule, view) == known.broken;
  Result<Plain> result;
  result.outcome = entry.kind == Kind::trouble ? Outcome::none : entry.rule->outcome;
  const PlainView ended = view.ended_by(result);
  if (!are_as_named(entry.named, ended)) return false;
  return entry.kind == Kind::trouble ? covers(known.broken, trouble_name(book, ended))
                                     : refusal_name(ended) == known.broken;
}

}  // namespace mrproof::property_tests
