#include "conformance/run/expectations.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "model/testing/test_files.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::TemporaryFolder;

TEST(Expectations, AreReadWithTheirReasons) {
  const TemporaryFolder folder;
  const auto read =
      load_expectations(folder.write("fails.txt",
                                     "# a comment\n"
                                     "\n"
                                     "reg_mr.ok/accepted/memory_mapped,Deviates  # why\n"
                                     "  \t\n"
                                     "a.b/status/c+d,Deviates# other # words \r\n"))
          .fails;
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

/// What load_expectations() says against the file.
std::string error_of(const std::string& file) {
  try {
    load_expectations(file);
  } catch (const model::ToolError& error) {
    return error.what();
  }
  return "";
}

TEST(Expectations, ThatCannotBeReadAreNoEmptyList) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of(folder.file("")), folder.file("") + ": cannot be read: Is a directory");
  const auto fails = folder.write("z-fails.txt", "");
  EXPECT_EQ(error_of(fails), "");
  model::testing::fs::create_directory(folder.file("z-skips.txt"));
  EXPECT_EQ(error_of(fails), folder.file("z-skips.txt") + ": cannot be read: Is a directory");
  const auto other = folder.write("y-fails.txt", "");
  model::testing::fs::create_symlink("nowhere", folder.file("y-skips.txt"));
  EXPECT_THAT(error_of(other), ::testing::StartsWith(folder.file("y-skips.txt") + ": cannot be"));
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
  } catch (const model::ToolError& error) {
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
                      Broken{"UnknownClass", "a.b/wrongly/c,Deviates # why", "class"},
                      Broken{"PlaceOfCrash", "a.b/none/c,Crash@x.c # why", "place"},
                      Broken{"NoPlace", "a.b/none/-,KernelWarning # why", "place"},
                      Broken{"HangWithoutPlace", "a.b/none/-,Hang # why", "place"},
                      Broken{"AlternativeToNothing", "or a.b/accepted/c,Deviates # why",
                             "before it"},
                      Broken{"PatternOfKillers", "a.b/none/*,Crash # why", "no pattern"}),
    [](const auto& test) { return test.param.name; });

TEST(Expectations, SkipsAreReadFromTheFileBeside) {
  const TemporaryFolder folder;
  const auto fails = folder.write("rxe-here-fails.txt", "# none\n");
  EXPECT_TRUE(load_expectations(fails).skips.empty());
  const auto skips = folder.write("rxe-here-skips.txt", "scenario/*,Skip  # slow\n");
  const auto all = load_expectations(fails);
  ASSERT_EQ(all.skips.size(), 1U);
  EXPECT_EQ(all.skips[0].pattern, "scenario/*");
  EXPECT_EQ(all.skips[0].reason, "slow");
  for (const char* broken : {"scenario/a,Fail  # why\n", "scenario/a,Skip\n", ",Skip  # why\n"}) {
    static_cast<void>(folder.write("rxe-here-skips.txt", broken));
    EXPECT_THROW(load_expectations(fails), model::ToolError) << broken;
  }
}

/// A tally in which just these were seen.
class ExpectationsTest : public ::testing::Test {
 protected:
  void find(const char* rule, const char* kind, const char* broken) {
    Finding finding;
    finding.name = {{rule, *model::parse_class(kind), {broken}}, model::Verdict::deviates};
    tally_.findings.push_back(finding);
  }
  void happen(model::Verdict verdict, const char* name) {
    Incident incident;
    incident.verdict = verdict;
    incident.name = model::parse_name(name);
    tally_.incidents.push_back(incident);
  }
  static Expectations expect(const std::string& lines) {
    const TemporaryFolder folder;
    return load_expectations(folder.write("fails.txt", lines));
  }

  Tally tally_{model::linux_rulebook()};
};

