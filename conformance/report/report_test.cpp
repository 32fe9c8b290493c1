#include "conformance/report/report.hpp"

#include "model/trace/pattern.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace mrproof::conformance {
namespace {

using namespace model;
using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// All that a report can hold, with texts that are awkward in JSON and XML.
class ReportTest : public ::testing::Test {
 protected:
  ReportTest() : tally_(linux_rulebook()) {
    tally_.device = {"rxe0", "rdma_rxe", "6.1", "44.0", "<firmware & \"more\">"};
    tally_.steps = 12;
    tally_.counts = {8, 2, 1, 1, 0, 0, 0};
    tally_.judged.front() = 3;
    find("reg_mr.ok", "accepted", "memory_mapped", "");
    find("send.ok", "detail", "received_length", "known & <documented>");
    find("dereg_mr.refused", "rejected", "outcome_known", "");
    happen(Verdict::crash, "signal 11 <Segmentation fault> & \"quotes\"");
    happen(Verdict::inconclusive, "interrupted from outside");
    facts_.place = "this machine";
    end("scenarios/send/ok", {}, Verdict::conforms, true);
    end("walk/seed-1/case-0", {"deviates reg_mr.ok accepted memory_mapped"}, Verdict::deviates,
        false);
    end("walk/seed-1/case-1", {"deviates send.ok detail received_length"}, Verdict::deviates, true);
    end("walk/seed-1/case-2", {}, Verdict::unsupported, true);
    end("walk/seed-1/case-3", {"crash query_qp(qp0) <&\">"}, Verdict::crash, false);
    facts_.missing = {"walk/seed-1/case-4"};
  }
  void end(const char* name, std::vector<std::string> seen, Verdict verdict, bool expected) {
    CaseOutcome outcome;
    outcome.name = name;
    outcome.seen = std::move(seen);
    outcome.counts.at(static_cast<std::size_t>(verdict)) = 1;
    outcome.expected = expected;
    tally_.outcomes.push_back(outcome);
  }
  void find(const char* rule, const char* kind, const char* broken, const char* reason) {
    Finding finding;
    finding.name = {{rule, *model::parse_class(kind), {broken}}, Verdict::deviates};
    finding.count = 2;
    finding.case_name = "walk/seed-1/case-0";
    finding.call = "mr0 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE)";
    finding.result = "ok";
    finding.trace_file = "deviation-01.mrt";
    finding.expected_reason = reason;
    tally_.findings.push_back(finding);
    if (const auto* known = linux_rulebook().find(rule))
      ++tally_.judged.at(linux_rulebook().index(*known));
  }
  void happen(Verdict verdict, const std::string& text) {
    Incident incident;
    incident.verdict = verdict;
    incident.case_name = "walk/seed-1/case-3";
    incident.step = 4;
    incident.call = "query_qp(qp0)";
    incident.text = text;
    tally_.incidents.push_back(incident);
  }
  [[nodiscard]] ordered_json json() const {
    return ordered_json::parse(report_json(plan_, tally_, facts_));
  }
  [[nodiscard]] std::string junit() const { return report_junit(tally_, facts_); }

