// The program from outside: exit codes, and one clear line for each kind of bad input.
#include "conformance/commands/commands.hpp"

#include <gmock/gmock.h>
#include <sys/mount.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>

#include "conformance/testing/test_program.hpp"
#include "impl/sim/faults.hpp"
#include "model/oracle/judge_trace.hpp"
#include "model/testing/test_files.hpp"
#include "model/trace/test_malformed.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::is_one_line;
using model::testing::TemporaryFolder;
using testing::expect_refused;
using ::testing::HasSubstr;
using testing::Ran;
using testing::run_mrproof;
using ::testing::StartsWith;

/// Arguments that cannot be served; FOLDER stands for a fresh folder with a file `file` in it.
struct BadInput {
  const char* name;
  std::vector<std::string> arguments;
  std::vector<std::string> words;
};

void PrintTo(const BadInput& input, std::ostream* out) { *out << input.name; }

class BadInputTest : public ::testing::TestWithParam<BadInput> {
 protected:
  std::string filled(std::string word) const {
    const auto at = word.find("FOLDER");
    if (at != std::string::npos) word.replace(at, 6, folder_.file(""));
    return word;
  }
  TemporaryFolder folder_;
};

TEST_P(BadInputTest, IsOneLineAndExitCodeTwo) {
  static_cast<void>(folder_.write("file", "a.b/accepted/c,Deviates  # fine\nreg_mr.ok\n"));
  std::vector<std::string> arguments;
  std::vector<std::string> words;
  for (const auto& word : GetParam().arguments) arguments.push_back(filled(word));
  for (const auto& word : GetParam().words) words.push_back(filled(word));
  expect_refused(run_mrproof(arguments), words);
  for (const auto& entry : model::testing::fs::recursive_directory_iterator(folder_.file("")))
    EXPECT_NE(entry.path().filename(), "mrproof.channel") << "16 MiB are left behind";
}

