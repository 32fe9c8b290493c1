#include "conformance/run/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "conformance/testing/test_files.hpp"
#include "conformance/testing/test_walk.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof {
namespace {

using nlohmann::json;
using testing::TemporaryFolder;

std::vector<json> lines_of(const std::string& path) {
  std::vector<json> lines;
  std::istringstream text(testing::read_file(path));
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  return lines;
}

/// Writes the cases of a walk as a supervisor would; returns the tally that it had.
Tally write_walk(Journal& journal, const Plan& plan, std::uint64_t cases) {
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
    for (const Step& step : testing::walk_case(device, plan, record.index).steps) {
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
  const Plan plan = testing::plan_of(2000);
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
  const Plan plan = testing::plan_of(4000);
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
  EXPECT_EQ(read_journal(path, plan, tally), 2U);
  EXPECT_EQ(tally.cases, 1U);
  ASSERT_EQ(tally.outcomes.size(), 2U);
  EXPECT_EQ(tally.outcomes[0].skip_reason, "");
  EXPECT_EQ(tally.outcomes[1].skip_reason, "it lacks \"windows\"");
}

TEST(Journal, IsReadBackUpToTheLastCaseThatIsOver) {
  const TemporaryFolder folder;
  const std::string path = folder.file("journal.jsonl");
  const Plan plan = testing::plan_of(4000);
  Tally written(model::linux_rulebook());
  std::uintmax_t whole = 0;
  {
    Journal journal(path);
    written = write_walk(journal, plan, 7);
    journal.flush();
    whole = testing::fs::file_size(path);
    Record record;
    record.index = 7;
    journal.begin_case(plan.case_name(7), record);
    Step step;
    step.observed = true;
    journal.step(plan.case_name(7), record, step);
  }
  testing::fs::resize_file(path, testing::fs::file_size(path) - 5);  // cut off in the middle
  Tally tally(model::linux_rulebook());
  EXPECT_EQ(read_journal(path, plan, tally), 7U);
  EXPECT_EQ(testing::fs::file_size(path), whole);
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
  Plan other = plan;
  other.seed = 99;
  EXPECT_THROW(read_journal(path, other, tally), ToolError);
}

/// A journal whose only case is over, by the incident.
std::uint64_t first_case_after(const Incident& incident, Tally& tally) {
  const TemporaryFolder folder;
  const Plan plan = testing::plan_of(4000);
  Record record;
  {
    Journal journal(folder.file("journal.jsonl"));
    journal.begin_case(plan.case_name(0), record);
    if (incident.case_name.empty()) journal.end_case(record);
    journal.incident(incident);
  }
  return read_journal(folder.file("journal.jsonl"), plan, tally);
}

TEST(Journal, BringsIncidentsBack) {
  Incident incident;
  incident.case_name = testing::plan_of(4000).case_name(0);
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

TEST(Journal, ACrashBetweenCasesSkipsNone) {
  Tally tally(model::linux_rulebook());
  EXPECT_EQ(first_case_after(Incident{}, tally), 1U) << "case 0 was over, case 1 never began";
}

TEST(Journal, SaysWhichFileCannotBeWrittenOrRead) {
  const TemporaryFolder folder;
  EXPECT_THROW(Journal(folder.file("none/journal.jsonl")), ToolError);
  Tally tally(model::linux_rulebook());
  const Plan plan;
  EXPECT_THROW(read_journal(folder.file("none"), plan, tally), ToolError);
  EXPECT_THROW(read_journal(folder.write("damaged", "{\"record\": 3}\n"), plan, tally), ToolError);
  Journal journal("/dev/full");
  journal.begin_case("case", {});
  EXPECT_THROW(journal.flush(), ToolError);
}

TEST(Journal, WritesNothingWithoutAPath) {
  Journal journal("");
  EXPECT_NO_THROW(journal.incident({}));
  EXPECT_NO_THROW(journal.flush());
}

}  // namespace
}  // namespace mrproof
