#include "specs/traces/by_rules.hpp"

#include "model/oracle/synthesize.hpp"

namespace mrproof::specs {

using model::Plain;

std::vector<Result<Plain>> sound_answers(const model::Rulebook& book, const State<Plain>& state,
                                         const Call<Plain>& call) {
  std::vector<Result<Plain>> answers;
  for (std::size_t o = 0; o < model::kOutcomes; ++o)
    for (const auto* rule : book.rules(call.verb, static_cast<Outcome>(o))) {
      if (rule->weight != model::Weight::verdict) continue;
      if (const auto result = model::synthesize(*rule, state, call)) answers.push_back(*result);
    }
  return answers;
}

std::optional<Situation> make_steps_by_rules(const Proposal& proposal,
                                             const model::Rulebook& book) {
  const auto by_rule = [&](std::size_t i, const State<Plain>& state,
                           const Call<Plain>& call) -> std::optional<Result<Plain>> {
    if (i < proposal.steps.size()) {
      const auto* rule = book.find(proposal.rules.at(i));
      return rule == nullptr ? std::nullopt : model::synthesize(*rule, state, call);
    }
    const auto answers = sound_answers(book, state, call);
    return answers.empty() ? std::nullopt : std::optional(answers.front());
  };
  auto situation = make_steps(proposal, book, Answer(by_rule));
  if (situation) situation->truth = situation->states.back();
  return situation;
}

}  // namespace mrproof::specs