std::vector<BadInput> bad_inputs() {
  const auto run_of = [](const char* device, const char* out, std::vector<std::string> more) {
    std::vector<std::string> all{"run", "--device", device, "--out", out};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const auto run = [&](std::vector<std::string> more) {
    return run_of("sim", "FOLDERout", std::move(more));
  };
  return {
      {"UnknownDevice", run_of("no_such_device", "FOLDERout", {}), {"no_such_device"}},
      {"UnknownFault", run_of("sim:nosuchfault", "FOLDERout", {}), {"nosuchfault", "--faults"}},
      {"OutBelowAFile", run_of("sim", "FOLDERfile/out", {}), {"FOLDERfile/out", "--out"}},
      {"OutIsAFile", run_of("sim", "FOLDERfile", {}), {"FOLDERfile", "--out"}},
      {"BrokenExpectation", run({"--expect", "FOLDERfile"}), {"FOLDERfile:2: ", "reason"}},
      {"NoExpectationFile", run({"--expect", "FOLDERnone"}), {"FOLDERnone", "cannot be read"}},
      {"TargetWithoutImage", run({"--target", "FOLDER"}), {"target.json", "ci/build-target"}},
      {"TargetNotThere", run({"--target", "FOLDERnone"}), {"FOLDERnone", "ci/build-target"}},
      {"GuidedWithoutGuest", run({"--guided", "1"}), {"--guided", "--target"}},
      {"CoverageWithoutGuest", run({"--driver-coverage"}), {"--driver-coverage", "--target"}},
      {"ScenariosNotThere", run({"--scenarios", "FOLDERnone"}), {"FOLDERnone", "cannot be read"}},
      {"NoScenarios", run({"--scenarios", "FOLDER"}), {"FOLDER", "no trace (*.mrt)"}},
      {"ShardBeyondTheLast", run({"--shard", "3/2"}), {"--shard 2/4"}},
      {"ShardOfLetters", run({"--shard", "a/b"}), {"--shard 2/4"}},
      {"NothingToResume", run({"--resume"}), {"journal.jsonl", "resume"}},
      {"ResumeWithoutJournal", run({"--resume", "--no-journal"}), {"--no-journal"}},
      {"JudgeNoTrace", {"judge", "FOLDERnone.mrt"}, {"FOLDERnone.mrt", "cannot be read"}},
      {"JudgeAFolder", {"judge", "FOLDER"}, {"FOLDER"}},
      {"JudgeUnknownDialect", {"judge", "FOLDERfile", "--dialect", "plan9"}, {"plan9", "linux"}},
      {"ReplayNoTrace",
       {"replay", "FOLDERnone.mrt", "--device", "sim"},
       {"FOLDERnone.mrt", "cannot be read"}},
      {"ReplayNoTraceFile",
       {"replay", "FOLDERfile", "--device", "sim"},
       {"FOLDERfile:1:1: ", "# mrproof trace v1"}},
      {"ShrinkNoTrace",
       {"shrink", "FOLDERnone.mrt", "--device", "sim"},
       {"FOLDERnone.mrt", "cannot be read"}},
      {"RulesOfUnknownDialect", {"rules", "--dialect", "plan9"}, {"plan9", "linux"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Kinds, BadInputTest, ::testing::ValuesIn(bad_inputs()),
                         [](const auto& test) { return test.param.name; });

TEST(Usage, IsExitCodeTwoAndNamesTheWord) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> uses{
      {{}, "subcommand"},
      {{"frobnicate"}, "subcommand"},
      {{"run", "--frobnicate"}, "--frobnicate"},
      {{"run", "--steps", "0"}, "--steps"},
      {{"run", "--steps", "many"}, "--steps"},
      {{"run", "--seeds", "0"}, "--seeds"},
      {{"run", "--wrong", "101"}, "--wrong"},
      {{"run", "--step-limit", "-1"}, "--step-limit"},
      {{"judge"}, "trace"},
  };
  for (const auto& [arguments, word] : uses) {
    const Ran ran = run_mrproof(arguments);
    EXPECT_EQ(ran.code, kExitError) << word;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err.substr(0, ran.err.find('\n')), HasSubstr(word));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_LE(ran.err.size(), 160U) << ran.err;
  }
}

TEST(Usage, HelpAndVersionSucceed) {
  for (const std::string word : {"--help", "--version"}) {
    const Ran ran = run_mrproof({word});
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out, HasSubstr("mrproof"));
    EXPECT_EQ(ran.err, "");
  }
  EXPECT_THAT(run_mrproof({"--help"}).out, ::testing::Not(HasSubstr("worker")));
  EXPECT_THAT(run_mrproof({"--version"}).out,
              ::testing::MatchesRegex("mrproof [0-9.]+\nbuild [0-9a-f]+\nmodel [0-9a-f]+\n"));
}

/// A write to a region without the right, among calls that have nothing to do with it.
constexpr const char* kLongTrace =
    "# mrproof trace v1\ngiven pd0\ngiven pd1\ngiven qp0(pd0) <-> qp1(pd0)\n"
    "mr3 = reg_mr(pd1, buf1+64, 100, LOCAL_WRITE)\nfill(buf0+0, 64, 9)\n"
    "mr5 = reg_mr(pd0, buf2+8, 4096, LOCAL_WRITE|REMOTE_READ)\ndereg_mr(mr3)\n"
    "rdma_write(qp1, mr5.lkey, buf2+16, 20, mr5.rkey, buf2+108)\n";

TEST(Shrink, WritesTheShortestTraceWhichReplays) {
  const TemporaryFolder folder;
  const std::string device = "sim:remote-write-right-unchecked";
  const std::string file = folder.write("long.mrt", kLongTrace);
  const std::string out = folder.file("short.mrt");
  const Ran ran = run_mrproof({"shrink", file, "--device", device, "-o", out});
  EXPECT_EQ(ran.code, kExitExpected) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("deviates rdma_write.ok accepted remote_right: 2 steps of 5"));
  EXPECT_THAT(model::testing::read_file(out),
              HasSubstr("mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\n"
                        "rdma_write(qp0, mr0.lkey, buf0+0, 8, mr0.rkey, buf0+0) -> SUCCESS"));
  EXPECT_THAT(run_mrproof({"replay", out, "--device", device}).out,
              HasSubstr("\nreproduced: deviates rdma_write.ok accepted remote_right"));
  EXPECT_EQ(run_mrproof({"judge", out}).code, kExitDeviation);
}