  property_tests::Plan plan_;
  Tally tally_;
  RunFacts facts_;
};

std::vector<std::string> keys(const ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

/// The format is a promise (version 1): a change here needs a new version.
TEST_F(ReportTest, JsonKeepsItsShape) {
  const auto report = json();
  EXPECT_THAT(keys(report),
              ElementsAre("format", "version", "target", "dialect", "seed", "seeds", "steps",
                          "cases", "cut_short", "error", "counts", "rules", "capabilities",
                          "choices", "deviations", "incidents", "timing"));
  EXPECT_EQ(report.at("format"), "mrproof-report");
  EXPECT_EQ(report.at("version"), 1);
  EXPECT_THAT(keys(report.at("target")),
              ElementsAre("device", "driver", "kernel", "rdma_core", "firmware", "place"));
  EXPECT_THAT(keys(report.at("cases")),
              ElementsAre("planned", "finished", "skipped", "shard", "shards", "ended", "noted",
                          "missing", "lacking", "all_expected", "unmatched", "drift"));
  EXPECT_THAT(keys(report.at("counts")),
              ElementsAre("conforms", "deviates", "crash", "hang", "kernel_warning", "unsupported",
                          "inconclusive"));
  EXPECT_THAT(keys(report.at("rules").front()), ElementsAre("rule", "judged"));
  EXPECT_THAT(
      keys(report.at("deviations").front()),
      ElementsAre("rule", "condition", "class", "count", "count_of_process_1", "expected", "reason",
                  "flaky", "case", "first_step", "call", "result", "trace", "shrunk"));
  EXPECT_TRUE(report.at("deviations").front().at("shrunk").is_null());
  EXPECT_THAT(keys(report.at("incidents").front()),
              ::testing::IsSupersetOf({"verdict", "case", "step", "call", "text", "trace"}));
  EXPECT_THAT(keys(report.at("timing")),
              ElementsAre("seconds", "boot_seconds", "machine_seconds", "steps_per_second",
                          "undisturbed_steps_per_second", "inside_share"));
}

TEST_F(ReportTest, JsonSaysWhatTheTallyKnows) {
  const auto report = json();
  EXPECT_EQ(report.at("target").at("firmware"), tally_.device.firmware);
  EXPECT_EQ(report.at("steps"), 12);
  EXPECT_EQ(report.at("counts").at("conforms"), 8);
  EXPECT_EQ(report.at("rules").size(), linux_rulebook().rules().size());
  EXPECT_EQ(report.at("deviations").size(), 3U);
  EXPECT_EQ(report.at("deviations")[1].at("expected"), true);
  EXPECT_EQ(report.at("incidents")[0].at("step"), 4);
}

/// Whether an XML text is well-formed, as far as JUnit needs it: what is wrong with it, or nothing.
std::string flaw_of(const std::string& xml) {
  for (const char c : xml)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') return "control character";
  const std::string entity = "&(lt|gt|amp|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);";
  if (model::replaced(xml, entity, "").find('&') != xml.npos) return "bare ampersand";
  const std::string tag = R"(<(\?xml[^<>]*\?|/?[a-z-]+( [a-z]+="[^"<>]*")*/?)>)";
  std::vector<std::string> open;
  std::size_t tags = 0;
  for (const auto& match : model::all_matches(xml, tag)) {
    ++tags;
    const std::string& text = match[1];
    const std::string name = text.substr(0, text.find(' '));
    if (name == "?xml" || text.back() == '/') continue;
    if (name.front() != '/') {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return "mismatched " + name;
    } else {
      open.pop_back();
    }
  }
  const auto brackets = static_cast<std::size_t>(std::count(xml.begin(), xml.end(), '<'));
  if (brackets != tags) return "a bracket that is no tag";
  return open.empty() ? "" : "unclosed " + open.back();
}

