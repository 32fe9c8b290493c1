#include "conformance/run/journal.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "impl/sim/sim_device.hpp"
#include "model/testing/test_files.hpp"
#include "property-tests/walk/test_walk.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::TemporaryFolder;
using nlohmann::json;

std::vector<json> lines_of(const std::string& path) {
  std::vector<json> lines;
  std::istringstream text(model::testing::read_file(path));
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  return lines;
}

/// Writes the cases of a walk as a supervisor would; returns the tally that it had.
Tally write_walk(Journal& journal, const property_tests::Plan& plan, std::uint64_t cases) {
  Tally tally(model::linux_rulebook());
  impl::SimOptions options;
  options.fault = "last-byte-lost";
  impl::SimDevice device(options);
  Record record;
  record.text = print_description(device.description());
  journal.hello(record);
  for (record.index = 0; record.index < cases; ++record.index) {
    const std::string name = plan.case_name(record.index);
    journal.begin_case(name, record);
    Record end;
    for (const model::Step& step :
         property_tests::testing::walk_case(device, plan, record.index).steps) {
      const auto* rule = tally.book->find(step.annotations.front().rule);
      const bool taken = step.annotations.front().verdict != model::Verdict::deviates;
      end.rule = rule != nullptr && taken ? static_cast<std::uint16_t>(tally.book->index(*rule))
                                          : Record::kNoRule;
      end.inside_ns = 3;
      end.elapsed_ns = 10;
      journal.step(name, end, step);
      tally.add(end, step, name);
      ++end.index;
    }
    journal.end_case(record);
    tally.add_case(record);
  }
  return tally;
}

TEST(Journal, HoldsOneObjectALine) {
  const TemporaryFolder folder;
  const property_tests::Plan plan = property_tests::testing::plan_of(2000);
  {
    Journal journal(folder.file("journal.jsonl"));
    write_walk(journal, plan, plan.cases());
    Incident incident;
    incident.case_name = "a \"case\"";
    incident.text = "two\nlines";
    journal.incident(incident);
  }
  const auto lines = lines_of(folder.file("journal.jsonl"));
  EXPECT_EQ(lines.front().at("record"), "device");
  EXPECT_EQ(lines.back().at("text"), "two\nlines");
  EXPECT_EQ(lines.back().at("case"), "a \"case\"");
  std::uint64_t expected = 0;
  for (const auto& line : lines) {
    if (line.at("record") == "case") expected = 0;
    if (line.at("record") != "step") continue;
    EXPECT_EQ(line.at("step"), expected++);
  }
}

TEST(Journal, ASkippedCaseIsReadBackWithItsReason) {
  const TemporaryFolder folder;
  const std::string path = folder.file("journal.jsonl");
  const property_tests::Plan plan = property_tests::testing::plan_of(4000);
  {
    Journal journal(path);
    Record record;
    record.text = print_description({});
    journal.hello(record);
    for (const char* reason : {"", "it lacks \"windows\""}) {
      record.skip_reason = reason;
      journal.begin_case(plan.case_name(record.index), record);
      journal.end_case(record);
      ++record.index;
    }
  }
  Tally tally(model::linux_rulebook());
  EXPECT_EQ(read_journal(path, plan, "", tally).first_case, 2U);
  EXPECT_EQ(tally.cases, 1U);
  ASSERT_EQ(tally.outcomes.size(), 2U);
  EXPECT_EQ(tally.outcomes[0].skip_reason, "");
  EXPECT_EQ(tally.outcomes[1].skip_reason, "it lacks \"windows\"");
}