TEST(Shrink, SaysInOneLineThatItsTimeIsUp) {
  const TemporaryFolder folder;
  const std::string file = folder.write("long.mrt", kLongTrace);
  expect_refused(run_mrproof({"shrink", file, "--device", "sim:remote-write-right-unchecked",
                              "--time", "0.000000001"}),
                 {"the time is up"});
}

TEST(Shrink, SaysInOneLineThatNothingDeviates) {
  const TemporaryFolder folder;
  const std::string file = folder.write("long.mrt", kLongTrace);
  const std::string told = folder.write(
      "told.mrt", std::string(kLongTrace) + "! deviates rdma_write.ok accepted remote_right\n");
  for (const auto& trace : {file, told}) {
    const Ran ran = run_mrproof({"shrink", trace, "--device", "sim"});
    EXPECT_EQ(ran.code, kExitNothingTested);
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("not shrunk"));
  }
}

TEST(Judge, RefusesEveryMalformedTraceWithItsPlace) {
  const TemporaryFolder folder;
  for (const auto& bad : model::testing::malformed_traces()) {
    SCOPED_TRACE(bad.name);
    const std::string file = folder.write(std::string(bad.name) + ".mrt", bad.text);
    expect_refused(run_mrproof({"judge", file}),
                   {file + ":" + std::to_string(bad.line) + ":" + std::to_string(bad.column) + ": ",
                    bad.word});
  }
}

TEST(Judge, ExitCodeIsTheVerdict) {
  const TemporaryFolder folder;
  const std::string head = "# mrproof trace v1\ngiven pd0\ngiven qp0(pd0) <-> qp1(pd0)\n";
  for (const auto& [result, code] :
       std::vector<std::pair<std::string, int>>{{"ok qp=RTS", kExitExpected},
                                                {"ok qp=ERR", kExitDeviation},
                                                {"refused ENOMEM", kExitExpected},
                                                {"none timed_out", kExitDeviation}}) {
    const Ran ran =
        run_mrproof({"judge", folder.write("t.mrt", head + "query_qp(qp0) -> " + result + "\n")});
    EXPECT_EQ(ran.code, code) << result;
    EXPECT_EQ(ran.err, "");
    EXPECT_NO_THROW(model::parse_trace(ran.out, "output")) << ran.out;
  }
}

TEST(Replay, TellsWhetherADeviationIsReproduced) {
  const TemporaryFolder folder;
  const std::string trace =
      folder.write("t.mrt",
                   "# mrproof trace v1\ngiven pd0\n"
                   "mr0 = reg_mr(pd0, buf0+0, 64, REMOTE_WRITE) -> ok\n"
                   "! deviates reg_mr.ok accepted remote_write_has_local_write\n");
  const Ran good = run_mrproof({"replay", trace, "--device", "sim"});
  EXPECT_EQ(good.code, kExitExpected) << good.err;
  EXPECT_THAT(good.out, HasSubstr("not reproduced: deviates reg_mr.ok"));
  const Ran bad = run_mrproof({"replay", trace, "--device", "sim:remote-write-alone-accepted"});
  EXPECT_EQ(bad.code, kExitDeviation) << bad.err;
  EXPECT_THAT(bad.out, HasSubstr("\nreproduced: deviates reg_mr.ok"));
}

TEST(Replay, RefusesCallsThatMayNotBeMade) {
  const TemporaryFolder folder;
  const std::string file = folder.write("t.mrt", "# mrproof trace v1\n\ndereg_mr(mr0)\n");
  const Ran ran = run_mrproof({"replay", file, "--device", "sim"});
  EXPECT_EQ(ran.code, kExitError);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(file + ":3: "));
}

