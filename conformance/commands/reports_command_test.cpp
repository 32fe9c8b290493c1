// merge, submit, verify and coverage from outside: what they make of reports that are not whole.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "conformance/commands/commands.hpp"
#include "conformance/testing/test_program.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::is_one_line;
using model::testing::read_file;
using nlohmann::json;
using testing::expect_refused;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using testing::run_mrproof;
namespace fs = model::testing::fs;

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
  model::testing::TemporaryFolder folder_;
};

using MergeOfReports = Reports;
using SubmitOfReports = Reports;
using DamagedReports = Reports;

TEST_F(MergeOfReports, RefusesAJournalThatIsCutOff) {
  const auto report = run("report");
  const auto whole = lines("report");
  const auto refused = [&](const std::string& word) {
    expect_refused(merge({report}), {"report/journal.jsonl:", word, "cut off", "--resume"});
    EXPECT_FALSE(fs::exists(file("merged"))) << "nothing is written";
    expect_refused(run_mrproof({"coverage", report}), {"report/journal.jsonl:", word, "--resume"});
  };
  auto less = whole;
  less.resize(300);
  write_journal("report", less);
  refused("ends after 1 of 5 cases");
  less.back().resize(20);
  write_journal("report", less);
  refused(":300: the line is cut off");
  write_journal("report", {});
  refused("ends after 0 of 5 cases");
  write_journal("report", whole);
  EXPECT_EQ(merge({report}).code, kExitExpected);
  EXPECT_EQ(run_mrproof({"coverage", report}).code, kExitExpected);
}

TEST_F(MergeOfReports, RefusesAJournalThatSaysOtherThanItsReport) {
  const auto report = run("report");
  auto journal = lines("report");
  journal.erase(std::find_if(journal.begin(), journal.end(), [](const auto& line) {
    return line.find("\"step\"") != std::string::npos;
  }));
  write_journal("report", journal);
  expect_refused(merge({report}), {"report/journal.jsonl: has 999 steps", "report.json has 1000"});
  const auto other = run("other", {"--steps", "1600"});
  write_journal("report", lines("other"));
  expect_refused(merge({report}), {"report/journal.jsonl: has 8 cases where report.json has 5"});
}

TEST_F(MergeOfReports, RefusesShardsOfAnotherPlanOrDevice) {
  const auto first = run("first", {"--shard", "1/2"});
  const auto refused = [&](const std::vector<std::string>& more, const char* device,
                           const std::string& word) {
    auto arguments = more;
    arguments.insert(arguments.end(), {"--shard", "2/2"});
    const auto second = run("second", arguments, device);
    expect_refused(merge({first, second}), {"second: its ", word, first});
  };
  refused({"--seed", "2"}, "sim", "seed is 2");
  refused({}, "sim:dealloc-pd-minus-one", "firmware is \"fault dealloc-pd-minus-one\"");
  refused({}, "sim@no-windows", "access is ");
  refused({"--steps", "1001"}, "sim", "--steps is 1001");
  refused({"--case-steps", "100"}, "sim", "--case-steps is 100");
  refused({"--wrong", "50"}, "sim", "--wrong is 50");
  refused({"--dialect", "linux-2006"}, "sim", "dialect is \"linux-2006\"");
}

TEST_F(MergeOfReports, RefusesShardsWhoseCasesWereCountedOtherwise) {
  const auto first = run("first", {"--shard", "1/2"});
  const auto second = run("second", {"--shard", "2/2", "--steps", "4000"});
  for (const auto* folder : {"first", "second"}) {
    auto journal = lines(folder);
    ASSERT_THAT(journal.front(), HasSubstr("begun_with"));
    journal.erase(journal.begin());  // journals of earlier versions do not say
    write_journal(folder, journal);
  }
  expect_refused(merge({first, second}), {"it has 3 cases, and shard 1 of 2", "--steps"});
}

TEST_F(MergeOfReports, LeavesTheFoldersOfRunsAlone) {
  const auto one = run("one", {"--shard", "1/2"});
  const auto two = run("two", {"--shard", "2/2"});
  const auto other = run("other");
  const auto before = read_file(one + "/report.json");
  expect_refused(run_mrproof({"merge", one, two, "--out", one + "/."}), {one, "choose another"});
  EXPECT_EQ(read_file(one + "/report.json"), before);
  const auto others = read_file(other + "/report.json");
  expect_refused(run_mrproof({"merge", one, two, "--out", other}), {other, "choose another"});
  EXPECT_EQ(read_file(other + "/report.json"), others);
  fs::remove(two + "/journal.jsonl");
  expect_refused(run_mrproof({"merge", one, two, "--out", two}), {two, "choose another"});
}

