// Runs of the real program on the simulated device, disturbed on purpose.
#include "conformance/run/supervisor.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "conformance/testing/test_program.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::eventually;
using nlohmann::json;
using testing::Program;

/// A run into a folder of its own.
class DisturbedRun : public ::testing::Test {
 protected:
  std::vector<std::string> arguments(const std::string& steps, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"run", "--device", "sim", "--steps", steps, "--out", out_};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// Waits until steps stand in the journal.
  void wait_for_steps() {
    ASSERT_TRUE(eventually([&] {
      struct stat info {};
      return stat((out_ + "/journal.jsonl").c_str(), &info) == 0 && info.st_size > 20000;
    }));
  }
  [[nodiscard]] json report() const {
    return json::parse(model::testing::read_file(out_ + "/report.json"));
  }
  [[nodiscard]] std::vector<json> journal() const {
    std::vector<json> lines;
    std::istringstream text(model::testing::read_file(out_ + "/journal.jsonl"));
    for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
    return lines;
  }
  /// The steps of the case as the journal has them, up to the incident.
  [[nodiscard]] std::vector<json> steps_before(const json& incident) const {
    std::vector<json> steps;
    for (const auto& line : journal()) {
      if (line.at("record") == "incident") return steps;
      if (line.at("record") == "step" && line.at("case") == incident.at("case"))
        steps.push_back(line);
    }
    ADD_FAILURE() << "no incident in the journal";
    return steps;
  }
  void expect_reports_but_no_channel() const {
    EXPECT_TRUE(model::testing::fs::exists(out_ + "/report.json"));
    EXPECT_TRUE(model::testing::fs::exists(out_ + "/junit.xml"));
    EXPECT_TRUE(model::testing::fs::exists(out_ + "/journal.jsonl"));
    EXPECT_FALSE(model::testing::fs::exists(out_ + "/mrproof.channel"));
  }

  model::testing::TemporaryFolder folder_;
  std::string out_ = folder_.file("report");
};

TEST_F(DisturbedRun, GoesOnAfterItsWorkerWasKilled) {
  Program program(arguments("150000"));
  wait_for_steps();
  const pid_t worker = program.worker();
  ASSERT_GT(worker, 0);
  kill(worker, SIGKILL);
  EXPECT_EQ(program.wait(), 0) << program.err();
  const json incident = report().at("incidents").at(0);
  EXPECT_EQ(incident.at("verdict"), "inconclusive");
  EXPECT_THAT(incident.at("text").get<std::string>(), ::testing::HasSubstr("signal 9"));
  EXPECT_EQ(report().at("incidents").size(), 1U);
  // The journal has every step before the one that was being made, and that one is named. None was,
  // if the signal came while the case was being set up; between two cases it is of neither, and the
  // trace is that of the one before.
  const auto steps = steps_before(incident);
  const std::uint64_t at = incident.at("step");
  const bool between = incident.at("case") == "", named = incident.at("call") != "";
  ASSERT_TRUE(between || steps.size() == at || steps.size() == at + 1)
      << steps.size() << " before " << at;
  for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i].at("step"), i);
  EXPECT_TRUE(named || between || at == 0);
  EXPECT_FALSE(named && between);
  const std::string trace =
      model::testing::read_file(out_ + "/" + incident.at("trace").get<std::string>());
  EXPECT_THAT(trace, ::testing::HasSubstr(incident.at("call").get<std::string>()));
  EXPECT_EQ(model::parse_trace(trace, "trace").steps.size(), named || between ? at + 1 : 0);
  // The rest of the plan was done all the same, the case anew.
  EXPECT_GE(report().at("steps"), 150000);
  EXPECT_EQ(report().at("cases").at("finished"), report().at("cases").at("planned"));
  expect_reports_but_no_channel();
}

TEST_F(DisturbedRun, GivesUpWhenItsWorkerIsKilledAgainAndAgain) {
  // Cases without an end, so that it is always the same one.
  Program program(arguments("100000000", {"--case-steps", "100000", "--no-journal"}));
  pid_t worker = -1;
  for (int times = 0; times < 3; ++times) {
    worker = program.worker(worker);
    ASSERT_GT(worker, 0);
    kill(worker, SIGSTOP);
    kill(worker, SIGKILL);
  }
  EXPECT_EQ(program.wait(), 2);
  EXPECT_TRUE(model::testing::is_one_line(program.err())) << program.err();
}