TEST(Run, FindsAFaultAndKeepsATraceThatReproducesIt) {
  const TemporaryFolder folder;
  const std::string out = folder.file("report");
  const std::string device = "sim:remote-pd-unchecked";
  const Ran ran = run_mrproof({"run", "--device", device, "--steps", "20000", "--out", out});
  ASSERT_EQ(ran.code, kExitDeviation) << ran.err;
  const auto report = nlohmann::json::parse(model::testing::read_file(out + "/report.json"));
  const auto& deviation = report.at("deviations").at(0);
  EXPECT_EQ(deviation.at("condition"), "remote_same_pd");
  EXPECT_GE(deviation.at("count"), 1);
  const std::string trace = out + "/" + deviation.at("trace").get<std::string>();
  const model::Trace judged =
      model::judge_trace(model::load_trace(trace), model::linux_rulebook(), trace);
  EXPECT_EQ(model::print_trace(model::parse_trace(model::print_trace(judged), "again")),
            model::print_trace(judged));
  EXPECT_EQ(judged.steps.back().annotations.front().broken.text(), "remote_same_pd");
  EXPECT_EQ(run_mrproof({"judge", trace}).code, kExitDeviation);
  EXPECT_THAT(run_mrproof({"replay", trace, "--device", device}).out, HasSubstr("\nreproduced"));
  EXPECT_THAT(run_mrproof({"replay", trace, "--device", "sim"}).out, HasSubstr("not reproduced"));
}

/// A run that makes what it finds short.
class ShrinkingRun : public ::testing::Test {
 protected:
  /// Its only finding.
  nlohmann::json finding(const char* device, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"run",   "--device", device, "--steps",
                                   "20000", "--out",    out_,   "--shrink"};
    words.insert(words.end(), more.begin(), more.end());
    ran_ = run_mrproof(words);
    EXPECT_EQ(ran_.code, kExitDeviation) << ran_.err;
    return nlohmann::json::parse(model::testing::read_file(out_ + "/report.json"))["deviations"][0];
  }
  TemporaryFolder folder_;
  std::string out_ = folder_.file("report");
  Ran ran_;
};

TEST_F(ShrinkingRun, ReportsTheShrunkTraceAndWhatTheFinderSends) {
  const char* device = "sim:remote-write-right-unchecked";
  const auto found = finding(device);
  const auto& shrunk = found.at("shrunk");
  EXPECT_EQ(shrunk.at("steps"), 2);
  EXPECT_THAT(shrunk.at("outcome").get<std::string>(), StartsWith("shortest"));
  const std::string trace = out_ + "/" + shrunk.at("trace").get<std::string>();
  EXPECT_THAT(run_mrproof({"replay", trace, "--device", device}).out, HasSubstr("\nreproduced"));
  const std::string folder = out_ + "/" + shrunk.at("report").get<std::string>();
  for (const char* name : {"/repro.c", "/report.md", "/report.html", "/trace.mrt"})
    EXPECT_THAT(model::testing::read_file(folder + name), HasSubstr("rdma_write")) << name;
  EXPECT_EQ(run_mrproof({"report", trace, "-o", out_ + "/again"}).code, kExitExpected);
  EXPECT_EQ(model::testing::read_file(out_ + "/again/repro.c"),
            model::testing::read_file(folder + "/repro.c"));
  EXPECT_THAT(ran_.out, HasSubstr("shrunk to 2 steps of "));
  EXPECT_THAT(model::testing::read_file(out_ + "/report.html"),
              HasSubstr("rdma_write(qp0, mr0.lkey, buf0+0, 8, mr0.rkey, buf0+0)"));
}

