#include "specs/traces/by_rules.hpp"

#include "conformance/oracle/synthesize.hpp"
#include "conformance/trace/key_value.hpp"
#include "model/judge.hpp"
#include "specs/traces/concrete_rules.hpp"

namespace mrproof::specs {

using model::Plain;

namespace {

/// The planned call with its keys, if it may be made.
std::optional<Step> planned_step(const PlannedCall& planned, const model::Rulebook& book,
                                 const State<Plain>& state) {
  Step step;
  static_cast<PlannedCall&>(step) = planned;
  resolve_keys(step, state);
  if (!ConcreteRules::fits(step.call) || book.forbids(state, step.call) != nullptr)
    return std::nullopt;
  return step;
}

}  // namespace

std::vector<Result<Plain>> sound_answers(const model::Rulebook& book, const State<Plain>& state,
                                         const Call<Plain>& call) {
  std::vector<Result<Plain>> answers;
  for (std::size_t o = 0; o < model::kOutcomes; ++o)
    for (const auto* rule : book.rules(call.verb, static_cast<Outcome>(o))) {
      if (rule->weight != model::Weight::verdict) continue;
      if (const auto result = synthesize(*rule, state, call)) answers.push_back(*result);
    }
  return answers;
}

bool take_step(const model::Rulebook& book, const Step& step, State<Plain>& state) {
  const model::PlainView view{state, step.call, step.result};
  const auto judgement = model::judge(book, view);
  if (judgement.verdict == model::Verdict::deviates) return false;
  model::advance(*judgement.rule, view, state);
  return true;
}

std::optional<Situation> make_steps_by_rules(const Proposal& proposal,
                                             const model::Rulebook& book) {
  Situation s;
  s.can = proposal.can;
  s.setup = proposal.setup;
  auto state = initial_state(s.setup, s.can, book.defined_access());
  for (std::size_t i = 0; i < proposal.steps.size(); ++i) {
    auto step = planned_step(proposal.steps[i], book, state);
    const auto* rule = book.find(proposal.rules.at(i));
    if (!step || rule == nullptr) return std::nullopt;
    const auto seen = synthesize(*rule, state, step->call);
    if (!seen) return std::nullopt;
    s.states.push_back(state);
    s.steps.push_back(as_seen(*step, *seen));
    if (!take_step(book, s.steps.back(), state)) return std::nullopt;
  }
  s.states.push_back(state);
  s.truth = state;
  const auto next = planned_step(proposal.last, book, state);
  if (!next) return std::nullopt;
  const auto answers = sound_answers(book, state, next->call);
  if (answers.empty()) return std::nullopt;
  s.next = *next;
  s.seen = answers.front();
  return s;
}

}  // namespace mrproof::specs