TEST_F(MergeOfReports, KeepsTheTracesOfShardsApart) {
  fs::create_directories(file("a"));
  fs::create_directories(file("b"));
  const char* const device = "sim:dealloc-pd-minus-one";
  const auto one = run("a/report", {"--shard", "1/2", "--steps", "4000"}, device);
  const auto two = run("b/report", {"--shard", "2/2", "--steps", "4000"}, device);
  EXPECT_EQ(merge({two + "/", one + "/report.json"}).code, kExitDeviation);
  const std::string trace = report("merged").at("deviations").at(0).at("trace");
  EXPECT_EQ(trace, "shard-2-deviation-01-dealloc_pd.refused.mrt") << "that of the first named";
  EXPECT_EQ(read_file(file("merged/" + trace)),
            read_file(two + "/deviation-01-dealloc_pd.refused.mrt"));
}

TEST_F(MergeOfReports, SaysWhatTheDeviceClaims) {
  const auto one = run("one");
  EXPECT_EQ(merge({one}).code, kExitExpected);
  EXPECT_EQ(report("merged").at("capabilities"), report("one").at("capabilities"));
  EXPECT_EQ(report("merged").at("cases").at("planned"), report("one").at("cases").at("planned"));
}

TEST_F(MergeOfReports, TellsWhyItGaveUp) {
  const auto one = run("one");
  fs::create_directories(file("merged/report.json"));
  const Ran ran = merge({one});
  EXPECT_EQ(ran.code, kExitError);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("merged/report.json: cannot be written"));
  fs::remove(file("merged/report.json"));
  set("one", "error", "the disk was full");
  const Ran other = merge({one});
  EXPECT_EQ(other.code, kExitError);
  EXPECT_TRUE(is_one_line(other.err)) << other.err;
  EXPECT_THAT(other.err, HasSubstr("one: its run gave up: the disk was full"));
}

TEST_F(MergeOfReports, TellsWhichShardWasCutShort) {
  const auto one = run("one", {"--shard", "1/2"});
  const auto two = run("two", {"--shard", "2/2"});
  set("two", "cut_short", true);
  const Ran ran = merge({one, two});
  EXPECT_EQ(ran.code, kExitError);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("mrproof: " + two + ": cut short; go on with it by run --resume"));
  EXPECT_EQ(report("merged").at("cut_short"), true) << "the reports are written all the same";
}

// How many rows the covering array has depends on the device; that is known once it is open.
using RunOfTheArray = Reports;

TEST_F(RunOfTheArray, HasTheRowsOfTheDevice) {
  const Ran ran = run_mrproof(
      {"run", "--device", "sim@no-atomics", "--array", "--steps", "1", "--out", file("whole")});
  EXPECT_EQ(ran.code, kExitExpected) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(" steps in 391 of 391 cases, "));
  EXPECT_THAT(ran.out, HasSubstr("array: 1207 triples need what the device lacks: REMOTE_ATOMIC, "
                                 "ATOMICS\n"));
  const auto whole = report("whole").at("cases");
  EXPECT_EQ(whole.at("planned"), 391);
  EXPECT_EQ(whole.at("finished"), 391);
  EXPECT_EQ(whole.at("skipped"), json::array());
  EXPECT_EQ(whole.at("missing"), json::array());
  EXPECT_EQ(whole.at("lacking").size(), 1U);
  EXPECT_THAT(read_file(file("whole/report.html")), HasSubstr("array: 1207 triples need"));
  EXPECT_THAT(read_file(file("whole/report.md")), HasSubstr("array: 1207 triples need"));
  const auto journal = lines("whole");
  EXPECT_THAT(journal.at(journal.size() - 5), HasSubstr("\"array/0390\""));
}