TEST_F(ShrinkingRun, SaysWhyThereIsNoShrunkTrace) {
  const auto found = finding("sim:remote-pd-unchecked", {"--shrink-time", "0.000000001"});
  EXPECT_EQ(found.at("shrunk").at("trace"), "");
  EXPECT_EQ(found.at("shrunk").at("outcome"), "not shrunk: the time is up");
  EXPECT_THAT(ran_.out, HasSubstr("not shrunk: the time is up"));
}

TEST_F(ShrinkingRun, LeavesWhatIsExpectedAsItIs) {
  const std::string expected =
      folder_.write("fails.txt", "dealloc_pd.refused/detail/errno_value,Deviates  # seeded\n");
  const Ran ran = run_mrproof({"run", "--device", "sim:dealloc-pd-minus-one", "--steps", "20000",
                               "--out", out_, "--expect", expected, "--shrink"});
  EXPECT_EQ(ran.code, kExitExpected) << ran.err;
  const auto report = nlohmann::json::parse(model::testing::read_file(out_ + "/report.json"));
  EXPECT_TRUE(report.at("deviations").at(0).at("shrunk").is_null());
}

TEST(Run, IsTheSameForTheSameSeed) {
  const TemporaryFolder folder;
  const auto reported = [&](const char* name, const char* seed) {
    const std::string out = folder.file(name);
    EXPECT_EQ(run_mrproof({"run", "--device", "sim:last-byte-lost", "--steps", "6000", "--seed",
                           seed, "--seeds", "3", "--out", out})
                  .code,
              kExitDeviation);
    auto report = nlohmann::json::parse(model::testing::read_file(out + "/report.json"));
    report.erase("timing");
    return report;
  };
  EXPECT_EQ(reported("one", "5"), reported("two", "5"));
  EXPECT_NE(reported("one", "5"), reported("three", "6"));
}

TEST(Run, ExpectedDeviationsAreNoFailureAndOthersAre) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& expectations) {
    return run_mrproof({"run", "--device", "sim:dealloc-pd-minus-one", "--steps", "20000", "--out",
                        folder.file("report"), "--expect", folder.write("fails.txt", expectations)})
        .code;
  };
  EXPECT_EQ(run("dealloc_pd.refused/detail/errno_value,Deviates  # seeded\n"), kExitExpected);
  EXPECT_EQ(run("reg_mr.ok/accepted/memory_mapped,Deviates  # another\n"), kExitDeviation);
  EXPECT_EQ(run("# none\n"), kExitDeviation);
}

TEST(Merge, ShardsTogetherSayWhatTheWholeRunSays) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run",           "--device", "sim:dealloc-pd-minus-one",
                                       "--steps",       "6000",     "--out",
                                       folder.file(out)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run_mrproof(arguments).code, kExitDeviation);
  };
  const auto report = [&](const std::string& out) {
    return nlohmann::json::parse(model::testing::read_file(folder.file(out + "/report.json")));
  };
  run("whole", {});
  for (const char* number : {"1", "2", "3"})
    run(std::string("shard") + number, {"--shard", std::string(number) + "/3"});
  const auto expected =
      folder.write("fails.txt", "dealloc_pd.refused/detail/errno_value,Deviates  # seeded\n");
  const std::vector<std::string> folders{folder.file("shard1"), folder.file("shard2"),
                                         folder.file("shard3")};
  std::vector<std::string> arguments{"merge",    "--out",  folder.file("merged"),
                                     "--expect", expected, "--full"};
  arguments.insert(arguments.end(), folders.begin(), folders.end());
  const Ran merged = run_mrproof(arguments);
  EXPECT_EQ(merged.code, kExitExpected) << merged.out << merged.err;
  const auto one = report("whole");
  const auto three = report("merged");
  for (const char* key : {"steps", "counts", "rules"}) EXPECT_EQ(one.at(key), three.at(key)) << key;
  EXPECT_EQ(one.at("cases").at("planned"), three.at("cases").at("planned"));
  EXPECT_EQ(one.at("cases").at("ended"), three.at("cases").at("ended"));
  EXPECT_EQ(one.at("deviations").size(), three.at("deviations").size());
  const std::string trace = three.at("deviations")[0].at("trace");
  EXPECT_TRUE(model::testing::fs::exists(folder.file("merged/" + trace))) << trace;
  const Ran missing = run_mrproof({"merge", "--out", folder.file("other"), folders[0], folders[2]});
  EXPECT_EQ(missing.code, kExitError);
  EXPECT_THAT(missing.err, HasSubstr("shard 2 of 3 is missing"));
}