TEST_F(ReportTest, JunitIsWellFormedWhateverTheTextsHold) {
  EXPECT_EQ(flaw_of(junit()), "") << junit();
  tally_.incidents.front().text = "BUG: \x1b[31m<bad>\x01\n\"line\" & more";
  tally_.findings.front().case_name = "some <odd> & \"file\".mrt";
  EXPECT_EQ(flaw_of(junit()), "") << junit();
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(ReportTest, JunitCountsWhatItHolds) {
  const std::string xml = junit();
  const auto attribute = [&](const std::string& name) {
    return std::stoul(
        model::all_matches(xml, "<testsuite [^>]*" + name + "=\"([0-9]+)\"").front()[1]);
  };
  EXPECT_EQ(count_of(xml, "<testcase "), attribute("tests"));
  EXPECT_EQ(count_of(xml, "<failure "), attribute("failures"));
  EXPECT_EQ(count_of(xml, "<error "), attribute("errors"));
  EXPECT_EQ(count_of(xml, "<skipped "), attribute("skipped"));
  EXPECT_EQ(attribute("tests"), 6U) << "five cases that ended, one that is missing";
  EXPECT_EQ(attribute("failures"), 1U) << "an expected deviation is no failure";
  EXPECT_EQ(attribute("errors"), 2U) << "the crash, and the missing case";
  EXPECT_EQ(attribute("skipped"), 1U);
}

TEST_F(ReportTest, KtapSaysTheSame) {
  const std::string ktap = report_ktap(tally_, facts_);
  EXPECT_THAT(ktap, HasSubstr("KTAP version 1\n1..6\nok 1 scenarios/send/ok\n"));
  EXPECT_THAT(ktap, HasSubstr("not ok 2 walk/seed-1/case-0\n"));
  EXPECT_THAT(ktap, HasSubstr("ok 3 walk/seed-1/case-1 # XFAIL\n"));
  EXPECT_THAT(ktap, HasSubstr("ok 4 walk/seed-1/case-2 # SKIP unsupported\n"));
  EXPECT_THAT(ktap, HasSubstr("not ok 5 walk/seed-1/case-3\n"));
  EXPECT_THAT(ktap, HasSubstr("not ok 6 walk/seed-1/case-4\n"));
}

TEST_F(ReportTest, SkippedCasesStandWithTheirReasonInEveryReport) {
  CaseOutcome outcome;
  outcome.name = "scenarios/send/slow";
  outcome.expected = true;
  outcome.skip_reason = "takes a <minute>";
  tally_.outcomes.push_back(outcome);
  EXPECT_EQ(json().at("cases").at("skipped")[0].at("reason"), "takes a <minute>");
  EXPECT_EQ(json().at("cases").at("ended").at("unsupported"), 1) << "the other case only";
  EXPECT_THAT(junit(), HasSubstr("<skipped message=\"takes a &lt;minute&gt;\"/>"));
  EXPECT_THAT(report_ktap(tally_, facts_),
              HasSubstr("ok 6 scenarios/send/slow # SKIP takes a <minute>\n"));
  EXPECT_THAT(report_text(plan_, tally_, facts_), HasSubstr("skipped: scenarios/send/slow"));
  EXPECT_THAT(report_html(plan_, tally_, facts_), HasSubstr("takes a &lt;minute&gt;"));
}

TEST_F(ReportTest, WhatHappensBetweenCasesIsAnErrorOfItsOwn) {
  happen(Verdict::kernel_warning, "WARNING: late");
  tally_.incidents.back().case_name.clear();
  EXPECT_THAT(junit(), HasSubstr("name=\"incident-1\""));
  EXPECT_THAT(junit(), HasSubstr("errors=\"3\""));
  EXPECT_THAT(report_ktap(tally_, facts_), HasSubstr("not ok 6 between-cases/incident-1\n"));
}

TEST_F(ReportTest, TellsWhatIsChosenOtherwiseThanPinned) {
  facts_.drift = {"reg_mr.refused: refused EPERM  a<b"};
  EXPECT_EQ(json().at("cases").at("drift")[0], facts_.drift[0]);
  for (const auto& text :
       {report_text(plan_, tally_, facts_), report_markdown(plan_, tally_, facts_)})
    EXPECT_THAT(text, HasSubstr(facts_.drift[0]));
  EXPECT_THAT(report_html(plan_, tally_, facts_), HasSubstr("refused EPERM  a&lt;b</p>"));
  EXPECT_THAT(junit(), HasSubstr("<failure type=\"drift\""));
}

TEST_F(ReportTest, TextNamesWhatCountsFirst) {
  tally_.incidents.back().expected_reason = "known";
  const std::string text = report_text(plan_, tally_, facts_);
  const auto expected = text.find("\nexpected:\n");
  ASSERT_NE(expected, std::string::npos) << text;
  EXPECT_LT(text.find("deviates reg_mr.ok accepted memory_mapped"), expected);
  EXPECT_LT(text.find("\ncrash in walk/"), expected);
  EXPECT_LT(expected, text.find("\ninconclusive in walk/"));
}

TEST_F(ReportTest, MarkdownNamesWhatCountsFirst) {
  tally_.findings.back().flaky = true;
  tally_.incidents.back().expected_reason = "known";
  const std::string text = report_markdown(plan_, tally_, facts_);
  EXPECT_THAT(text, HasSubstr("2 passed, 1 failed, 1 broke, 1 learnt nothing, 1 missing"));
  const auto unexpected = text.find("`deviates reg_mr.ok accepted memory_mapped` | 2 | **");
  ASSERT_NE(unexpected, std::string::npos) << text;
  EXPECT_LT(unexpected, text.find("| expected | known"));
  EXPECT_LT(text.find("- crash: "), unexpected) << text;
  EXPECT_LT(unexpected, text.find("- inconclusive (expected): "));
  EXPECT_THAT(text, HasSubstr("| flaky |"));
}

TEST_F(ReportTest, SarifHoldsUnexpectedFindingsOnly) {
  tally_.findings.back().flaky = true;
  const auto sarif = ordered_json::parse(report_sarif(tally_));
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  const auto& results = sarif.at("runs").at(0).at("results");
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].at("ruleId"), "reg_mr.ok/accepted/memory_mapped");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "deviation-01.mrt");
}