TEST_F(RunOfTheArray, IsSharedOutAndMerged) {
  std::vector<std::string> shards;
  for (const auto* shard : {"1/3", "2/3", "3/3"})
    shards.push_back(run(std::string("shard-") + shard[0],
                         {"--array", "--steps", "1", "--shard", shard}, "sim@minimal"));
  const Ran ran = merge(shards);
  EXPECT_EQ(ran.code, kExitExpected) << ran.err;
  EXPECT_EQ(report("merged").at("cases").at("planned"), 298);
  EXPECT_EQ(report("merged").at("cases").at("finished"), 298);
  EXPECT_EQ(report("merged").at("cases").at("lacking"),
            report("shard-1").at("cases").at("lacking"));
}

// A row is about something else there, and the case goes on.
TEST_F(RunOfTheArray, DoesWithoutReRegistration) {
  const auto all =
      report(fs::path(run("report", {"--array", "--steps", "1"}, "sim@no-rereg")).filename());
  EXPECT_EQ(all.at("counts").at("deviates"), 0);
  EXPECT_GT(all.at("counts").at("unsupported"), 400);
  EXPECT_EQ(all.at("cases").at("ended"), json({{"conforms", 566}}));
  std::string text;
  std::size_t refused = 0;
  std::size_t anew = 0;
  for (const auto& line : lines("report")) {
    const bool unsupported = line.find("\"unsupported rereg_mr") != std::string::npos;
    refused += unsupported ? 1 : 0;
    anew += line.find("dereg_mr(mr1)") != std::string::npos &&
                    text.find("unsupported rereg_mr") != std::string::npos
                ? 1
                : 0;
    text = line;
  }
  EXPECT_GT(refused, 400U);
  EXPECT_EQ(anew, refused);
  // The older page has no such verb.
  const auto old = report(
      fs::path(run("old", {"--array", "--steps", "1", "--dialect", "linux-2006"})).filename());
  EXPECT_EQ(old.at("steps").get<std::size_t>() + refused, all.at("steps").get<std::size_t>());
  EXPECT_EQ(old.at("counts").at("conforms"), old.at("steps"));
}

TEST_F(RunOfTheArray, GoesOnWhereItWasInterrupted) {
  const std::vector<std::string> options{"--array", "--steps", "400"};
  const auto whole = report(fs::path(run("report", options, "sim@no-atomics")).filename());
  auto less = lines("report");
  for (const std::size_t left : {less.size() - 1, less.size() / 2, std::size_t{3}}) {
    less.resize(left);
    write_journal("report", less);
    auto resumed = options;
    resumed.emplace_back("--resume");
    EXPECT_EQ(run("report", resumed, "sim@no-atomics"), file("report"));
    for (const auto* key : {"cases", "steps", "counts"})
      EXPECT_EQ(report("report").at(key), whole.at(key)) << left << " " << key;
  }
}