TEST(Diff, TakesTheReportsOfTwoRuns) {
  const TemporaryFolder folder;
  const auto sound = folder.file("sound");
  const auto faulty = folder.file("faulty");
  run_mrproof({"run", "--device", "sim", "--steps", "400", "--out", sound});
  run_mrproof({"run", "--device", "sim:dealloc-pd-minus-one", "--steps", "4000", "--out", faulty});
  EXPECT_EQ(run_mrproof({"diff", sound, sound + "/report.json"}).code, kExitExpected);
  const Ran ran = run_mrproof({"diff", sound + "/report.json", faulty});
  EXPECT_EQ(ran.code, kExitDeviation) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("+ deviates dealloc_pd.refused detail errno_value"));
  expect_refused(run_mrproof({"diff", "none/report.json", faulty}), {"none/report.json"});
}

TEST(Submit, APackageIsJudgedAnewAndATamperedOneFails) {
  const TemporaryFolder folder;
  const auto out = folder.file("report");
  ASSERT_EQ(
      run_mrproof({"run", "--device", "sim:dealloc-pd-minus-one", "--steps", "4000", "--out", out})
          .code,
      kExitDeviation);
  const auto package = folder.file("p.tar.gz");
  const Ran packed = run_mrproof({"submit", out, "-o", package});
  EXPECT_EQ(packed.code, kExitExpected) << packed.out << packed.err;
  const Ran same = run_mrproof({"verify", package});
  EXPECT_EQ(same.code, kExitExpected) << same.out << same.err;
  EXPECT_THAT(same.out, HasSubstr(" steps of 20 cases judged anew"));
  EXPECT_THAT(same.out, HasSubstr(", 0 differences"));

  const auto journal = model::testing::read_file(out + "/journal.jsonl");
  const auto tamper = [&](const std::string& from, const std::string& to) {
    auto text = journal;
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    static_cast<void>(folder.write("report/journal.jsonl", text.replace(at, from.size(), to)));
    EXPECT_EQ(run_mrproof({"verify", out}).code, kExitDeviation) << from;
    EXPECT_EQ(run_mrproof({"submit", out, "-o", package}).code, kExitDeviation) << from;
  };
  tamper("deviates dealloc_pd.refused detail errno_value", "conforms dealloc_pd.refused");
  tamper("refused errno=-1", "ok");
  static_cast<void>(folder.write("report/journal.jsonl", journal.substr(0, journal.size() / 2)));
  EXPECT_NE(run_mrproof({"verify", out}).code, kExitExpected) << "half of it is missing";
  EXPECT_EQ(run_mrproof({"verify", folder.file("none")}).code, kExitError);
}

nlohmann::json report_of(const std::vector<std::string>& more, int code,
                         const char* device = "sim") {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"run", "--device", device, "--out", folder.file("report")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ran ran = run_mrproof(arguments);
  EXPECT_EQ(ran.code, code) << ran.out << ran.err;
  return nlohmann::json::parse(model::testing::read_file(folder.file("report/report.json")));
}