TEST_F(ExpectationsTest, MakeACaseExpectedThatShowsNothingElse) {
  find("reg_mr.ok", "accepted", "memory_mapped");
  find("reg_mr.ok", "accepted", "memory_writable");
  const auto known = model::print_annotation(tally_.findings[0].name);
  tally_.begin_case("one");
  tally_.outcomes.back().seen = {known};
  tally_.begin_case("two");
  tally_.outcomes.back().seen = {known, model::print_annotation(tally_.findings[1].name)};
  tally_.begin_case("three");
  mark_expected(expect("reg_mr.ok/accepted/memory_mapped,Deviates  # why\n"), tally_);
  EXPECT_TRUE(tally_.outcomes[0].expected);
  EXPECT_FALSE(tally_.outcomes[1].expected);
  EXPECT_TRUE(tally_.outcomes[2].expected);
}

TEST_F(ExpectationsTest, MarkWhatTheyNameAndNothingElse) {
  find("reg_mr.ok", "accepted", "memory_mapped");
  find("reg_mr.ok", "detail", "keys_distinct");
  const auto expected = expect("reg_mr.ok/accepted/memory_mapped,Deviates  # known\n");
  EXPECT_TRUE(tally_.has_unexpected());
  mark_expected(expected, tally_);
  EXPECT_EQ(tally_.findings[0].expected_reason, "known");
  EXPECT_EQ(tally_.findings[1].expected_reason, "");
  EXPECT_TRUE(tally_.has_unexpected());
  tally_.findings.pop_back();
  EXPECT_FALSE(tally_.has_unexpected());
}

TEST_F(ExpectationsTest, MayBePatternsOfTheShell) {
  find("rdma_read.loc_prot_err", "rejected", "nothing_forbids+local_zero_based");
  find("rdma_write.loc_prot_err", "status", "nothing_forbids+local_zero_based");
  find("rdma_write.loc_prot_err", "status", "nothing_forbids");
  find("send.loc_prot_err", "rejected", "nothing_forbids+local_zero_based");
  const auto expected = expect(
      "rdma_*.loc_prot_err/@(rejected|status)/nothing_forbids+*zero_based,Deviates  # known\n");
  mark_expected(expected, tally_);
  EXPECT_EQ(tally_.findings[0].expected_reason, "known");
  EXPECT_EQ(tally_.findings[1].expected_reason, "known");
  EXPECT_EQ(tally_.findings[2].expected_reason, "");
  EXPECT_EQ(tally_.findings[3].expected_reason, "");
  EXPECT_TRUE(unmatched(expected, tally_, true).empty());
}

TEST_F(ExpectationsTest, EachHasToBeMetInTheStatusThatItNames) {
  find("reg_mr.ok", "accepted", "memory_mapped");
  happen(model::Verdict::crash, "local_inv.none/none/unbound_window_named+other");
  const auto met = expect(
      "reg_mr.ok/accepted/memory_mapped,Deviates  # why\n"
      "@(local_inv|send).none/none/unbound_window_named,Crash  # why\n");
  EXPECT_TRUE(unmatched(met, tally_, true).empty());
  mark_expected(met, tally_);
  EXPECT_FALSE(tally_.has_unexpected());
  tally_.incidents[0].expected_reason.clear();
  const auto changed = expect(
      "reg_mr.ok/accepted/memory_mapped,Hang  # why\n"
      "local_inv.none/none/unbound_window_named,Hang  # why\n"
      "reg_mr.ok/accepted/memory_writable,Deviates  # why\n");
  EXPECT_THAT(unmatched(changed, tally_, true),
              ::testing::ElementsAre("reg_mr.ok/accepted/memory_mapped,Hang",
                                     "local_inv.none/none/unbound_window_named,Hang",
                                     "reg_mr.ok/accepted/memory_writable,Deviates"));
  mark_expected(changed, tally_);
  EXPECT_TRUE(tally_.incidents[0].expected_reason.empty()) << "a crash is no hang";
}

TEST_F(ExpectationsTest, WarningsMayBeNamedByTheirPlace) {
  happen(model::Verdict::kernel_warning, "rdma_write.none/none/-");
  tally_.incidents[0].text = "WARNING: CPU: 0 PID: 1 at drivers/sw/rxe/rxe_comp.c:756 f+0x86c";
  const auto other = expect("*.none/none/-,KernelWarning@rxe_req.c  # another\n");
  mark_expected(other, tally_);
  EXPECT_TRUE(tally_.has_unexpected());
  const auto same = expect("*.none/none/-,KernelWarning@rxe_comp.c  # why\n");
  mark_expected(same, tally_);
  EXPECT_FALSE(tally_.has_unexpected());
  EXPECT_EQ(print_entry(same.fails[0]), "*.none/none/-,KernelWarning@rxe_comp.c");
}