TEST(Journal, IsReadBackUpToTheLastCaseThatIsOver) {
  const TemporaryFolder folder;
  const std::string path = folder.file("journal.jsonl");
  const property_tests::Plan plan = property_tests::testing::plan_of(4000);
  Tally written(model::linux_rulebook());
  std::uintmax_t whole = 0;
  {
    Journal journal(path);
    written = write_walk(journal, plan, 7);
    journal.flush();
    whole = model::testing::fs::file_size(path);
    Record record;
    record.index = 7;
    journal.begin_case(plan.case_name(7), record);
    model::Step step;
    step.observed = true;
    journal.step(plan.case_name(7), record, step);
  }
  model::testing::fs::resize_file(
      path, model::testing::fs::file_size(path) - 5);  // cut off in the middle
  Tally tally(model::linux_rulebook());
  const Resumption at = read_journal(path, plan, "", tally);
  EXPECT_EQ(at.first_case, 7U);
  EXPECT_EQ(at.bytes, whole);
  EXPECT_EQ(tally.steps, written.steps);
  EXPECT_EQ(tally.cases, written.cases);
  EXPECT_EQ(tally.counts, written.counts);
  EXPECT_EQ(tally.judged, written.judged);
  ASSERT_EQ(tally.findings.size(), written.findings.size());
  for (std::size_t i = 0; i < tally.findings.size(); ++i) {
    EXPECT_EQ(tally.findings[i].name, written.findings[i].name);
    EXPECT_EQ(tally.findings[i].count, written.findings[i].count);
    EXPECT_EQ(tally.findings[i].call, written.findings[i].call);
    EXPECT_EQ(tally.findings[i].result, written.findings[i].result);
  }
  property_tests::Plan other = plan;
  other.seed = 99;
  EXPECT_THROW(read_journal(path, other, "", tally), model::ToolError);
}

/// A journal whose only case is over, by the incident.
std::uint64_t first_case_after(const Incident& incident, Tally& tally) {
  const TemporaryFolder folder;
  const property_tests::Plan plan = property_tests::testing::plan_of(4000);
  Record record;
  {
    Journal journal(folder.file("journal.jsonl"));
    journal.begin_case(plan.case_name(0), record);
    if (incident.case_name.empty()) journal.end_case(record);
    journal.incident(incident);
  }
  return read_journal(folder.file("journal.jsonl"), plan, "", tally).first_case;
}

TEST(Journal, BringsIncidentsBack) {
  Incident incident;
  incident.case_name = property_tests::testing::plan_of(4000).case_name(0);
  incident.call = "query_qp(qp0)";
  incident.trace_file = "crash-01.mrt";
  for (const auto verdict : {model::Verdict::crash, model::Verdict::hang}) {
    Tally tally(model::linux_rulebook());
    incident.verdict = verdict;
    EXPECT_EQ(first_case_after(incident, tally), 1U);
    ASSERT_EQ(tally.incidents.size(), 1U);
    EXPECT_EQ(tally.incidents[0].call, incident.call);
    EXPECT_EQ(tally.incidents[0].trace_file, incident.trace_file);
    EXPECT_EQ(tally.count(verdict), 1U);
  }
}

TEST(Journal, CountsAHangOnceThatTheSupervisorSaw) {
  Incident incident;
  incident.case_name = property_tests::testing::plan_of(4000).case_name(0);
  incident.verdict = model::Verdict::hang;
  incident.name = {"send.none", model::DeviationClass::none, {"receive_posted"}};
  Tally tally(model::linux_rulebook());
  first_case_after(incident, tally);
  EXPECT_EQ(tally.count(model::Verdict::hang), 1U) << "no step says so";
}

TEST(Journal, ACrashBetweenCasesSkipsNone) {
  Tally tally(model::linux_rulebook());
  EXPECT_EQ(first_case_after(Incident{}, tally), 1U) << "case 0 was over, case 1 never began";
}

TEST(Journal, SaysWhichFileCannotBeWrittenOrRead) {
  const TemporaryFolder folder;
  Journal nowhere(folder.file("none/journal.jsonl"));
  EXPECT_THROW(nowhere.begin_case("case", {}), model::ToolError);
  Tally tally(model::linux_rulebook());
  const property_tests::Plan plan;
  EXPECT_THROW(read_journal(folder.file("none"), plan, "", tally), model::ToolError);
  for (const char* text :
       {"{\"record\": 3}\n", "my own data, no newline", "my own\nlines\n", "{}\n"})
    EXPECT_THROW(read_journal(folder.write("damaged", text), plan, "", tally), model::ToolError)
        << text;
  for (const char* text : {"", "{\"rec", "{\"record\":\"run\",\"begun"})
    EXPECT_EQ(read_journal(folder.write("killed", text), plan, "", tally).bytes, 0U) << text;
  Journal journal("/dev/full");
  journal.begin_case("case", {});
  EXPECT_THROW(journal.flush(), model::ToolError);
}