TEST(Run, ScenariosAreCasesByTheirNames) {
  const TemporaryFolder folder;
  model::testing::fs::create_directories(folder.file("mine/verb"));
  const auto scenario = [](const char* last) {
    return std::string("# mrproof trace v1\ngiven pd0\n") + last + "\n";
  };
  static_cast<void>(folder.write("mine/good.mrt", scenario("dealloc_pd(pd0) -> refused EINVAL")));
  static_cast<void>(folder.write("mine/verb/other.mrt", scenario("mw0 = alloc_mw(pd0, TYPE_1)")));
  const auto report =
      report_of({"--steps", "400", "--scenarios", folder.file("mine")}, kExitExpected);
  EXPECT_EQ(report.at("cases").at("planned"), 4);
  EXPECT_EQ(report.at("cases").at("finished"), 4);
  EXPECT_EQ(report.at("cases").at("ended").at("conforms"), 4);
  EXPECT_EQ(report.at("cases").at("missing").size(), 0U);
  EXPECT_EQ(report.at("steps"), 402) << "recorded results do not matter";
}

TEST(Run, NamesTheCasesInWhichSomethingWasSeen) {
  const auto report = report_of({"--steps", "4000"}, kExitDeviation, "sim:dealloc-pd-minus-one");
  const auto& noted = report.at("cases").at("noted");
  ASSERT_FALSE(noted.empty());
  EXPECT_EQ(noted[0].at("verdict"), "deviates");
  EXPECT_EQ(noted[0].at("expected"), false);
  EXPECT_EQ(noted[0].at("seen")[0], "deviates dealloc_pd.refused detail errno_value");
  EXPECT_EQ(report.at("deviations")[0].at("flaky"), false) << "its calls show it again";
}

TEST(Run, ShardsShareTheRunOut) {
  const auto steps = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--steps", "2000"});
    return report_of(more, kExitExpected).at("steps").get<int>();
  };
  EXPECT_EQ(steps({"--shard", "1/3"}) + steps({"--shard", "2/3"}) + steps({"--shard", "3/3"}),
            steps({}));
  EXPECT_EQ(steps({"--shard", "2/3"}), 600);
}

TEST(Run, AFullRunFailsByAnExpectationThatNothingMeets) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("fails.txt", "reg_mr.ok/accepted/memory_mapped,Deviates  # mended\n");
  const std::vector<std::string> arguments{"--steps", "400", "--expect", file};
  EXPECT_EQ(report_of(arguments, kExitExpected).at("cases").at("unmatched").size(), 0U);
  auto full = arguments;
  full.emplace_back("--full");
  EXPECT_EQ(report_of(full, kExitDeviation).at("cases").at("unmatched").at(0),
            "reg_mr.ok/accepted/memory_mapped,Deviates");
}

TEST(Run, ADeviceThatRefusesEverythingIsNotTested) {
  const TemporaryFolder folder;
  // Replaying nothing tests nothing.
  const std::string empty = folder.write("t.mrt", "# mrproof trace v1\n");
  EXPECT_EQ(run_mrproof({"replay", empty, "--device", "sim"}).code, kExitNothingTested);
}

TEST(Run, LeavesNoStaleTracesBesideItsReport) {
  const TemporaryFolder folder;
  const auto run = [&] {
    return run_mrproof({"run", "--device", "sim", "--steps", "200", "--out", folder.file("")}).code;
  };
  EXPECT_EQ(run(), kExitExpected);
  const std::string stale = folder.write("deviation-01-old.mrt", "old");
  const std::string other = folder.write("notes.txt", "mine");
  EXPECT_EQ(run(), kExitExpected);
  EXPECT_FALSE(model::testing::fs::exists(stale));
  EXPECT_TRUE(model::testing::fs::exists(other));
}

TEST(Devices, AreListedWithTheSimulatedOneAndItsFaults) {
  const Ran devices = run_mrproof({"devices"});
  EXPECT_EQ(devices.code, 0);
  EXPECT_THAT(devices.out, HasSubstr("sim "));
  EXPECT_THAT(devices.out, HasSubstr(" no-windows "));
  const Ran faults = run_mrproof({"devices", "--faults"});
  EXPECT_EQ(faults.code, 0);
  for (const auto& fault : impl::faults())
    EXPECT_THAT(faults.out, HasSubstr("sim:" + std::string(fault.id)));
  EXPECT_THAT(faults.out, HasSubstr(" Allowed: "));
}

