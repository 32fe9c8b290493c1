// What commands do to files and to standard output: nothing that was there is lost, and no output
// is lost unsaid.
#include <gmock/gmock.h>

#include "conformance/commands/commands.hpp"
#include "conformance/testing/test_program.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::is_one_line;
using model::testing::read_file;
using model::testing::SmallFiles;
using model::testing::TemporaryFolder;
using testing::expect_refused;
using ::testing::HasSubstr;
using testing::Ran;
using testing::run_mrproof;
using testing::run_mrproof_on_full_disk;
namespace fs = model::testing::fs;

constexpr const char* kTrace =
    "# mrproof trace v1\ngiven pd0\n"
    "mr0 = reg_mr(pd0, buf0+0, 64, REMOTE_WRITE) -> ok lkey=0x100 rkey=0x100\n"
    "! deviates reg_mr.ok accepted remote_write_has_local_write\n";
constexpr const char* kDevice = "sim:remote-write-alone-accepted";

constexpr const char* kScope =
    "# mrproof scope v1\ngiven pd0\nregions 1\nsymmetry none\n"
    "mr* = reg_mr(pd0, buf0+0, 64, 0)\ndereg_mr(mr*)\n";

TEST(FullOutput, IsNoSuccess) {
  const TemporaryFolder folder;
  const auto trace = folder.write("t.mrt", kTrace);
  const std::vector<std::vector<std::string>> commands{
      {"--help"}, {"devices"}, {"rules"}, {"explain", trace}, {"replay", trace, "--device", "sim"}};
  for (const auto& arguments : commands) {
    const Ran ran = run_mrproof_on_full_disk(arguments);
    EXPECT_EQ(ran.code, kExitError) << arguments.front();
    EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("mrproof: standard output cannot be written"));
  }
}

TEST(FullOutput, LosesNoShrunkTrace) {
  const TemporaryFolder folder;
  const auto trace = folder.write("t.mrt", kTrace);
  const Ran ran = run_mrproof_on_full_disk({"shrink", trace, "--device", kDevice});
  EXPECT_EQ(ran.code, kExitError);
  EXPECT_THAT(ran.err, HasSubstr("mr0 = reg_mr("));
  EXPECT_THAT(ran.err, HasSubstr("mrproof: standard output cannot be written"));
}

TEST(Shrink, ShowsTheTraceThatCannotBeWritten) {
  const TemporaryFolder folder;
  const auto trace = folder.write("t.mrt", kTrace);
  const Ran ran = run_mrproof({"shrink", trace, "--device", kDevice, "-o", "/dev/full"});
  EXPECT_EQ(ran.code, kExitError);
  EXPECT_THAT(ran.out, HasSubstr("mr0 = reg_mr("));
  EXPECT_THAT(ran.err, HasSubstr("/dev/full: cannot be written: No space left"));
}

TEST(Shrink, LooksForItsOutputBeforeItSearches) {
  const TemporaryFolder folder;
  const auto trace = folder.write("t.mrt", kTrace);
  for (const auto& out : {folder.file("none/x"), folder.file("")})
    expect_refused(run_mrproof({"shrink", trace, "--device", kDevice, "-o", out}),
                   {out + ": cannot be written: "});
}

TEST(Report, OverwritesNeitherItsTraceNorARunsReport) {
  const TemporaryFolder folder;
  const auto trace = folder.write("trace.mrt", kTrace);
  expect_refused(run_mrproof({"report", trace, "-o", folder.file("")}), {trace, "--out"});
  EXPECT_EQ(read_file(trace), kTrace);
  EXPECT_FALSE(fs::exists(folder.file("repro.c")));

  const TemporaryFolder run;
  static_cast<void>(run.write("report.json", "{}"));
  const auto page = run.write("report.md", "the run's\n");
  expect_refused(run_mrproof({"report", trace, "-o", run.file("")}), {run.file(""), "--out"});
  EXPECT_EQ(read_file(page), "the run's\n");
}

