#include "specs/explain/explain_deviation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/trace/notation.hpp"
#include "specs/citations.hpp"

namespace mrproof::specs {

using namespace model;

namespace {

/// The rules that the situation allows, resources aside.
std::vector<const PlainRule*> allowed_rules(const Rulebook& book, const PlainView& view) {
  const auto holds = [&](const Term<Plain>& term) {
    return term.condition->about == About::observation ||
           term.condition->holds(view).truth() == term.holds;
  };
  std::vector<const PlainRule*> rules;
  for (std::size_t i = 0; i < kOutcomes; ++i)
    for (const PlainRule* rule : book.rules(view.call.verb, static_cast<Outcome>(i))) {
      const auto& all = rule->requires_all;
      const auto& any = rule->reasons;
      if (rule->weight != Weight::inconclusive && std::all_of(all.begin(), all.end(), holds) &&
          (any.empty() || std::any_of(any.begin(), any.end(), holds)))
        rules.push_back(rule);
    }
  return rules;
}

/// What there is to say of a deviation beside its name, and what that cites.
struct Background {
  std::vector<std::string> lines, cited;
};

/// Which rules would have been right, and which ones made the objects what they are.
Background trace_back(const model::Oracle& oracle) {
  Background background;
  const auto& surprise = oracle.surprise();
  if (!surprise) return background;
  const auto& book = oracle.book();
  const PlainView view{surprise->state, surprise->call, surprise->result};
  const auto cite_all = [&](const std::string& clauses) {
    for (const auto id : specs::words(clauses)) background.cited.emplace_back(id);
    return cite(clauses, book.dialect());
  };
  for (const auto* condition : surprise->judgement.broken) cite_all(condition->clauses);
  const auto tell = [&](const std::string& what, const std::vector<const PlainRule*>& rules) {
    std::string names, clauses;
    for (const PlainRule* rule : rules) {
      names += (names.empty() ? "" : ", ") + rule->id;
      clauses += clauses_of_rule(rule->id);
    }
    if (!rules.empty())
      background.lines.push_back(fmt::format("{}: {} [{}]", what, names, cite_all(clauses)));
  };
  tell("right would be", allowed_rules(book, view));
  for (const auto& origin : surprise->provenance.of(book, view)) tell(origin.object, origin.rules);
  return background;
}

/// The outcomes that were allowed, as traces write them.
std::string allowed_outcomes(const model::Oracle& oracle, Verb verb) {
  const auto& surprise = oracle.surprise();
  const OutcomeSet right =
      surprise ? allowed(oracle.book(), {surprise->state, surprise->call, surprise->result})
               : OutcomeSet{};
  std::string names;
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    if (!right.contains(static_cast<Outcome>(i))) continue;
    if (!names.empty()) names += ", ";
    names += model::print_outcome(static_cast<Outcome>(i), is_transfer(verb));
  }
  return names;
}

}  // namespace

std::vector<std::string> cited_by(const model::Oracle& oracle) { return trace_back(oracle).cited; }

std::vector<std::string> explain_deviation(const model::Oracle& oracle, const model::Step& step,
                                           const Judgement& judgement) {
  std::vector<std::string> lines{"allowed here: " + allowed_outcomes(oracle, step.call.verb)};
  for (const auto* condition : judgement.broken) {
    const bool circumstance = condition->about == About::circumstance;
    lines.push_back(fmt::format("{}{}: {} [{}]", circumstance ? "" : "broken: ", condition->id,
                                condition->sentence,
                                cite(condition->clauses, oracle.book().dialect())));
  }
  const auto background = trace_back(oracle).lines;
  lines.insert(lines.end(), background.begin(), background.end());
  return lines;
}

}  // namespace mrproof::specs