TEST(Rules, AreListedAndFound) {
  const Ran all = run_mrproof({"rules"});
  EXPECT_EQ(all.code, 0);
  for (const auto* rule : model::linux_rulebook().rules())
    EXPECT_THAT(all.out, HasSubstr(std::string(rule->id) + "\n"));
  EXPECT_THAT(run_mrproof({"rules", "remote_same_pd"}).out, HasSubstr("rdma_write.ok"));
  EXPECT_EQ(run_mrproof({"rules", "no such thing"}).code, kExitError);
  EXPECT_THAT(run_mrproof({"rules", "C10-75"}).out, HasSubstr("bind_in_bounds"));
}

TEST(Rules, ShowWhatThePagesLeaveOpen) {
  const Ran all = run_mrproof({"rules", "--gaps"});
  EXPECT_EQ(all.code, kExitExpected);
  EXPECT_THAT(all.out, HasSubstr("gap.length_zero"));
  EXPECT_EQ(run_mrproof({"rules", "--gaps", "no such thing"}).code, kExitError);
  const auto gaps = nlohmann::json::parse(run_mrproof({"rules", "--gaps", "--json"}).out);
  EXPECT_EQ(gaps["format"], "mrproof-gaps");
  const auto rules = nlohmann::json::parse(run_mrproof({"rules", "--json"}).out);
  EXPECT_EQ(rules["rules"].size(), model::linux_rulebook().rules().size());
}

TEST(Rules, AreWrittenAsAPage) {
  const TemporaryFolder folder;
  const std::string page = folder.file("rules.html");
  const Ran ran = run_mrproof({"rules", "--dialect", "mlnx-exp", "--html", page});
  EXPECT_EQ(ran.code, kExitExpected) << ran.err;
  EXPECT_THAT(model::testing::read_file(page), HasSubstr("Dialect <b>mlnx-exp</b>"));
  expect_refused(run_mrproof({"rules", "--html", folder.file("no/rules.html")}), {"no/rules.html"});
}

/// A file system of so many bytes, mounted on a fresh folder.
class SmallDisk {
 public:
  explicit SmallDisk(std::size_t size) {
    const std::string options = "size=" + std::to_string(size);
    if (mount("tmpfs", path().c_str(), "tmpfs", 0, options.c_str()) != 0) error_ = errno;
  }
  ~SmallDisk() {
    if (error_ == 0) umount2(path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::string path() const { return folder_.file(""); }

 private:
  TemporaryFolder folder_;
  int error_ = 0;
};

constexpr std::size_t kMiB = 1U << 20U;

TEST(FullDisk, IsNoticedBeforeARunBegins) {
  const SmallDisk disk(kMiB);
  if (disk.error() != 0) GTEST_SKIP() << "cannot mount: " << std::strerror(disk.error());
  expect_refused(run_mrproof({"run", "--device", "sim", "--out", disk.path()}),
                 {disk.path(), "No space left", "--out"});
  EXPECT_TRUE(model::testing::fs::is_empty(disk.path())) << "nothing half-made stays";
}

TEST(FullDisk, LosesNothingThatWasWrittenBefore) {
  const SmallDisk disk(17 * kMiB);
  if (disk.error() != 0) GTEST_SKIP() << "cannot mount: " << std::strerror(disk.error());
  const Ran ran =
      run_mrproof({"run", "--device", "sim", "--steps", "200000", "--out", disk.path()});
  EXPECT_EQ(ran.code, kExitError);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("journal.jsonl"));
  const auto report = nlohmann::json::parse(model::testing::read_file(disk.path() + "report.json"));
  EXPECT_GT(report.at("steps"), 100);
  EXPECT_THAT(report.at("error").get<std::string>(), HasSubstr("No space left"));
  EXPECT_TRUE(model::testing::fs::exists(disk.path() + "junit.xml"));
  EXPECT_THAT(model::testing::read_file(disk.path() + "journal.jsonl"),
              StartsWith("{\"record\":\"run\""));
}

}  // namespace
}  // namespace mrproof::conformance
