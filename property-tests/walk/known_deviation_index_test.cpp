#include "property-tests/walk/known_deviation_index.hpp"

#include <gtest/gtest.h>

#include "impl/sim/sim_device.hpp"
#include "property-tests/walk/test_walk.hpp"
#include "property-tests/walk/walk.hpp"

namespace mrproof::property_tests {
namespace {

using namespace model;
using testing::plan_of;
using testing::walk_case;

/// What a success that breaks the rule would be named by; and what an unexplained refusal would.
BrokenConditions situation_of(const PlainRule& rule, const PlainView& asked) {
  Judgement broken;
  Result<Plain> result;
  result.outcome = rule.outcome;
  const PlainView view{asked.state, asked.call, result};
  for (const auto& term : rule.requires_all)
    if (term.condition->about != About::observation &&
        term.condition->holds(view).truth() != term.holds)
      broken.broken.push_back(term.condition);
  tell_bounds_apart(broken, view);
  return BrokenConditions(broken.broken);
}
BrokenConditions refusal_of(const PlainRule& rule, const PlainView& view) {
  Result<Plain> result;
  result.outcome = rule.outcome;
  Judgement judgement;
  judgement.broken.push_back(&kNothingForbids);
  add_circumstances(judgement, {view.state, view.call, result});
  return BrokenConditions(judgement.broken);
}

/// What KnownDeviationIndex::met() is to say, by putting every name together and comparing it.
const DeviationName* met_by_name(const std::vector<DeviationName>& known, const Rulebook& book,
                                 const PlainView& view) {
  for (const auto& one : known) {
    const PlainRule* rule = book.find(one.rule);
    if (rule == nullptr || rule->verb != view.call.verb) continue;
    const bool meets = is_trouble(one) ? trouble_name(book, view).broken.contains_all(one.broken)
                       : one.kind == DeviationClass::accepted
                           ? situation_of(*rule, view) == one.broken
                           : one.broken.ids().size() > 1 && refusal_of(*rule, view) == one.broken;
    if (meets) return &one;
  }
  return nullptr;
}

/// Some of the names that the call could come to be known by.
void learn(std::vector<DeviationName>& known, const Rulebook& book, const PlainView& view,
           std::uint64_t roll) {
  const auto ok = book.rules(view.call.verb, Outcome::ok);
  if (roll % 3 == 0) known.push_back(known_trouble(trouble_name(book, view)));
  if (roll % 3 == 1)
    known.push_back({ok.front()->id, DeviationClass::accepted, situation_of(*ok.front(), view)});
  if (roll % 3 != 2) return;
  for (const auto outcome : {Outcome::refused, Outcome::loc_prot_err, Outcome::rem_access_err})
    for (const PlainRule* rule : book.rules(view.call.verb, outcome))
      known.push_back({rule->id, DeviationClass::rejected, refusal_of(*rule, view)});
}

TEST(KnownDeviationIndex, SaysOfEachCallWhatItsWholeNameSays) {
  Plan plan = plan_of(4000, 3);
  plan.walk.wrong_percent = 40;
  impl::SimDevice device;
  std::vector<DeviationName> known{
      {"no_verb.ok", DeviationClass::accepted, {"qp_ready"}},
      {"rdma_read.ok", DeviationClass::accepted, {"no_condition"}},
      {"rdma_read.rem_access_err", DeviationClass::rejected, {"nothing_forbids"}}};
  KnownDeviationIndex here;
  int met = 0;
  int calls = 0;
  for (std::uint64_t index = 0; index < plan.cases(); ++index)
    walk_case(device, plan, index, [&](const model::Step& /*made*/, const model::Oracle& oracle) {
      Walk walk(static_cast<std::uint64_t>(calls) * 7919, plan.walk);
      const model::PlannedCall next = walk.next_call(oracle);
      const Result<Plain> nothing_yet;
      const PlainView view{oracle.state(), next.call, nothing_yet};
      here.take(known, oracle.book());
      const auto* expected = met_by_name(known, oracle.book(), view);
      ASSERT_EQ(here.met(known, oracle.book(), view), expected) << model::print_call(next);
      met += expected != nullptr ? 1 : 0;
      if (++calls % 40 == 0)
        learn(known, oracle.book(), view, static_cast<std::uint64_t>(calls / 40));
    });
  EXPECT_GT(met, 100);
  EXPECT_GT(calls - met, 100);
}

}  // namespace
}  // namespace mrproof::property_tests