TEST_F(ReportTest, LongListsOfSourcesAreShownOnThePageInFull) {
  std::string sources = "qp0: send.ok [";
  while (sources.size() < 1000) sources += "ibv_post_send(3), DESCRIPTION; ";
  sources += "the last]";
  tally_.findings.front().remarks = {"allowed here: SUCCESS", sources};
  const std::string text = report_text(plan_, tally_, facts_);
  EXPECT_THAT(text, HasSubstr("\n  allowed here: SUCCESS\n  qp0: send.ok [ibv_post_send(3), "));
  EXPECT_THAT(text, HasSubstr(" ... (all: report.html)\n"));
  EXPECT_THAT(text, Not(HasSubstr("the last]")));
  EXPECT_THAT(report_html(plan_, tally_, facts_), HasSubstr("the last]"));
}

TEST(Flaky, IsWhatTheSameCallsDoNotShowAgain) {
  Tally tally(linux_rulebook());
  Tally again(linux_rulebook());
  const auto add = [&](const char* rule, std::uint32_t steps_again) {
    Finding finding;
    finding.name = {{rule, model::DeviationClass::accepted, {"memory_mapped"}}, Verdict::deviates};
    finding.trace.steps.resize(3);
    tally.findings.push_back(finding);
    again.begin_case(model::print_annotation(finding.name));
    again.outcomes.back().counts[0] = steps_again;
  };
  add("reg_mr.ok", 3);
  add("reg_mr_iova.ok", 3);
  add("reg_mr_ex.ok", 2);
  add("send.ok", 3);
  again.findings.push_back(tally.findings[1]);
  tally.findings[3].expected_reason = "known";
  EXPECT_TRUE(tally.has_unexpected());
  mark_flaky(tally, again);
  EXPECT_TRUE(tally.findings[0].flaky);
  EXPECT_FALSE(tally.findings[1].flaky) << "it came again";
  EXPECT_FALSE(tally.findings[2].flaky) << "its calls were not all made";
  EXPECT_FALSE(tally.findings[3].flaky) << "it is expected";
  EXPECT_TRUE(tally.has_unexpected());
  tally.findings.erase(tally.findings.begin() + 1, tally.findings.begin() + 3);
  EXPECT_FALSE(tally.has_unexpected()) << "a flaky finding is reported and fails nothing";
}

TEST(CaseOutcome, IsTheWorstThatWasSeen) {
  CaseOutcome outcome;
  const auto add = [&](Verdict verdict, std::uint32_t times) {
    outcome.counts.at(static_cast<std::size_t>(verdict)) += times;
    return outcome.verdict();
  };
  EXPECT_EQ(outcome.verdict(), Verdict::unsupported) << "nothing was learnt";
  EXPECT_EQ(add(Verdict::inconclusive, 3), Verdict::unsupported);
  EXPECT_EQ(add(Verdict::conforms, 1), Verdict::conforms) << "three are a few";
  EXPECT_EQ(add(Verdict::inconclusive, 1), Verdict::inconclusive);
  EXPECT_EQ(add(Verdict::deviates, 1), Verdict::deviates);
  EXPECT_EQ(add(Verdict::kernel_warning, 1), Verdict::kernel_warning);
  EXPECT_EQ(add(Verdict::hang, 1), Verdict::hang);
  EXPECT_EQ(add(Verdict::crash, 1), Verdict::crash);
}

TEST_F(ReportTest, SurvivesTextsThatAreNoUtf8) {
  // What a kernel prints on its console may be anything.
  tally_.incidents.front().text = "Oops \xff\xfe";
  EXPECT_NO_THROW(static_cast<void>(report_json(plan_, tally_, facts_)));
  EXPECT_NO_THROW(static_cast<void>(report_junit(tally_, facts_)));
}

TEST_F(ReportTest, HtmlNamesEveryDeviationAndLetsNoTextBeMarkup) {
  tally_.findings.front().trace_file = "<script>.mrt";
  const std::string page = report_html(plan_, tally_, facts_);
  for (const auto* part : {"memory_mapped", "received_length", "outcome_known", "rdma_rxe"})
    EXPECT_THAT(page, HasSubstr(part));
  for (const auto* part : {"<firmware", "<documented", "<script>.mrt", "<Segmentation"})
    EXPECT_THAT(page, ::testing::Not(HasSubstr(part)));
}

TEST_F(ReportTest, TextNamesEveryDeviationAndWhatWentWrong) {
  facts_.cut_short = true;
  facts_.error = "no more disk";
  tally_.steps = 1234567;
  const std::string text = report_text(plan_, tally_, facts_);
  for (const auto* part : {"rdma_rxe", "1,234,567 steps", "2 deviates", "signal 11",
                           "deviates reg_mr.ok accepted memory_mapped", "known & <documented>",
                           "ended before", "no more disk"})
    EXPECT_THAT(text, HasSubstr(part));
}

}  // namespace
}  // namespace mrproof::conformance
