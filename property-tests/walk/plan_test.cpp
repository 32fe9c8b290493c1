#include "property-tests/walk/plan.hpp"

#include <gtest/gtest.h>

#include <set>

namespace mrproof::property_tests {
namespace {

Plan plan_of(std::uint64_t steps, std::uint64_t seeds, std::uint64_t case_steps) {
  Plan plan;
  plan.seed = 7;
  plan.seeds = seeds;
  plan.steps = steps;
  plan.case_steps = case_steps;
  return plan;
}

TEST(Plan, CasesCoverTheStepsAndNoneIsEmpty) {
  for (const std::uint64_t steps : {1U, 2U, 199U, 200U, 201U, 20000U})
    for (const std::uint64_t seeds : {1U, 2U, 3U, 20U})
      for (const std::uint64_t case_steps : {1U, 2U, 200U, 100000U}) {
        const Plan plan = plan_of(steps, seeds, case_steps);
        std::uint64_t sum = 0;
        std::set<std::string> names;
        std::set<std::uint64_t> random;
        for (std::uint64_t i = 0; i < plan.cases(); ++i) {
          EXPECT_GE(plan.case_length(i), 1U);
          EXPECT_LE(plan.case_length(i), case_steps);
          sum += plan.case_length(i);
          names.insert(plan.case_name(i));
          random.insert(plan.case_seed(i));
        }
        EXPECT_GE(sum, steps);
        EXPECT_LT(sum, steps + seeds);
        EXPECT_EQ(names.size(), plan.cases()) << "names must tell cases apart";
        EXPECT_EQ(random.size(), plan.cases()) << "no two cases draw the same numbers";
      }
}

TEST(Plan, ACaseIsTheSameWhateverElseIsPlanned) {
  const Plan many = plan_of(20000, 20, 200);
  Plan one = plan_of(1000, 1, 200);
  one.seed = 12;
  EXPECT_EQ(many.case_name(5 * 5 + 3), "walk/seed-12/case-3");
  EXPECT_EQ(one.case_name(3), many.case_name(5 * 5 + 3));
  EXPECT_EQ(one.case_seed(3), many.case_seed(5 * 5 + 3));
}

TEST(Plan, AReplayIsOneCaseNamedAfterItsFile) {
  Plan plan;
  plan.traces = {"# mrproof trace v1\n"};
  plan.trace_file = "some.mrt";
  EXPECT_TRUE(plan.is_replay());
  EXPECT_EQ(plan.cases(), 1U);
  EXPECT_EQ(plan.case_name(0), "some.mrt");
}

TEST(Plan, ScenariosComeBeforeTheWalks) {
  Plan plan = plan_of(400, 1, 200);
  const Plan bare = plan;
  plan.scenarios = {{"scenarios/a", "x"}, {"scenarios/b", "y"}};
  ASSERT_EQ(plan.cases(), 4U);
  EXPECT_EQ(plan.case_name(1), "scenarios/b");
  EXPECT_TRUE(plan.is_scenario(1));
  EXPECT_EQ(plan.case_name(2), bare.case_name(0));
  EXPECT_EQ(plan.case_seed(3), bare.case_seed(1)) << "walks are the same beside scenarios";
  EXPECT_EQ(plan.case_length(3), bare.case_length(1));
  plan.steps = 0;
  EXPECT_EQ(plan.cases(), 2U) << "no walk at all";
}

TEST(Plan, SeriesComeBetweenScenariosAndWalks) {
  Plan plan = plan_of(400, 1, 200);
  const Plan bare = plan;
  plan.scenarios = {{"scenarios/a", "x"}};
  plan.series = {{CaseSeries::Kind::tours, "tour/a", 3, "a scope"},
                 {CaseSeries::Kind::tours, "tour/b", 2, "another"}};
  ASSERT_EQ(plan.cases(), 8U);
  const std::vector<std::string> names{"scenarios/a",    "tour/a/0001", "tour/a/0002",
                                       "tour/a/0003",    "tour/b/0001", "tour/b/0002",
                                       bare.case_name(0)};
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(plan.case_name(i), names[i]);
  EXPECT_FALSE(plan.in_series(0));
  ASSERT_TRUE(plan.in_series(5));
  EXPECT_EQ(plan.in_series(5)->series, 1U);
  EXPECT_EQ(plan.in_series(5)->number, 1U);
  EXPECT_FALSE(plan.in_series(6));
  EXPECT_EQ(plan.case_seed(7), bare.case_seed(1)) << "walks are the same beside series";
  EXPECT_EQ(plan.case_length(7), bare.case_length(1));
}

TEST(Plan, ShardsShareTheCasesOut) {
  Plan plan = plan_of(2200, 1, 200);
  std::set<std::uint64_t> all;
  std::uint64_t sum = 0;
  plan.shards = 3;
  for (plan.shard = 0; plan.shard < plan.shards; ++plan.shard) {
    sum += plan.selected();
    std::uint64_t mine = 0;
    for (auto i = plan.next_selected(0); i < plan.cases(); i = plan.next_selected(i + 1)) {
      all.insert(i);
      ++mine;
    }
    EXPECT_EQ(mine, plan.selected());
  }
  EXPECT_EQ(sum, plan.cases());
  EXPECT_EQ(all.size(), plan.cases());
  plan.shards = 30;
  plan.shard = 29;
  EXPECT_EQ(plan.selected(), 0U);
}

TEST(Request, IsReadBack) {
  Plan plan = plan_of(0xffffffffffffffff, 3, 17);
  plan.device = "sim:stale-rkey-accepted";
  plan.walk.wrong_percent = 42;
  plan.walk.objects = 12345;
  plan.walk.known = {{"reg_mr.ok", model::DeviationClass::accepted, {"memory_mapped"}},
                     {"a", model::DeviationClass::none, {"b+c"}}};
  plan.scenarios = {{"a", "b"}};
  plan.series = {{CaseSeries::Kind::overlap, "tour/a", 7, "# mrproof scope v1\n", 3}};
  plan.shard = 1;
  plan.shards = 4;
  plan.patient = false;
  plan.brisk = plan.lossless = plan.more_to_come = true;
  plan.scenarios[0].led = plan.scenarios[0].keeps_memory = true;
  plan.scenarios[0].walk_steps = 7;
  plan.scenarios[0].walk_seed = 8;
  plan.scenarios[0].walk_wrong_percent = 9;
  plan.traces = {"# mrproof trace v1\n\"quoted\" \\ \t\n", "another"};
  plan.until =
      model::Annotation{{"send.none", model::DeviationClass::none, {"a+b"}}, model::Verdict::hang};
  plan.trace_file = "some \"file\".mrt";
  std::uint64_t first_case = 0;
  const Plan again = parse_request(print_request(plan, 99), first_case);
  EXPECT_EQ(first_case, 99U);
  EXPECT_EQ(again.device, plan.device);
  EXPECT_EQ(again.dialect, plan.dialect);
  EXPECT_EQ(again.seed, plan.seed);
  EXPECT_EQ(again.seeds, plan.seeds);
  EXPECT_EQ(again.steps, plan.steps);
  EXPECT_EQ(again.case_steps, plan.case_steps);
  EXPECT_EQ(again.walk.wrong_percent, plan.walk.wrong_percent);
  EXPECT_EQ(again.walk.objects, plan.walk.objects);
  EXPECT_EQ(again.walk.known, plan.walk.known);
  ASSERT_EQ(again.scenarios.size(), 1U);
  EXPECT_EQ(again.scenarios[0].name, "a");
  EXPECT_EQ(again.scenarios[0].text, "b");
  ASSERT_EQ(again.series.size(), 1U);
  EXPECT_EQ(again.series[0].name, "tour/a");
  EXPECT_EQ(again.series[0].scope, "# mrproof scope v1\n");
  EXPECT_EQ(again.series[0].cases, 7U);
  EXPECT_EQ(again.series[0].kind, CaseSeries::Kind::overlap);
  EXPECT_EQ(again.series[0].slower, 3U);
  EXPECT_EQ(again.shard, 1U);
  EXPECT_EQ(again.shards, 4U);
  EXPECT_FALSE(again.patient);
  EXPECT_TRUE(again.brisk);
  EXPECT_TRUE(again.lossless);
  EXPECT_TRUE(again.more_to_come);
  EXPECT_TRUE(again.scenarios[0].led);
  EXPECT_TRUE(again.scenarios[0].keeps_memory);
  EXPECT_EQ(again.scenarios[0].walk_steps, 7U);
  EXPECT_EQ(again.scenarios[0].walk_seed, 8U);
  EXPECT_EQ(again.scenarios[0].walk_wrong_percent, 9U);
  EXPECT_EQ(again.traces, plan.traces);
  EXPECT_EQ(again.until, plan.until);
  EXPECT_EQ(again.trace_file, plan.trace_file);
}

TEST(Request, IsRefusedWhenDamaged) {
  std::uint64_t first_case = 0;
  for (const std::string text : {"", "{", "[]", "{}", R"({"device": 3})"})
    EXPECT_THROW(parse_request(text, first_case), model::ToolError) << text;
}

}  // namespace
}  // namespace mrproof::property_tests