TEST(Journal, TouchesNothingBeforeItsFirstLine) {
  const TemporaryFolder folder;
  const std::string path = folder.write("journal.jsonl", "0123456789");
  { const Journal journal(path, "{}"); }
  { const Journal journal(path, "{}", 4); }
  EXPECT_EQ(model::testing::read_file(path), "0123456789");
  Journal(path, "{}", 4).begin_case("case", {});
  EXPECT_TRUE(model::testing::read_file(path).starts_with("0123{\"record\":\"case\""));
  Journal(path, "{}").begin_case("case", {});
  EXPECT_TRUE(model::testing::read_file(path).starts_with(R"({"record":"run","begun_with":{}})"));
}

TEST(Journal, IsGoneOnWithByTheSameOptionsOnly) {
  const TemporaryFolder folder;
  const std::string path = folder.file("journal.jsonl");
  property_tests::Plan plan = property_tests::testing::plan_of(4000);
  plan.device = "sim";
  {
    Journal journal(path, property_tests::print_begun_with(plan, ""));
    write_walk(journal, plan, 2);
  }
  const auto refusal = [&](const property_tests::Plan& other,
                           const std::string& target = "") -> std::string {
    try {
      Tally tally(model::linux_rulebook());
      read_journal(path, plan, property_tests::print_begun_with(other, target), tally);
      return "";
    } catch (const model::ToolError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal(plan), "");
  property_tests::Plan other = plan;
  other.device = "sim:dealloc-pd-minus-one";
  EXPECT_EQ(refusal(other), path + R"(:1: the run was begun with --device "sim", not )"
                                   R"("sim:dealloc-pd-minus-one"; give the same options, or )"
                                   "another --out");
  EXPECT_THAT(refusal(plan, "/image"), ::testing::HasSubstr("--target \"\""));
  for (auto [change, option] :
       std::initializer_list<std::pair<void (*)(property_tests::Plan&), const char*>>{
           {[](property_tests::Plan& p) { p.dialect = "linux-2006"; }, "--dialect"},
           {[](property_tests::Plan& p) { p.seeds = 2; }, "--seeds"},
           {[](property_tests::Plan& p) { p.steps = 400; }, "--steps"},
           {[](property_tests::Plan& p) { p.case_steps = 100; }, "--case-steps"},
           {[](property_tests::Plan& p) { p.walk.wrong_percent = 0; }, "--wrong"},
           {[](property_tests::Plan& p) { p.walk.objects = 100; }, "--objects"},
           {[](property_tests::Plan& p) { p.patient = !p.patient; }, "--quick"},
           {[](property_tests::Plan& p) { p.shards = 2; }, "--shard"},
           {[](property_tests::Plan& p) { p.scenarios.emplace_back().name = "x"; }, "--scenarios"},
           {[](property_tests::Plan& p) {
              p.series.push_back({property_tests::CaseSeries::Kind::array, "x", 3});
            },
            "--tours"},
           {[](property_tests::Plan& p) {
              p.walk.known.push_back({"send.ok", model::DeviationClass::accepted, {"x"}});
            },
            "--expect"}}) {
    other = plan;
    change(other);
    EXPECT_THAT(refusal(other), ::testing::HasSubstr(std::string("with ") + option + " "));
  }
}

TEST(Journal, WritesNothingWithoutAPath) {
  Journal journal("");
  EXPECT_NO_THROW(journal.incident({}));
  EXPECT_NO_THROW(journal.flush());
}

}  // namespace
}  // namespace mrproof::conformance
