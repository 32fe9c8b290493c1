// Reading and printing traces, which undo each other.
#include <gmock/gmock.h>

#include <set>

#include "model/testing/test_files.hpp"
#include "model/trace/notation.hpp"
#include "model/trace/test_malformed.hpp"
#include "model/trace/test_steps.hpp"

namespace mrproof::model {
namespace {

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

TEST(PrintTrace, NamesTheOtherProcess) {
  Trace trace;
  trace.setup = standard_setup(2);
  EXPECT_NE(print_trace(trace).find("\ngiven pd1 in process 1\n"), std::string::npos);
  testing::expect_same_after_printing(trace);
  const std::string first = "# mrproof trace v1\ngiven pd2 in process ";
  EXPECT_EQ(parse_trace(first + "1\n", "").setup.process[2], 1);
  EXPECT_EQ(print_setup(parse_trace(first + "0\n", "").setup), "given pd2\n");
}

TEST(PrintTrace, NamesTheOtherHost) {
  Trace trace;
  trace.setup = standard_setup(2);
  trace.setup.hosts = true;
  EXPECT_NE(print_trace(trace).find("\ngiven pd1 on host 1\n"), std::string::npos);
  testing::expect_same_after_printing(trace);
}

TEST(PrintTrace, TellsOfTheGuestAndHowOften) {
  Trace trace;
  trace.guest = {3, 2, true, "loss 5% delay 1.5ms"};
  trace.rounds = 400;
  EXPECT_THAT(print_trace(trace),
      ::testing::HasSubstr("\ngiven guest(seed 3, processors 2, preempt, wire loss 5% delay 1.5ms)"
                           "\ngiven rounds(400)\n"));
  testing::expect_same_after_printing(trace);
  const auto read = parse_trace(print_trace(trace), "");
  EXPECT_EQ(read.guest, trace.guest);
  EXPECT_EQ(read.rounds, 400U);
}

TEST(PrintTrace, KeepsStepsWithoutResultsAndLetsACommentBeOneLine) {
  Trace trace;
  trace.setup = standard_setup();
  trace.comments = {" kept"};
  Step step;
  step.call.verb = Verb::query_qp;
  step.result.own_receive = step.result.peer_receive = Plain::small(Outcome::none);
  trace.steps.push_back(step);
  testing::expect_same_after_printing(trace);
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
  testing::expect_same_after_printing(trace);
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
}  // namespace mrproof::model
