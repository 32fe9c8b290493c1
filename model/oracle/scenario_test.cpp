// Judges every scenario and holds the verdicts to what its file says.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/oracle/judge_trace.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::model {
namespace {

std::string verdict_of(const Step& step) { return print_annotation(step.annotations.front()); }

/// What a judged step is to be annotated with: a step that its file says nothing of conforms.
std::string wanted_of(const Step& step, const Step& judged) {
  if (!step.annotations.empty()) return verdict_of(step);
  return "conforms " + judged.annotations.front().rule;
}

class Scenario : public ::testing::TestWithParam<std::string> {};

TEST_P(Scenario, IsJudgedAsItSays) {
  const Trace trace = load_trace(GetParam());
  const auto* book = model::find_rulebook(trace.dialect);
  ASSERT_NE(book, nullptr) << trace.dialect;
  const Trace judged = judge_trace(trace, *book, GetParam());
  ASSERT_EQ(judged.steps.size(), trace.steps.size()) << "judged, up to the first deviation:\n"
                                                     << print_trace(judged);
  for (std::size_t i = 0; i < trace.steps.size(); ++i)
    EXPECT_EQ(verdict_of(judged.steps[i]), wanted_of(trace.steps[i], judged.steps[i]))
        << GetParam() << ":" << trace.steps[i].line;

  // What was judged says the same when it is printed and read again.
  const Trace again = parse_trace(print_trace(judged), "again");
  EXPECT_EQ(print_trace(again), print_trace(judged));
  EXPECT_EQ(print_trace(judge_trace(again, *book, "again")), print_trace(judged));
}

TEST(Scenarios, SayWhatTheyShowOfTheirVerb) {
  for (const auto& file : testing::scenario_files()) {
    const Trace trace = load_trace(file);
    ASSERT_FALSE(trace.comments.empty()) << file;
    EXPECT_GT(trace.comments.front().size(), 12U) << file;
    const std::string folder = testing::fs::path(file).parent_path().filename();
    std::size_t annotated = 0;
    bool own_verb = false;
    for (const Step& step : trace.steps) {
      annotated += step.annotations.size();
      own_verb |= kVerbNames.at(static_cast<std::size_t>(step.call.verb)) == folder;
    }
    EXPECT_GE(annotated, 1U) << file;
    EXPECT_TRUE(own_verb) << file << ": the folder is named after the verb in question";
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = testing::scenario_name(info.param);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Linux, Scenario, ::testing::ValuesIn(testing::scenario_files()), test_name);

}  // namespace
}  // namespace mrproof::model
