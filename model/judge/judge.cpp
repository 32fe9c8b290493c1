#include "model/judge/judge.hpp"

#include <algorithm>

#include "model/conditions/circumstances.hpp"

namespace mrproof::model {
namespace {

bool term_holds(const Term<Plain>& term, const PlainView& view) {
  return term.condition->holds(view).truth() == term.holds;
}
/// Whether all terms but those that speak of the observation hold.
bool situation_fits(const PlainRule& rule, const PlainView& view) {
  return std::all_of(
      rule.requires_all.begin(), rule.requires_all.end(), [&](const Term<Plain>& term) {
        return term.condition->about == About::observation || term_holds(term, view);
      });
}

bool has_reason(const PlainRule& rule, const PlainView& view) {
  return rule.reasons.empty() || std::any_of(rule.reasons.begin(), rule.reasons.end(),
                                     [&](const auto& term) { return term_holds(term, view); });
}

Verdict verdict_of(Weight weight) {
  if (weight == Weight::inconclusive) return Verdict::inconclusive;
  return weight == Weight::unsupported ? Verdict::unsupported : Verdict::conforms;
}
void no_reason(Judgement& judgement, const PlainView& view) {
  judgement.broken.push_back(&kNothingForbids);
  add_circumstances(judgement, view);
}
/// What keeps the rule from applying, as a deviation.
Judgement explain_against(const PlainRule& rule, const PlainView& view) {
  Judgement judgement;
  judgement.verdict = Verdict::deviates;
  judgement.rule = &rule;
  bool situation_broken = false;
  for (const auto about : {About::situation, About::observation}) {
    // What was seen with a result that should not have come is of no further interest.
    if (about == About::observation && situation_broken) break;
    for (const auto& term : rule.requires_all) {
      if (term.condition->about != about || term_holds(term, view)) continue;
      judgement.broken.push_back(term.condition);
      situation_broken |= about == About::situation;
    }
    if (about == About::situation && !has_reason(rule, view)) {
      no_reason(judgement, view);
      situation_broken = true;
    }
  }
  judgement.kind = situation_broken ? DeviationClass::status : DeviationClass::detail;
  return judgement;
}
/// How many conditions are broken, circumstances aside.
std::ptrdiff_t count_broken(const Judgement& judgement) {
  const auto& named = judgement.broken;
  return std::count_if(named.begin(), named.end(),
      [](const auto* c) { return c == &kNothingForbids || c->about != About::circumstance; });
}
Judgement deviation(const Rulebook& book, const PlainView& view) {
  const Outcome outcome = view.result.outcome;
  Judgement best;
  for (const PlainRule* rule : book.rules(view.call.verb, outcome)) {
    if (rule->weight == Weight::inconclusive) continue;
    const Judgement candidate = explain_against(*rule, view);
    if (best.rule == nullptr || is_plainer(candidate, best)) best = candidate;
  }
  if (best.rule == nullptr) {
    best.verdict = Verdict::deviates;
    best.kind = DeviationClass::status;
    best.broken.push_back(&kOutcomeKnown);
  }
  if (best.kind == DeviationClass::detail) return best;
  const OutcomeSet right = allowed(book, view);
  if (outcome == Outcome::ok) {
    best.kind = DeviationClass::accepted;
    tell_bounds_apart(best, view);
  }
  if (outcome == Outcome::ok || !right.contains(Outcome::ok)) return best;
  best.kind = DeviationClass::rejected;
  // Where success alone is right, the name says so: a failure that has the wrong status only must
  // not hide it.
  if (right.count() == 1 && !best.names(&kNothingForbids)) no_reason(best, view);
  return best;
}

Bit never(const PlainView& /*view*/) { return Bit(false); }

}  // namespace

const PlainCondition kNothingForbids{"nothing_forbids",
    "nothing in the situation gives a reason for this refusal", "harness.reasons",
    About::circumstance, never};
const PlainCondition kBytesAsPredicted{"bytes_as_predicted",
    "memory holds other bytes than predicted", "harness.bytes", About::circumstance, never};
const PlainCondition kOutcomeKnown{"outcome_known", "no rule of the verb has this outcome",
    "poll_cq.status 11.6.2", About::circumstance, never};

bool is_plainer(const Judgement& a, const Judgement& b) {
  if ((a.kind == DeviationClass::detail) != (b.kind == DeviationClass::detail))
    return a.kind == DeviationClass::detail;
  return count_broken(a) < count_broken(b);
}

Judgement judge(const Rulebook& book, const PlainView& view) {
  for (const PlainRule* rule : book.rules(view.call.verb, view.result.outcome)) {
    if (!rule->applies(view)) continue;
    Judgement judgement;
    judgement.verdict = verdict_of(rule->weight);
    judgement.rule = rule;
    return judgement;
  }
  return deviation(book, view);
}

Judgement judge_trouble(const Rulebook& book, const PlainView& view, Verdict verdict) {
  Result<Plain> nothing;
  nothing.outcome = Outcome::none;
  const PlainView unseen{view.state, view.call, nothing};
  Judgement judgement;
  judgement.verdict = verdict;
  const auto rules = book.rules(view.call.verb, Outcome::ok);
  for (const auto& term : rules.front()->requires_all)
    if (term.condition->about == About::situation && !term_holds(term, unseen))
      judgement.broken.push_back(term.condition);
  add_circumstances(judgement, unseen);
  return judgement;
}

OutcomeSet allowed(const Rulebook& book, const PlainView& view) {
  OutcomeSet set;
  for (std::size_t i = 0; i < kOutcomes; ++i)
    for (const PlainRule* rule : book.rules(view.call.verb, static_cast<Outcome>(i)))
      if (rule->weight != Weight::inconclusive && situation_fits(*rule, view) &&
          has_reason(*rule, view))
        set.add(rule->outcome);
  return set;
}

void tell_bounds_apart(Judgement& judgement, const PlainView& view) {
  if (std::ranges::none_of(kBounds<Plain>, [&](auto* c) { return judgement.names(c); })) return;
  for (const PlainCondition* circumstance : kOutOfBounds<Plain>)
    if (circumstance->holds(view).truth()) judgement.broken.push_back(circumstance);
}

void add_circumstances(Judgement& judgement, const PlainView& view) {
  for (const PlainCondition* circumstance : kCircumstances<Plain>)
    if (circumstance->holds(view).truth()) judgement.broken.push_back(circumstance);
}

}  // namespace mrproof::model