TEST_F(ExpectationsTest, HangsMayBeNamedByTheWarningThatFollows) {
  happen(model::Verdict::hang, "send.none/none/-");
  happen(model::Verdict::hang, "send.none/none/receive_posted");
  const auto known = expect("*.none/none/-,Hang@refcount.c  # why\n");
  tally_.incidents[1].text = "the kernel complained:\nWARNING: CPU: 0 at lib/refcount.c:28 f+0x1";
  mark_expected(known, tally_);
  EXPECT_EQ(tally_.incidents[0].expected_reason, "") << "the kernel said nothing";
  EXPECT_EQ(tally_.incidents[1].expected_reason, "why");
  EXPECT_EQ(print_entry(known.fails[0]), "*.none/none/-,Hang@refcount.c");
}

TEST_F(ExpectationsTest, AWarningsPlaceMayNameAFunctionOfItsCallTrace) {
  const std::string warning =
      "WARNING: CPU: 0 PID: 1 at lib/refcount.c:28 saturate+0xba/0x110\nCall Trace:\n ";
  const auto known =
      expect("*.none/none/-,KernelWarning@refcount.c:rxe_@(destroy_qp|requester)  # why\n");
  EXPECT_EQ(print_entry(known.fails[0]),
            "*.none/none/-,KernelWarning@refcount.c:rxe_@(destroy_qp|requester)");
  const std::vector<std::pair<std::string, bool>> traces = {
      {warning + "__rxe_put+0x49/0x50 [rdma_rxe]\n rxe_destroy_qp+0x26/0x30 [rdma_rxe]", true},
      {warning + "__rxe_put+0x49/0x50 [rdma_rxe]\n rxe_dealloc_mw+0x13/0x20 [rdma_rxe]", false},
      {warning + "f+0x1\nWARNING: CPU: 1 at rxe/rxe_qp.c:7 f+0x1\n rxe_requester+0x1/0x2", false},
      {warning + "f+0x1\n" + warning + "rxe_requester+0x1/0x2 [rdma_rxe]", true}};
  for (const auto& [text, is_known] : traces) {
    tally_ = Tally(model::linux_rulebook());
    happen(model::Verdict::kernel_warning, "dealloc_mw.none/none/-");
    tally_.incidents[0].text = text;
    mark_expected(known, tally_);
    EXPECT_EQ(!tally_.has_unexpected(), is_known) << text;
  }
}

TEST_F(ExpectationsTest, MayBeOfSomeCasesOnly) {
  find("reg_mr.ok", "accepted", "memory_mapped");
  const auto name = model::print_annotation(tally_.findings[0].name);
  tally_.begin_case("expectations/F14-x");
  tally_.outcomes.back().seen = {name};
  const auto there =
      expect("expectations/F14-*: reg_mr.ok/accepted/memory_mapped,Deviates  # why\n");
  EXPECT_EQ(print_entry(there.fails[0]),
            "expectations/F14-*: reg_mr.ok/accepted/memory_mapped,Deviates");
  EXPECT_TRUE(unmatched(there, tally_, true).empty());
  tally_.begin_case("walk/seed-1/case-0");
  tally_.outcomes.back().seen = {name};
  mark_expected(there, tally_);
  EXPECT_TRUE(tally_.has_unexpected()) << "it was met elsewhere, too";
  tally_.outcomes.pop_back();
  mark_expected(there, tally_);
  EXPECT_FALSE(tally_.has_unexpected());
}

TEST_F(ExpectationsTest, PairsMayBeKeptFromReset) {
  Expectations all;
  property_tests::Plan plan;
  skip(all, plan);
  EXPECT_FALSE(plan.read_after_connect);
  all.skips = {{"connect/straight-to-use", "it forgets nothing", 1}};
  skip(all, plan);
  EXPECT_TRUE(plan.read_after_connect);
  EXPECT_TRUE(unmatched(all, tally_, true).empty());
}

