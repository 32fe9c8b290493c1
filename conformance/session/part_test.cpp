#include "conformance/session/part.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "model/trace/trace_scanner.hpp"

namespace mrproof::conformance {
namespace {

TEST(Parts, HaveEachCaseOfTheShardOnce) {
  property_tests::Plan plan;
  plan.steps = 2000;
  plan.case_steps = 100;
  plan.shards = 2;
  plan.shard = 1;
  std::vector<int> times(plan.cases());
  for (const auto& part : parts_of(plan, {}, 3, model::linux_rulebook()))
    for (std::uint64_t i = 0; i < plan.cases(); ++i) times.at(i) += part.plan.selects(i) ? 1 : 0;
  for (std::uint64_t i = 0; i < plan.cases(); ++i) EXPECT_EQ(times.at(i), plan.selects(i) ? 1 : 0);
}

TEST(Parts, AreNoMoreThanCases) {
  property_tests::Plan plan;
  plan.steps = plan.case_steps = 100;
  const auto parts = parts_of(plan, {}, 2, model::linux_rulebook());
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts.front().prefix, "");
  EXPECT_EQ(parts_of(plan, {}, 2, model::linux_rulebook(), true).size(), 2U);
}

/// A record of a case.
std::string line(const std::string& record, int index) {
  return R"({"record":")" + record + R"(","case":"c","index":)" + std::to_string(index) + "}\n";
}

TEST(Journals, AreJoinedInThePlansOrder) {
  const Folder folder("");
  property_tests::Plan plan;
  const auto parts = parts_of(plan, {}, 3, model::linux_rulebook());
  const std::string begin = "{\"record\":\"run\",\"begun_with\":1}\n{\"record\":\"device\"}\n";
  std::ofstream(parts[0].journal(folder))
      << begin << line("case", 0) << line("case", 0) << line("step", 0) << line("case", 3);
  // The third guest never came up, and the second one's disk was full.
  std::ofstream(parts[1].journal(folder)) << begin << line("case", 1) << R"({"record":"case","ind)";
  join_journals(parts, folder, "7", false);
  EXPECT_EQ(model::read_text(folder.file("journal.jsonl")),
            "{\"record\":\"run\",\"begun_with\":7}\n{\"record\":\"device\"}\n" + line("case", 0) +
                line("case", 0) + line("step", 0) + line("case", 1) + line("case", 3));
  EXPECT_TRUE(std::filesystem::exists(parts[0].journal(folder)));
  join_journals(parts, folder, "7", true);
  EXPECT_FALSE(std::filesystem::exists(parts[0].journal(folder)));
}

TEST(Journals, OfAPartThatHasTheRunsNameAreJoinedToo) {
  const Folder folder("");
  auto parts = parts_of({}, {}, 1, model::linux_rulebook());
  parts.push_back(parts.front());
  parts.back().prefix = "race-1-";
  std::ofstream(parts[0].journal(folder)) << line("case", 0);
  std::ofstream(parts[1].journal(folder)) << line("case", 9);
  join_journals(parts, folder, "7", true);
  EXPECT_EQ(model::read_text(folder.file("journal.jsonl")),
            "{\"record\":\"run\",\"begun_with\":7}\n" + line("case", 0) + line("case", 9));
}

TEST(Tallies, AreJoinedInThePlansOrder) {
  property_tests::Plan plan;
  plan.steps = 400;
  auto parts = parts_of(plan, {}, 2, model::linux_rulebook());
  const auto found = [&](std::size_t part, std::uint64_t index, const char* rule) {
    Tally& tally = parts.at(part).tally;
    model::Step step;
    step.annotations = {{{rule, model::DeviationClass::bytes, {"x"}}, model::Verdict::deviates}};
    tally.begin_case(plan.case_name(index));
    if (Finding* finding = tally.add({}, step, plan.case_name(index)))
      finding->trace_file = std::to_string(index);
  };
  found(0, 0, "send.ok");
  found(1, 1, "dereg_mr.ok");
  found(1, 1, "send.ok");
  std::swap(parts[0], parts[1]);
  const Tally all = join(parts, plan);
  EXPECT_EQ(all.steps, 3U);
  EXPECT_EQ(all.count(model::Verdict::deviates), 3U);
  ASSERT_EQ(all.findings.size(), 2U);
  EXPECT_EQ(all.findings[0].name.rule, "send.ok");
  EXPECT_EQ(all.findings[0].count, 2U);
  EXPECT_EQ(all.findings[0].trace_file, "0");
  EXPECT_EQ(all.outcomes.at(0).name, plan.case_name(0));
}

}  // namespace
}  // namespace mrproof::conformance
