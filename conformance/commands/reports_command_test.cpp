// merge, submit, verify and coverage from outside: what they make of reports that are not whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "conformance/commands/commands.hpp"
#include "conformance/testing/test_files.hpp"

namespace mrproof {
namespace {

using nlohmann::json;
using testing::expect_refused;
using ::testing::HasSubstr;
using testing::is_one_line;
using ::testing::Not;
using testing::Ran;
using testing::read_file;
using testing::run_mrproof;
namespace fs = testing::fs;

/// A folder for reports of short runs.
class Reports : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  /// Five cases of the device; the report's folder.
  [[nodiscard]] std::string run(const std::string& name, const std::vector<std::string>& more = {},
                                const char* device = "sim") const {
    std::vector<std::string> arguments{"run", "--device", device, "--out", file(name)};
    if (std::find(more.begin(), more.end(), "--steps") == more.end())
      arguments.insert(arguments.end(), {"--steps", "1000"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = run_mrproof(arguments);
    EXPECT_THAT(ran.code, ::testing::AnyOf(kExitExpected, kExitDeviation)) << ran.err;
    return file(name);
  }
  [[nodiscard]] Ran merge(std::vector<std::string> folders) const {
    folders.insert(folders.begin(), {"merge", "--out", file("merged")});
    return run_mrproof(folders);
  }
  /// The lines of a journal.
  [[nodiscard]] std::vector<std::string> lines(const std::string& report) const {
    std::istringstream in(read_file(file(report + "/journal.jsonl")));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line + "\n");
    return all;
  }
  void write_journal(const std::string& report, const std::vector<std::string>& lines) const {
    std::string text;
    for (const auto& line : lines) text += line;
    write(report + "/journal.jsonl", text);
  }
  void write(const std::string& name, const std::string& text) const {
    static_cast<void>(folder_.write(name, text));
  }
  /// Sets a field of a report.json.
  void set(const std::string& report, const std::string& key, const json& value) const {
    json all = json::parse(read_file(file(report + "/report.json")));
    all[key] = value;
    write(report + "/report.json", all.dump());
  }
  [[nodiscard]] json report(const std::string& name) const {
    return json::parse(read_file(file(name + "/report.json")));
  }
  /// The names of what is in a folder.
  [[nodiscard]] std::vector<std::string> names(const std::string& folder) const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(file(folder)))
      all.push_back(entry.path().filename());
    return all;
  }

 private:
  testing::TemporaryFolder folder_;
};

using DamagedReports = Reports;

TEST_F(DamagedReports, ReportsAreNamedWithWhatIsWrong) {
  const auto folder = run("report");
  const auto name = folder + "/report.json: ";
  const auto refused = [&](const std::string& text, const std::string& word) {
    write("report/report.json", text);
    for (const char* command : {"verify", "submit", "coverage", "fingerprint"})
      expect_refused(run_mrproof({command, folder}), {name, word});
    expect_refused(run_mrproof({"diff", folder, folder}), {name, word});
  };
  const auto whole = report("report");
  refused("", "parse error");
  refused("[]", "cannot use at()");
  refused(R"({"format":5})", "its format is 5");
  refused(R"({"format":"mrproof-report","version":2})", "its version is 2");
  refused(R"({"format":"mrproof-report","version":1})", "key '");
  for (const char* key : {"dialect", "deviations"}) {
    auto less = whole;
    less.erase(key);
    refused(less.dump(), std::string("key '") + key + "' not found");
  }
  auto other = whole;
  other["dialect"] = "plan9";
  write("report/report.json", other.dump());
  for (const char* command : {"verify", "submit", "coverage"})
    expect_refused(run_mrproof({command, folder}), {name, "plan9"});
  other = whole;
  other["counts"].erase("deviates");
  write("report/report.json", other.dump());
  for (const char* command : {"verify", "submit"})
    expect_refused(run_mrproof({command, folder}), {name, "key 'deviates' not found"});
}

TEST_F(DamagedReports, JournalsAreNamedWithTheLine) {
  const auto report = run("report");
  const auto whole = lines("report");
  const auto refused = [&](std::size_t step) {
    auto damaged = whole;
    const std::string result = "\"result\":\"";
    damaged[step].replace(damaged[step].find(result) + result.size(), 2, "??");
    write_journal("report", damaged);
    const auto place = "report/journal.jsonl:" + std::to_string(step + 1) + ": ";
    for (const char* command : {"verify", "submit", "coverage"})
      expect_refused(run_mrproof({command, report}), {place, "expected an outcome, found '??"});
  };
  refused(50);
  refused(whole.size() - 3);
}

}  // namespace
}  // namespace mrproof