TEST_F(ExpectationsTest, RacesHaveToBeMetByMachinesThatRepeat) {
  const auto all = expect("race reg_mr.ok/accepted/memory_mapped,Deviates  # a race\n");
  EXPECT_TRUE(unmatched(all, tally_, false).empty());
  EXPECT_THAT(unmatched(all, tally_, true),
              ::testing::ElementsAre("race reg_mr.ok/accepted/memory_mapped,Deviates"));
  find("reg_mr.ok", "accepted", "memory_mapped");
  EXPECT_TRUE(unmatched(all, tally_, true).empty());
  mark_expected(all, tally_);
  EXPECT_EQ(tally_.findings[0].expected_reason, "a race");
  EXPECT_TRUE(is_expected_race(all, tally_.findings[0].name));
  const auto sure = expect("reg_mr.ok/accepted/memory_mapped,Deviates  # no race\n");
  EXPECT_FALSE(is_expected_race(sure, tally_.findings[0].name));
}

TEST_F(ExpectationsTest, WhatAWireShowsIsExpectedOfCasesOverOneOnly) {
  constexpr const char* kEntry = "wire reg_mr.ok/accepted/memory_mapped,Deviates";
  const auto all = expect((std::string(kEntry) + "  # lost\n").c_str());
  EXPECT_TRUE(unmatched(all, tally_, false).empty());
  EXPECT_THAT(unmatched(all, tally_, true), ::testing::ElementsAre(kEntry));
  find("reg_mr.ok", "accepted", "memory_mapped");
  const auto meet_in_case_of = [&](const char* device) {
    tally_.device.device = device;
    tally_.begin_case(device);
    tally_.outcomes.back().seen = {model::print_annotation(tally_.findings[0].name)};
    tally_.findings[0].expected_reason.clear();
    mark_expected(all, tally_);
    return !tally_.has_unexpected();
  };
  EXPECT_TRUE(meet_in_case_of("rxe0@uverbs+lossy"));
  EXPECT_FALSE(meet_in_case_of("lossy0@uverbs")) << "it was met without a wire, too";
}

TEST_F(ExpectationsTest, AHangOverAWireIsExpectedThereOnly) {
  const auto all = expect("wire send.none/none/receive_posted,Hang  # lost\n");
  for (const auto* device : {"rxe0@lossy", "rxe0"}) {
    tally_.device.device = device;
    tally_.begin_case(device);
    Incident hang;
    hang.verdict = model::Verdict::hang;
    hang.name = {"send.none", model::DeviationClass::none, {"receive_posted"}};
    hang.case_name = device;
    tally_.add(hang);
  }
  mark_expected(all, tally_);
  EXPECT_EQ(tally_.incidents[0].expected_reason, "lost");
  EXPECT_EQ(tally_.incidents[1].expected_reason, "");
}

TEST_F(ExpectationsTest, OfAlternativesOneIsEnough) {
  const auto all = expect(
      "rdma_read.none/none/a,Crash  # why\n"
      "or reg_mr.ok/accepted/memory_mapped,Deviates  # why\n"
      "reg_mr.ok/accepted/length_permitted,Deviates  # why\n");
  EXPECT_THAT(unmatched(all, tally_, true),
              ::testing::ElementsAre("rdma_read.none/none/a,Crash",
                                     "or reg_mr.ok/accepted/memory_mapped,Deviates",
                                     "reg_mr.ok/accepted/length_permitted,Deviates"));
  find("reg_mr.ok", "accepted", "memory_mapped");
  EXPECT_THAT(unmatched(all, tally_, true),
              ::testing::ElementsAre("reg_mr.ok/accepted/length_permitted,Deviates"));
}

