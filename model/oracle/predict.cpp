#include "model/oracle/predict.hpp"

#include <algorithm>

#include "model/oracle/synthesize.hpp"
#include "model/trace/key_value.hpp"

namespace mrproof::model {

namespace {

std::optional<State<Plain>> after(
    const Rulebook& book, const State<Plain>& state, const Step& step, Outcome outcome) {
  for (const PlainRule* rule : book.rules(step.call.verb, outcome)) {
    if (rule->weight != Weight::verdict) continue;
    const auto result = synthesize(*rule, state, step.call);
    if (!result) continue;
    State<Plain> next = state;
    advance(*rule, {state, step.call, *result}, next);
    return next;
  }
  return std::nullopt;
}

/// The outcome that the name's rule, or one that is missing, stands for: "send.rem_op_err".
std::optional<Outcome> outcome_of(const DeviationName& deviation) {
  const std::string name = deviation.outcome();
  const auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
  for (std::size_t i = 0; i < kOutcomes; ++i)
    if (std::equal(
            name.begin(), name.end(), kOutcomeNames.at(i).begin(), kOutcomeNames.at(i).end(), same))
      return static_cast<Outcome>(i);
  return std::nullopt;
}

bool same_name(const Judgement& judgement, const Step& step, const Annotation& wanted) {
  const Annotation name = annotate(judgement, step);
  return name.kind == wanted.kind && name.broken == wanted.broken;
}

}  // namespace

std::optional<State<Plain>> predicted(
    const Rulebook& book, const State<Plain>& state, const Step& step) {
  if (step.call.part == Part::posted) return state;  // it takes effect with its completion
  if (auto next = after(book, state, step, step.result.outcome)) return next;
  for (std::size_t i = 0; i < kOutcomes; ++i)
    if (auto next = after(book, state, step, static_cast<Outcome>(i))) return next;
  return std::nullopt;
}

bool may_show(
    const Rulebook& book, const State<Plain>& state, const Step& step, const Annotation& wanted) {
  if (wanted.verdict != Verdict::deviates)
    return same_name(judge_trouble(book, {state, step.call, {}}, wanted.verdict), step, wanted);
  Result<Plain> result;
  const PlainRule* rule = book.find(wanted.rule);
  const auto outcome = rule == nullptr ? outcome_of(wanted) : rule->outcome;
  if (!outcome) return true;
  result.outcome = *outcome;
  if (rule != nullptr) {
    if (rule->verb != step.call.verb) return false;
    const auto seen = seen_by(*rule, state, step.call);
    if (seen) result = *seen;
  }
  const Judgement judgement = judge(book, {state, step.call, result});
  const bool about_details =
      wanted.kind == DeviationClass::detail || wanted.kind == DeviationClass::bytes;
  if (judgement.verdict != Verdict::deviates || judgement.kind == DeviationClass::detail)
    return about_details;
  return same_name(judgement, step, wanted);
}

Prospect predict(const Trace& trace, const Annotation& wanted) {
  const Rulebook& book = *find_rulebook(trace.dialect);
  State<Plain> state = initial_state(trace.setup, trace.can, book.defined_access());
  for (const Step& told : trace.steps) {
    Step step = told;
    resolve_keys(step, state);
    if (step.call.part != Part::whole) return Prospect::possible;  // who knows when it is made
    if (book.forbids(state, step.call) != nullptr) return Prospect::forbidden;
    if (&told == &trace.steps.back())
      return may_show(book, state, step, wanted) ? Prospect::possible : Prospect::hopeless;
    const auto next = predicted(book, state, step);
    if (!next) break;  // who knows
    state = *next;
  }
  return Prospect::possible;
}

bool drop_forbidden(Trace& trace) {
  const Rulebook& book = *find_rulebook(trace.dialect);
  State<Plain> state = initial_state(trace.setup, trace.can, book.defined_access());
  const std::size_t before = trace.steps.size();
  for (std::size_t i = 0; i + 1 < trace.steps.size();) {
    Step step = trace.steps[i];
    resolve_keys(step, state);
    if (book.forbids(state, step.call) != nullptr) {
      trace.steps.erase(trace.steps.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    const auto next = predicted(book, state, step);
    if (!next) break;
    state = *next;
    ++i;
  }
  return trace.steps.size() < before;
}

}  // namespace mrproof::model
