#include "conformance/run/tally.hpp"

#include <gtest/gtest.h>

namespace mrproof::conformance {
namespace {

using namespace model;

model::Step step_of(Verdict verdict, const char* rule, DeviationClass kind = DeviationClass::none,
                    const char* broken = "") {
  model::Step step;
  step.call.verb = Verb::query_qp;
  step.observed = true;
  step.annotations = {{{rule, kind, {broken}}, verdict}};
  return step;
}

Record end_of(const char* rule, std::uint64_t elapsed = 100, bool rebuilt = false) {
  Record end;
  end.index = 7;
  end.elapsed_ns = elapsed;
  end.inside_ns = elapsed / 2;
  end.rebuilt = rebuilt;
  const auto& book = linux_rulebook();
  if (const auto* found = book.find(rule))
    end.rule = static_cast<std::uint16_t>(book.index(*found));
  return end;
}

TEST(Tally, CountsStepsVerdictsAndRules) {
  Tally tally(linux_rulebook());
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(tally.add(end_of("query_qp.ok"), step_of(Verdict::conforms, "query_qp.ok"), "c"),
              nullptr);
  tally.add(end_of("send.transport"), step_of(Verdict::inconclusive, "send.transport"), "c");
  EXPECT_EQ(tally.steps, 4U);
  EXPECT_EQ(tally.count(Verdict::conforms), 3U);
  EXPECT_EQ(tally.count(Verdict::inconclusive), 1U);
  EXPECT_EQ(tally.judged.at(linux_rulebook().index(*linux_rulebook().find("query_qp.ok"))), 3U);
  EXPECT_FALSE(tally.has_unexpected());
}

TEST(Tally, KeepsTheFirstOfEachDeviationAndCountsTheRest) {
  Tally tally(linux_rulebook());
  const auto deviate = [&](const char* broken) {
    const auto step = step_of(Verdict::deviates, "send.ok", DeviationClass::accepted, broken);
    return tally.add(end_of(""), step, "case");
  };
  const Finding* first = deviate("receive_posted");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->case_name, "case");
  EXPECT_EQ(first->step, 7U);
  EXPECT_EQ(first->call, "query_qp(qp0)");
  EXPECT_EQ(deviate("receive_posted"), nullptr);
  EXPECT_NE(deviate("local_in_bounds"), nullptr);
  ASSERT_EQ(tally.findings.size(), 2U);
  EXPECT_EQ(tally.findings.front().count, 2U);
  EXPECT_EQ(tally.judged.at(linux_rulebook().index(*linux_rulebook().find("send.ok"))), 3U);
  EXPECT_TRUE(tally.has_unexpected());
}

TEST(Tally, ARefusalIsOneChoiceWhateverRequestsStoreMeanwhile) {
  Tally tally(linux_rulebook());
  for (int i = 0; i < 2; ++i) {
    auto step = step_of(Verdict::conforms, "dealloc_pd.refused");
    step.result.outcome = Outcome::refused;
    if (i == 1) step.bytes.push_back({8, {std::byte{0xef}}});
    tally.add(end_of("dealloc_pd.refused"), step, "case");
  }
  ASSERT_EQ(tally.choices.size(), 1U);
  EXPECT_EQ(tally.choices.begin()->second.times, 2U);
}

TEST(Tally, AnInterruptionIsNobodysFaultACrashIs) {
  Tally tally(linux_rulebook());
  Incident incident;
  incident.verdict = Verdict::inconclusive;
  tally.incidents.push_back(incident);
  EXPECT_FALSE(tally.has_unexpected());
  for (const auto verdict : {Verdict::crash, Verdict::hang, Verdict::kernel_warning}) {
    tally.incidents.back().verdict = verdict;
    EXPECT_TRUE(tally.has_unexpected());
  }
}

TEST(Tally, TakesIncidentsOfPartsInThePlansOrder) {
  const auto of = [](const char* case_name, std::uint64_t step) {
    Tally part(linux_rulebook());
    Incident incident;
    incident.case_name = case_name;
    incident.step = step;
    part.incidents.push_back(incident);
    return part;
  };
  const std::map<std::string, std::uint64_t> place{{"first", 0}, {"second", 1}};
  Tally all(linux_rulebook());
  for (const auto& part : {of("", 0), of("second", 3), of("first", 9), of("second", 2)})
    all.add(part, place);
  std::string order;
  for (const auto& i : all.incidents) order += i.case_name + std::to_string(i.step) + " ";
  EXPECT_EQ(order, "first9 second2 second3 0 ");
}

TEST(Tally, LeavesResetsAndRebuiltPairsOutOfTheUndisturbedSpeed) {
  Tally tally(linux_rulebook());
  EXPECT_EQ(tally.steps_per_second(), 0);
  EXPECT_EQ(tally.undisturbed_steps_per_second(), 0);
  EXPECT_EQ(tally.inside_share(), 0);
  const model::Step step = step_of(Verdict::conforms, "query_qp.ok");
  tally.add(end_of("query_qp.ok", 100'000'000), step, "c");
  tally.add(end_of("query_qp.ok", 100'000'000), step, "c");
  tally.add(end_of("query_qp.ok", 500'000'000, true), step, "c");
  Record over;
  over.elapsed_ns = 1'000'000'000;
  over.reset_ns = 300'000'000;
  over.inside_ns = 200'000'000;  // of the reset
  tally.add_case(over);
  EXPECT_EQ(tally.cases, 1U);
  EXPECT_DOUBLE_EQ(tally.steps_per_second(), 3);
  EXPECT_DOUBLE_EQ(tally.undisturbed_steps_per_second(), 2 / 0.2);
  EXPECT_DOUBLE_EQ(tally.inside_share(), 0.55);
}

TEST(Tally, CallsFlakyWhatDoesNotComeAgain) {
  const model::Step step = step_of(Verdict::deviates, "query_qp.ok");
  const auto flaky = [&](bool seen, bool expected, unsigned steps) {
    Tally tally(linux_rulebook());
    tally.begin_case("c");
    Finding* const found = tally.add(end_of("query_qp.ok"), step, "c");
    found->trace.steps.push_back(step);
    Tally again(linux_rulebook());
    again.begin_case(model::print_annotation(found->name));
    again.outcomes.back().counts[0] = steps;
    if (seen) again.outcomes.back().seen.emplace_back("deviates query_qp.ok detail another");
    again.outcomes.back().expected = expected;
    mark_flaky(tally, again);
    return tally.findings.front().flaky;
  };
  EXPECT_TRUE(flaky(false, false, 1));
  EXPECT_TRUE(flaky(true, true, 1)) << "a known deviation beside it is no other outcome";
  EXPECT_FALSE(flaky(true, false, 1)) << "something else was seen that nobody knows";
  EXPECT_FALSE(flaky(false, false, 0)) << "its call was not made again";
}

}  // namespace
}  // namespace mrproof::conformance