TEST_F(ExpectationsTest, SkippedCasesLeaveThePlanAndKeepTheirReason) {
  Expectations all;
  all.skips = {{"scenario/rdma_*", "slow", 1}, {"scenario/none", "misspelt", 2}};
  property_tests::Plan plan;
  plan.scenarios = {{"scenario/rdma_read/ok", "x"}, {"scenario/send/ok", "y"}};
  tally_.outcomes = skip(all, plan);
  ASSERT_EQ(plan.scenarios.size(), 1U);
  EXPECT_EQ(plan.scenarios[0].name, "scenario/send/ok");
  ASSERT_EQ(tally_.outcomes.size(), 1U);
  EXPECT_EQ(tally_.outcomes[0].skip_reason, "slow");
  EXPECT_THAT(unmatched(all, tally_, true), ::testing::ElementsAre("scenario/none,Skip"));
}

TEST_F(ExpectationsTest, KillersOfAllVerbsThatFitAreAvoided) {
  property_tests::WalkOptions walk;
  const auto expectations =
      expect("rdma_*.none/none/on_demand_elsewhere,Crash  # why\n"
             "race send.none/none/fenced_before_read,Hang  # why\n"
             "send.ok/accepted/length_permitted,Deviates  # why\n");
  const auto rules = [&walk] {
    std::vector<std::string> all;
    for (const auto& known : walk.known) all.push_back(known.rule);
    return all;
  };
  avoid_expected(expectations, walk);
  EXPECT_THAT(rules(), ::testing::UnorderedElementsAre("rdma_write.ok", "rdma_write_with_imm.ok",
                                                       "rdma_read.ok"));
  walk.known.clear();
  avoid_expected(expectations, walk, true);
  EXPECT_THAT(rules(), ::testing::Contains("send.ok"));
}

class UpdateTest : public ExpectationsTest {
 protected:
  /// A report in which "a.b/status/c,Deviates" was not met and two things were unexpected.
  static nlohmann::json report() {
    return nlohmann::json::parse(R"({
      "cases": {"all_expected": true, "unmatched": ["a.b/status/c,Deviates"]},
      "deviations": [
        {"rule": "d.e", "class": "status", "condition": "f", "expected": false, "flaky": false},
        {"rule": "g.h", "class": "status", "condition": "i", "expected": true, "flaky": false},
        {"rule": "j.k", "class": "status", "condition": "l", "expected": false, "flaky": true}],
      "incidents": [
        {"verdict": "hang", "name": "m.none/none/n", "expected": false}]})");
  }
  static constexpr const char* kBefore =
      "# head\n\na.b/status/c,Deviates  # gone\ng.h/status/i,Deviates  # stays\n";
};

TEST_F(UpdateTest, TakesOutWhatNothingMetAndAddsWhatIsNew) {
  EXPECT_EQ(updated_expectations(kBefore, report().dump(), "F99"),
            "# head\n\ng.h/status/i,Deviates  # stays\n"
            "d.e/status/f,Deviates  # F99\nm.none/none/n,Hang  # F99\n");
}

TEST_F(UpdateTest, AddsNothingTwice) {
  const auto once = updated_expectations(kBefore, report().dump(), "F99");
  EXPECT_EQ(updated_expectations(once, report().dump(), "F99"), once);
  EXPECT_EQ(updated_expectations(once, report().dump(), ""), once) << "no reason is needed";
}

TEST_F(UpdateTest, TakesAReasonOfOneLine) {
  for (const char* reason : {"a\nb", "a\tb", "a\x1b[31m", "\r"})
    EXPECT_THROW(updated_expectations(kBefore, report().dump(), reason), model::ToolError)
        << reason;
}

TEST_F(UpdateTest, AsksForAReasonAndForAWholeRun) {
  EXPECT_THROW(updated_expectations(kBefore, report().dump(), " "), model::ToolError);
  auto part = report();
  part["cases"]["all_expected"] = false;
  EXPECT_THROW(updated_expectations(kBefore, part.dump(), "F99"), model::ToolError);
  EXPECT_THROW(updated_expectations(kBefore, "{}", "F99"), model::ToolError);
  EXPECT_THROW(updated_expectations(kBefore, "no report", "F99"), model::ToolError);
}

}  // namespace
}  // namespace mrproof::conformance
