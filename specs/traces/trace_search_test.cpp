// What is refuted is shown by a trace that the judge and the simulated device confirm.
#include "specs/traces/trace_search.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "model/oracle/judge_trace.hpp"
#include "model/trace/key_value.hpp"
#include "model/trace/pattern.hpp"
#include "specs/prover/mutants.hpp"
#include "specs/traces/mistakes.hpp"
#include "specs/traces/show_traces.hpp"

namespace mrproof::specs {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// What a device answers to the calls of a trace, in the words of traces; keys as it gives them.
std::vector<std::string> answers(impl::SimDevice& device, const model::Trace& trace) {
  device.reset(trace.setup);
  const auto& book = *model::find_rulebook(trace.dialect);
  model::Oracle oracle(book, trace.setup, device.capabilities());
  std::vector<std::string> all;
  for (model::Step step : trace.steps) {
    oracle.resolve(step);
    model::Step seen = as_seen(step, device.perform(step.call).result);
    all.push_back(model::print_result(seen));
    model::RecordedMemory memory(seen);
    if (oracle.check(seen, memory).verdict == model::Verdict::deviates) break;
  }
  return all;
}

std::vector<std::string> recorded(const model::Trace& trace) {
  std::vector<std::string> all;
  for (const model::Step& step : trace.steps) all.push_back(model::print_result(step));
  return all;
}

class Mistakes : public ::testing::TestWithParam<Mistake> {};

/// The first obligation that is refuted of the mutant, and a trace that shows it.
std::pair<Obligation, Shown> refuted(const Mutant& mutant, Tracer& tracer) {
  for (const auto& obligation : prove(mutant.rows, options_for(mutant, {}), {}))
    if (obligation.answer == smt::Answer::satisfiable)
      if (auto shown = tracer.find(mutant.rows, obligation)) return {obligation, *shown};
  return {};
}

TEST_P(Mistakes, IsShownByATraceThatTheJudgeAndTheDeviceConfirm) {
  const auto mutant = find_mutant(GetParam().mutant);
  ASSERT_TRUE(mutant) << GetParam().mutant;
  Tracer tracer;
  const auto [obligation, shown] = refuted(*mutant, tracer);
  ASSERT_FALSE(shown.trace.steps.empty());
  // What is printed is read again, and judged by the model's rules without complaint until the end.
  const model::Trace trace = model::parse_trace(model::print_trace(shown.trace), "shown");
  const model::Trace judged =
      model::judge_trace(trace, *model::find_rulebook(trace.dialect), "shown");
  ASSERT_THAT(judged.steps, SizeIs(trace.steps.size()));
  EXPECT_THAT(trace.comments, Not(IsEmpty()));
  const auto verdict = judged.steps.back().annotations.front().verdict;
  impl::SimDevice sound({.dialect = trace.dialect});
  const auto seen = answers(sound, trace);
  const auto wanted = recorded(trace);
  ASSERT_THAT(seen, SizeIs(wanted.size()));
  EXPECT_TRUE(std::equal(seen.begin(), seen.end() - 1, wanted.begin()));
  if (shown.wrong == Wrong::allowed) {
    EXPECT_EQ(verdict, model::Verdict::deviates) << model::print_trace(judged);
    EXPECT_NE(seen.back(), wanted.back());
  } else {
    EXPECT_EQ(shown.wrong, Wrong::forbidden) << "nothing shows that the state is wrong";
    EXPECT_EQ(verdict, model::Verdict::conforms) << model::print_trace(judged);
    EXPECT_EQ(seen.back(), wanted.back());
  }
}

/// A device that makes the same mistake does what the trace says, keys aside.
TEST(TraceSearch, ADeviceWithTheMistakeDoesWhatTheTraceSays) {
  std::size_t devices = 0;
  for (const Mistake& mistake : kMistakes) {
    if (*mistake.fault == '\0') continue;  // no seeded fault is quite this mistake
    ++devices;
    Tracer tracer;
    const auto [obligation, shown] = refuted(*find_mutant(mistake.mutant), tracer);
    ASSERT_FALSE(shown.trace.steps.empty());
    impl::SimOptions options;
    options.fault = mistake.fault;
    options.dialect = shown.trace.dialect;
    impl::SimDevice faulty(options);
    const auto seen = answers(faulty, shown.trace);
    const std::string keys = " [lr]key=0x[0-9a-f]+";
    ASSERT_EQ(seen.size(), shown.trace.steps.size());
    EXPECT_EQ(model::replaced(seen.back(), keys, ""),
              model::replaced(recorded(shown.trace).back(), keys, ""))
        << model::print_trace(shown.trace);
  }
  EXPECT_GE(devices, 2U);
}

INSTANTIATE_TEST_SUITE_P(All, Mistakes, ::testing::ValuesIn(kMistakes),
                         [](const auto& of) { return std::to_string(of.index); });

TEST(TraceSearch, FindsNothingWhereTheRulesAreSound) {
  TraceSearch search(0);
  const auto rows = rows_of(1);
  EXPECT_FALSE(search.find(rows, "window_inside_region", "alloc_mw.ok"));
  EXPECT_FALSE(search.find(rows, "success_exactly_when_permitted", "dereg_mr"));
}

}  // namespace
}  // namespace mrproof::specs
