#include "conformance/run/expectations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "conformance/testing/test_files.hpp"

namespace mrproof {
namespace {

using testing::TemporaryFolder;

TEST(Expectations, AreReadWithTheirReasons) {
  const TemporaryFolder folder;
  const auto read =
      load_expectations(folder.write("fails.txt",
                                     "# a comment\n"
                                     "\n"
                                     "reg_mr.ok/accepted/memory_mapped,Deviates  # why\n"
                                     "  \t\n"
                                     "a.b/status/c+d,Deviates# other # words \r\n"));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].rule, "reg_mr.ok");
  EXPECT_EQ(read[0].kind, "accepted");
  EXPECT_EQ(read[0].broken, "memory_mapped");
  EXPECT_EQ(read[0].reason, "why");
  EXPECT_EQ(read[0].line, 3U);
  EXPECT_EQ(read[1].broken, "c+d");
  EXPECT_EQ(read[1].reason, "other # words");
  EXPECT_EQ(read[1].line, 5U);
}

/// A line that is none, and a word of the message.
struct Broken {
  const char* name;
  const char* line;
  const char* word;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.line; }

class BrokenExpectation : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenExpectation, IsNamedByFileAndLine) {
  const TemporaryFolder folder;
  const std::string file = folder.write("fails.txt", std::string("# first\n") + GetParam().line);
  try {
    load_expectations(file);
    FAIL() << GetParam().line;
  } catch (const ToolError& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith(file + ":2: "));
    EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().word));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BrokenExpectation,
    ::testing::Values(Broken{"NoReason", "a.b/accepted/c,Deviates", "reason"},
                      Broken{"EmptyReason", "a.b/accepted/c,Deviates #  ", "reason"},
                      Broken{"NoStatus", "a.b/accepted/c # why", "status"},
                      Broken{"OtherStatus", "a.b/accepted/c,Skipped # why", "status"},
                      Broken{"TwoParts", "a.b/accepted,Deviates # why", "three parts"},
                      Broken{"FourParts", "a.b/accepted/c/d,Deviates # why", "three parts"},
                      Broken{"EmptyPart", "a.b/accepted/,Deviates # why", "three parts"},
                      Broken{"UnknownClass", "a.b/wrongly/c,Deviates # why", "class"}),
    [](const auto& test) { return test.param.name; });

TEST(Expectations, MakeACaseExpectedThatShowsNothingElse) {
  Tally tally(model::linux_rulebook());
  Finding known;
  known.name = {model::Verdict::deviates, "reg_mr.ok", "accepted", "memory_mapped"};
  Finding other = known;
  other.name.broken = "memory_writable";
  tally.findings = {known, other};
  tally.begin_case("one");
  tally.outcomes.back().seen = {print_annotation(known.name)};
  tally.begin_case("two");
  tally.outcomes.back().seen = {print_annotation(known.name), print_annotation(other.name)};
  tally.begin_case("three");
  mark_expected({{"reg_mr.ok", "accepted", "memory_mapped", model::Verdict::deviates, "why", 1}},
                tally);
  EXPECT_TRUE(tally.outcomes[0].expected);
  EXPECT_FALSE(tally.outcomes[1].expected);
  EXPECT_TRUE(tally.outcomes[2].expected);
}

TEST(Expectations, MarkFindingsOfExactlyTheirName) {
  Tally tally(model::linux_rulebook());
  const auto find = [&](const char* rule, const char* kind, const char* broken) {
    Finding finding;
    finding.name = {model::Verdict::deviates, rule, kind, broken};
    tally.findings.push_back(finding);
  };
  find("reg_mr.ok", "accepted", "memory_mapped");
  find("reg_mr.ok", "detail", "keys_distinct");
  Expectation expected;
  expected.rule = "reg_mr.ok";
  expected.kind = "accepted";
  expected.broken = "memory_mapped";
  expected.reason = "known";
  EXPECT_TRUE(tally.has_unexpected());
  mark_expected({expected}, tally);
  EXPECT_EQ(tally.findings[0].expected_reason, "known");
  EXPECT_TRUE(unmatched({expected}, tally).empty());
  Expectation alike = expected;
  alike.broken = "memory_writable";
  EXPECT_TRUE(unmatched({expected, alike}, tally).empty()) << "its reason was met";
  expected.broken = "memory_writable";
  expected.reason = "another";
  ASSERT_EQ(unmatched({expected}, tally).size(), 1U);
  EXPECT_EQ(print_entry(expected), "reg_mr.ok/accepted/memory_writable,Deviates");
  EXPECT_EQ(tally.findings[1].expected_reason, "");
  EXPECT_TRUE(tally.has_unexpected());
  tally.findings.pop_back();
  EXPECT_FALSE(tally.has_unexpected());
}

}  // namespace
}  // namespace mrproof