/// Works in another folder.
class Inside {
 public:
  explicit Inside(const std::string& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  ~Inside() { fs::current_path(before_); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  fs::path before_;
};

TEST_F(SubmitOfReports, PacksTheFolderThatItIsIn) {
  const auto report = run("report");
  const Inside inside(report);
  for (int i = 0; i < 2; ++i) {
    const Ran ran = run_mrproof({"submit", "."});
    EXPECT_EQ(ran.code, kExitExpected) << ran.err;
    EXPECT_EQ(ran.err, "");
    EXPECT_THAT(names("report"), Not(::testing::Contains(HasSubstr(".part"))));
  }
  EXPECT_EQ(run_mrproof({"verify", "conformance.tar.gz"}).code, kExitExpected);
  // NOLINTNEXTLINE(cert-env33-c): the test's own command
  ASSERT_EQ(std::system("tar -tzf conformance.tar.gz >list"), 0);
  EXPECT_THAT(read_file(file("report/list")), Not(HasSubstr("conformance.tar.gz")));
}

TEST_F(SubmitOfReports, TakesAnyName) {
  const auto report = run("report");
  const Inside inside(file(""));
  EXPECT_EQ(run_mrproof({"submit", report, "-o", "a:b.tgz"}).code, kExitExpected);
  EXPECT_EQ(run_mrproof({"verify", "a:b.tgz"}).code, kExitExpected);
}

TEST_F(SubmitOfReports, LeavesNothingHalfMade) {
  const auto report = run("report");
  fs::create_directories(file("folder"));
  expect_refused(run_mrproof({"submit", report, "-o", file("folder")}),
                 {file("folder"), "is a folder", "folder/conformance.tar.gz"});
  expect_refused(run_mrproof({"submit", report, "-o", report + "/journal.jsonl"}),
                 {"report/journal.jsonl", "choose another -o"});
  const std::string path = std::getenv("PATH");
  setenv("PATH", file("folder").c_str(), 1);
  const Ran ran = run_mrproof({"submit", report, "-o", file("package")});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(ran.code, kExitError);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("package: cannot be packed: tar cannot be run; install tar"));
  EXPECT_THAT(names(""), ::testing::UnorderedElementsAre("report", "folder"));
}

TEST_F(SubmitOfReports, AFileThatIsNoPackageIsNamed) {
  const auto report = run("report");
  const auto package = file("package.tgz");
  ASSERT_EQ(run_mrproof({"submit", report, "-o", package}).code, kExitExpected);
  const auto whole = read_file(package);
  for (const auto& text : {std::string(), whole.substr(0, whole.size() / 2), std::string("foreign"),
                           whole.substr(0, 1)}) {
    write("package.tgz", text);
    expect_refused(run_mrproof({"verify", package}), {package, "gzip: ", "mrproof submit"});
  }
  const auto tar = "tar -czf " + package + " -C " + file("");
  // NOLINTNEXTLINE(cert-env33-c): the test's own command
  ASSERT_EQ(std::system((tar + " report").c_str()), 0);
  expect_refused(run_mrproof({"verify", package}), {package + ": has no report.json in its root"});
  fs::remove(report + "/journal.jsonl");
  // NOLINTNEXTLINE(cert-env33-c): the test's own command
  ASSERT_EQ(std::system((tar + "report .").c_str()), 0);
  expect_refused(run_mrproof({"verify", package}), {"mrproof: " + package + ": journal.jsonl: "});
}

TEST_F(SubmitOfReports, AReportIsNamedByItsFileToo) {
  const auto name = run("report") + "/report.json";
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"verify", name},
                                                    {"submit", name, "-o", file("package")},
                                                    {"coverage", name},
                                                    {"merge", name, "--out", file("merged")},
                                                    {"fingerprint", name}}) {
    const Ran ran = run_mrproof(arguments);
    EXPECT_EQ(ran.code, kExitExpected) << arguments.front() << ": " << ran.err;
  }
  expect_refused(run_mrproof({"verify", file("none/report.json")}), {file("none")});
  expect_refused(run_mrproof({"coverage", file("none/report.json")}), {file("none/report.json: ")});
}

TEST_F(DamagedReports, ReportsAreNamedWithWhatIsWrong) {
  const auto folder = run("report");
  const auto name = folder + "/report.json: ";
  const auto refused = [&](const std::string& text, const std::string& word) {
    write("report/report.json", text);
    for (const char* command : {"verify", "submit", "coverage", "merge", "fingerprint"})
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
  for (const char* command : {"verify", "submit", "coverage", "merge"})
    expect_refused(run_mrproof({command, folder}), {name, "plan9"});
  other = whole;
  other["counts"].erase("deviates");
  write("report/report.json", other.dump());
  for (const char* command : {"verify", "submit", "merge"})
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
    for (const char* command : {"verify", "submit", "coverage", "merge"})
      expect_refused(run_mrproof({command, report}), {place, "expected an outcome, found '??"});
  };
  refused(50);
  refused(whole.size() - 3);
}

TEST_F(Reports, HoldADeviceToWhatItChose) {
  write("pin", run_mrproof({"fingerprint", run("before")}).out);
  const auto pinned = [&](const char* device) {
    return run_mrproof({"run", "--device", device, "--steps", "1000", "--out",
                        file(std::string("now-") + device), "--pin", file("pin")});
  };
  EXPECT_EQ(pinned("sim").code, kExitExpected);
  const Ran other = pinned("sim@type-2a");
  EXPECT_EQ(other.code, kExitDeviation);
  EXPECT_THAT(other.out, HasSubstr("chosen otherwise than pinned: no longer claims MW_TYPE_2B"));
  EXPECT_THAT(other.out, HasSubstr("chosen otherwise than pinned: claims MW_TYPE_2A"));
  expect_refused(run_mrproof({"run", "--device", "sim", "--pin", file("none")}),
                 {"none:1: cannot be read", "mrproof fingerprint REPORT"});
}

}  // namespace
}  // namespace mrproof::conformance
