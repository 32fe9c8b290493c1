#include "specs/traces/goals.hpp"

#include <algorithm>

#include "specs/prover/step_questions.hpp"
#include "specs/theorems/all.hpp"

namespace mrproof::specs {

namespace {

/// Whether one of the facts does not hold.
smt::Bit some_broken(const std::vector<Fact<Terms>>& facts) {
  auto some = smt::Bit(false);
  for (const auto& fact : facts) {
    auto broken = !fact.holds;
    for (const auto& given : fact.given) broken = broken & given;
    some = some | broken;
  }
  return some;
}

/// Whether any of the rows allows the result.
smt::Bit allowed_by(const std::vector<Row>& rows, std::size_t dialect,
                    const model::View<Terms>& view) {
  auto some = smt::Bit(false);
  for (const Row& row : rows)
    if (row.verb == view.call.verb && (row.dialects >> dialect & 1U) != 0 &&
        row.rule.outcome == view.result.outcome)
      some = some | (requirements_met(row, view) & some_reason(row, view));
  return some;
}

std::vector<smt::Bit> broken_choice(const Suspects& of, const State<Terms>& state,
                                    const Shape& shape) {
  const ChoiceWorld world(of.rows, 1U << of.dialect, shape, state);
  if (!world.has_rules()) return {smt::Bit(false)};
  const auto choice = world.choice();
  Facts<Terms> facts;
  for (const auto& t : choice_theorems<Terms>())
    if (std::find(of.theorems.begin(), of.theorems.end(), t.name) != of.theorems.end())
      t.facts(choice, facts);
  return {world.may_be_made(), some_broken(facts.all())};
}

std::vector<smt::Bit> broken_step(const Suspects& of, const State<Terms>& state,
                                  const Shape& shape) {
  const auto row = std::find_if(of.rows.begin(), of.rows.end(), [&](const Row& r) {
    return r.id == of.subject && (r.dialects >> of.dialect & 1U) != 0;
  });
  if (row == of.rows.end()) return {smt::Bit(false)};
  const StepWorld world(*row, shape, state);
  const auto asked = [&](const char* name) {
    return std::find(of.theorems.begin(), of.theorems.end(), name) != of.theorems.end();
  };
  Facts<Terms> facts;
  for (const auto& t : step_theorems<Terms>())
    if (asked(t.name)) t.facts(world.taken(), facts);
  auto some = some_broken(facts.all());
  for (const auto& t : invariants<Terms>())
    if (asked(t.name)) some = some | some_broken(world.news(t));
  return {world.allowed(), some};
}

}  // namespace

BoundedSearch::Goal broken_theorem(const Suspects& suspects) {
  return [suspects](const State<Terms>& state, const Shape& shape) {
    return suspects.about_results ? broken_choice(suspects, state, shape)
                                  : broken_step(suspects, state, shape);
  };
}

BoundedSearch::Goal broken_and_seen(const Suspects& suspects, model::Outcome outcome) {
  return [suspects, outcome](const State<Terms>& state, const Shape& shape) {
    auto all = broken_theorem(suspects)(state, shape);
    const auto call = unknown_call("call.", shape);
    const auto result = unknown_result("result.", outcome);
    const model::View<Terms> view{state, call, result};
    all.push_back(!(allowed_by(suspects.rows, suspects.dialect, view) ==
                    allowed_by(rows_of(1U << suspects.dialect), suspects.dialect, view)));
    return all;
  };
}

}  // namespace mrproof::specs
