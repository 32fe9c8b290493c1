// Reading and printing traces, which undo each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/testing/test_files.hpp"
#include "conformance/testing/test_malformed.hpp"
#include "conformance/testing/test_steps.hpp"
#include "conformance/testing/test_walk.hpp"
#include "conformance/trace/notation.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof {
namespace {

using namespace model;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class MalformedTrace : public ::testing::TestWithParam<testing::Malformed> {};

TEST_P(MalformedTrace, IsRefusedWithPlaceAndReason) {
  const auto& bad = GetParam();
  try {
    parse_trace(bad.text, "some.mrt");
    FAIL() << "read without complaint:\n" << bad.text;
  } catch (const TraceError& error) {
    EXPECT_THAT(error.what(), StartsWith("some.mrt:" + std::to_string(bad.line) + ":" +
                                         std::to_string(bad.column) + ": "));
    EXPECT_THAT(error.what(), HasSubstr(bad.word));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MalformedTrace, ::testing::ValuesIn(testing::malformed_traces()),
                         [](const auto& test) { return test.param.name; });

TEST(MalformedTraces, AreOfManyKindsAllDifferent) {
  std::set<std::string> texts;
  for (const auto& bad : testing::malformed_traces()) texts.insert(bad.text);
  EXPECT_EQ(texts.size(), testing::malformed_traces().size());
  EXPECT_GE(texts.size(), 20U);
}

TEST(ParseTrace, RefusesEveryTruncationOrReadsAPrefix) {
  for (const auto& file : testing::scenario_files()) {
    const std::string text = testing::read_file(file);
    const Trace whole = parse_trace(text, file);
    for (std::size_t length = 0; length < text.size(); length += 7) {
      if (length > 0 && text[length - 1] == '\n') {
        EXPECT_LE(parse_trace(text.substr(0, length), file).steps.size(), whole.steps.size());
      } else {
        EXPECT_THROW(parse_trace(text.substr(0, length), file), TraceError) << file << length;
      }
    }
  }
}

void expect_same_after_printing(const Trace& trace) {
  const std::string text = print_trace(trace);
  const Trace again = parse_trace(text, "again");
  ASSERT_EQ(again.steps.size(), trace.steps.size());
  EXPECT_EQ(again.setup, trace.setup);
  EXPECT_EQ(again.can.claimed.value(), trace.can.claimed.value());
  EXPECT_EQ(again.can.max_message.value(), trace.can.max_message.value());
  EXPECT_EQ(again.can.features.value(), trace.can.features.value());
  EXPECT_EQ(again.dialect, trace.dialect);
  EXPECT_EQ(again.comments, trace.comments);
  for (std::size_t i = 0; i < trace.steps.size(); ++i)
    EXPECT_TRUE(testing::same(trace.steps[i], again.steps[i]));
  EXPECT_EQ(print_trace(again), text);
}

TEST(PrintTrace, IsUndoneByParsing) {
  // Faults bring what a correct device does not show: deviations, other statuses, bytes.
  for (const auto* fault :
       {"", "page-offset-repeated", "wrong-wr-id", "reg-mr-without-errno", "dereg-mr-minus-one",
        "local-error-as-qp-error", "stale-rkey-accepted", "receive-not-flushed"}) {
    impl::SimOptions options;
    if (*fault != '\0') options.fault = fault;
    impl::SimDevice device(options);
    Plan plan = testing::plan_of(4000);
    plan.walk.wrong_percent = 40;
    for (std::uint64_t index = 0; index < plan.cases(); ++index)
      expect_same_after_printing(testing::walk_case(device, plan, index));
  }
}

TEST(PrintTrace, NamesTheOtherProcess) {
  Trace trace;
  trace.setup = standard_setup(2);
  EXPECT_NE(print_trace(trace).find("\ngiven pd1 in process 1\n"), std::string::npos);
  expect_same_after_printing(trace);
  const std::string first = "# mrproof trace v1\ngiven pd2 in process ";
  EXPECT_EQ(parse_trace(first + "1\n", "").setup.process[2], 1);
  EXPECT_EQ(print_setup(parse_trace(first + "0\n", "").setup), "given pd2\n");
}

TEST(PrintTrace, KeepsStepsWithoutResultsAndLetsACommentBeOneLine) {
  Trace trace;
  trace.setup = standard_setup();
  trace.comments = {" kept"};
  Step step;
  step.call.verb = Verb::query_qp;
  step.result.own_receive = step.result.peer_receive = Plain::small(Outcome::none);
  trace.steps.push_back(step);
  expect_same_after_printing(trace);
  // The kernel's warnings have several lines, and whatever else a console holds.
  trace.comments = {"two\nlines \x1b[31m\r"};
  EXPECT_NO_THROW(parse_trace(print_trace(trace), "comment")) << print_trace(trace);
}

TEST(PrintTrace, TellsOfFeaturesAndDialectOnlyWhereTheyAreNotTheUsual) {
  Trace trace;
  EXPECT_EQ(print_trace(trace),
            "# mrproof trace v1\ngiven capabilities(REMOTE_ATOMIC|MW_BIND, 1073741824)\n");
  trace.can.features = Plain::flags(kMwType1 | kMwType2B | 0x80000000U);
  trace.dialect = "mlnx-exp";
  EXPECT_EQ(print_trace(trace),
            "# mrproof trace v1\ngiven dialect(mlnx-exp)\n"
            "given capabilities(REMOTE_ATOMIC|MW_BIND, 1073741824, MW_TYPE_1|MW_TYPE_2B|0x80000000)"
            "\n");
  expect_same_after_printing(trace);
  for (const auto& [feature, name] : kFeatureNames) {
    const std::string text =
        "# mrproof trace v1\ngiven capabilities(0, 5, " + std::string(name) + ")\n";
    EXPECT_EQ(parse_trace(text, "text").can.features.value(), feature);
  }
}

TEST(LoadTrace, NamesTheFileThatCannotBeRead) {
  for (const std::string path : {"/nonexistent/some.mrt", "/"}) {
    try {
      load_trace(path);
      ADD_FAILURE() << path;
    } catch (const TraceError& error) {
      EXPECT_THAT(error.what(), StartsWith(path + ": "));
    }
  }
}

}  // namespace
}  // namespace mrproof