TEST(Report, IsWrittenAnewIntoItsFolder) {
  const TemporaryFolder folder;
  const auto trace = folder.write("trace.mrt", kTrace);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(run_mrproof({"report", trace, "-o", folder.file("out")}).code, kExitExpected);
  EXPECT_THAT(read_file(folder.file("out/trace.mrt")), HasSubstr("reg_mr("));
}

TEST(FullDisk, KeepsTheOldPages) {
  const TemporaryFolder folder;
  const auto page = folder.write("rules.html", "old\n");
  const auto trace = folder.write("t.mrt", kTrace);
  fs::create_directory(folder.file("finding"));
  const auto program = folder.write("finding/repro.c", "old\n");
  {
    const SmallFiles limit(1024);
    expect_refused(run_mrproof({"rules", "--html", page}), {page, "File too large"});
    expect_refused(run_mrproof({"report", trace, "-o", folder.file("finding")}), {program});
  }
  EXPECT_EQ(read_file(page), "old\n");
  EXPECT_EQ(read_file(program), "old\n");
}

TEST(Explore, WritesToursIntoAnEmptyFolderOnly) {
  const TemporaryFolder folder;
  const auto scope = folder.write("small.scope", kScope);
  const auto tours = folder.file("tours");
  EXPECT_EQ(run_mrproof({"explore", scope, "--tours", tours}).code, kExitExpected);
  EXPECT_TRUE(fs::exists(tours + "/0001.mrt"));
  static_cast<void>(folder.write("tours/0001.mrt", "mine\n"));
  expect_refused(run_mrproof({"explore", scope, "--tours", tours}), {tours, "empty folder"});
  EXPECT_EQ(read_file(tours + "/0001.mrt"), "mine\n");

  std::string symmetric = kScope;
  symmetric.erase(symmetric.find("symmetry none\n"), 14);
  const auto refused = folder.write("refused.scope", symmetric);
  expect_refused(run_mrproof({"explore", refused, "--tours", folder.file("not-made")}),
                 {"symmetry none"});
  EXPECT_FALSE(fs::exists(folder.file("not-made")));
}

/// Files of expectations that are brought up to date.
class ExpectUpdate : public ::testing::Test {
 protected:
  [[nodiscard]] Ran update(const std::string& file, const std::string& reason = "F99") const {
    return run_mrproof({"expect", "update", file, "--report", report_, "--reason", reason});
  }
  TemporaryFolder folder_;
  std::string report_ = folder_.write(
      "report.json", R"({"cases": {"all_expected": true, "unmatched": []}, "incidents": [],
      "deviations": [{"rule": "d.e", "class": "status", "condition": "f", "expected": false,
                      "flaky": false}]})");
};

TEST_F(ExpectUpdate, LeavesFilesAloneThatAreNone) {
  const std::string binary(
      "\x7f"
      "ELF\0\1",
      6);
  for (const std::string& text : {std::string("# Title\n\nSome words.\n"), binary}) {
    const auto file = folder_.write("file", text);
    expect_refused(update(file), {file + ":"});
    EXPECT_EQ(read_file(file), text);
  }
  const auto empty = folder_.write("file", "");
  expect_refused(update(empty, "a\nb"), {"control character"});
  expect_refused(update(folder_.file("")), {"Is a directory"});
  EXPECT_EQ(read_file(empty), "");
}

TEST_F(ExpectUpdate, KeepsLinksModesAndOtherFiles) {
  const auto file = folder_.write("real.txt", "# head\n");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real.txt", folder_.file("link.txt"));
  const auto other = folder_.write("link.txt.part", "mine\n");
  EXPECT_EQ(update(folder_.file("link.txt")).code, kExitExpected);
  EXPECT_TRUE(fs::is_symlink(folder_.file("link.txt")));
  EXPECT_EQ(read_file(file), "# head\nd.e/status/f,Deviates  # F99\n");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(read_file(other), "mine\n");
  EXPECT_THAT(update(folder_.file("link.txt")).out, HasSubstr("nothing to change"));
}

}  // namespace
}  // namespace mrproof::conformance