TEST_F(DisturbedRun, EndsInOrderWhenInterrupted) {
  for (const int number : {SIGINT, SIGTERM}) {
    out_ = folder_.file("report-" + std::to_string(number));
    Program program(arguments("100000000"));
    wait_for_steps();
    program.signal(number);
    EXPECT_EQ(program.wait(), 2) << program.err();
    EXPECT_THAT(program.err(), ::testing::HasSubstr("mrproof: interrupted after "));
    EXPECT_EQ(report().at("cut_short"), true);
    EXPECT_GT(report().at("counts").at("conforms"), 0);
    EXPECT_EQ(report().at("incidents").size(), 0U);
    const auto lines = journal();
    EXPECT_EQ(report().at("steps"), std::count_if(lines.begin(), lines.end(), [](const json& line) {
                return line.at("record") == "step";
              }));
    expect_reports_but_no_channel();
  }
}

TEST_F(DisturbedRun, CallsAStoppedWorkerAHangAndGoesOn) {
  Program program(arguments("150000", {"--step-limit", "2"}));
  wait_for_steps();
  const pid_t worker = program.worker();
  ASSERT_GT(worker, 0);
  kill(worker, SIGSTOP);
  EXPECT_EQ(program.wait(), 1) << program.err();
  EXPECT_EQ(report().at("counts").at("hang"), 1);
  const json incident = report().at("incidents").at(0);
  EXPECT_EQ(incident.at("verdict"), "hang");
  // None was being made if the signal came while the case was being set up.
  EXPECT_TRUE(incident.at("call") != "" || incident.at("step") == 0) << incident;
  EXPECT_LE(steps_before(incident).size(), incident.at("step").get<std::size_t>() + 1);
  // Only the case that hung is not finished.
  const json cases = report().at("cases");
  EXPECT_EQ(cases.at("finished").get<int>() + 1, cases.at("planned"));
  expect_reports_but_no_channel();
}

TEST_F(DisturbedRun, TakesTheWorkerAlongWhenItIsKilledItself) {
  Program program(arguments("100000000", {"--no-journal"}));
  const pid_t worker = program.worker();
  ASSERT_GT(worker, 0);
  program.signal(SIGKILL);
  EXPECT_EQ(program.wait(), 1000 + SIGKILL);
  // Whoever inherits it may not have waited for it yet: dead is what it has to be.
  EXPECT_TRUE(eventually([&] {
    std::ifstream in("/proc/" + std::to_string(worker) + "/stat");
    std::string id;
    std::string name;
    std::string state;
    return !(in >> id >> name >> state) || state == "Z" || state == "X";
  }));
}

TEST_F(DisturbedRun, ResumedSaysTheSameAsOneThatWasNotInterrupted) {
  const std::string whole = out_;
  EXPECT_EQ(testing::run_mrproof(arguments("60000")).code, 0);
  const json expected = report();
  out_ = folder_.file("resumed");
  {
    Program program(arguments("60000"));
    wait_for_steps();
    program.signal(SIGINT);
    EXPECT_EQ(program.wait(), 2);
  }
  EXPECT_EQ(testing::run_mrproof(arguments("60000", {"--resume"})).code, 0);
  for (const auto* field : {"steps", "cases", "counts", "rules", "deviations"})
    EXPECT_EQ(report().at(field), expected.at(field)) << field;
}

TEST_F(DisturbedRun, KeepsItsFolderForItselfWhileItRuns) {
  Program program(arguments("100000000"));
  wait_for_steps();
  const auto other = testing::run_mrproof(arguments("400"));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, ::testing::HasSubstr("another run writes there"));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait(), 2) << program.err();
  EXPECT_EQ(report().at("incidents").size(), 0U);
}

TEST_F(DisturbedRun, LeavesTheEarlierReportWhereItCannotBegin) {
  ASSERT_EQ(testing::run_mrproof(arguments("400")).code, 0);
  const std::string journal = model::testing::read_file(out_ + "/journal.jsonl");
  const std::string before = model::testing::read_file(out_ + "/report.json");
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "--out", out_});
    return testing::run_mrproof(more).code;
  };
  EXPECT_EQ(run({"--device", "simm"}), 2);
  EXPECT_EQ(run({"--device", "simm", "--steps", "400", "--resume"}), 2);
  EXPECT_EQ(model::testing::read_file(out_ + "/journal.jsonl"), journal);
  EXPECT_EQ(model::testing::read_file(out_ + "/report.json"), before);
}

TEST_F(DisturbedRun, EndsAtItsTime) {
  const auto ran = testing::run_mrproof(arguments("100000000", {"--time", "0.3", "--no-journal"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(report().at("cut_short"), true);
  EXPECT_LT(report().at("timing").at("seconds").get<double>(), 3);
}

}  // namespace
}  // namespace mrproof::conformance
