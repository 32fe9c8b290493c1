#include "conformance/session/run_folder.hpp"

#include <gmock/gmock.h>

#include "model/testing/test_files.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::fs::exists;

TEST(RunFolder, IsHeldByOneRun) {
  const model::testing::TemporaryFolder folder;
  {
    const FolderHold hold(folder.file(""));
    EXPECT_THROW(const FolderHold other(folder.file("")), model::ToolError);
    EXPECT_NO_THROW(const FolderHold nothing(""));
  }
  EXPECT_NO_THROW(const FolderHold again(folder.file("")));
}

TEST(RunFolder, IsNotTakenFromItsOwner) {
  for (const char* name : {"report.md", "report.html", "junit.xml", "journal.jsonl", "report.json",
                           "deviation-01-send.ok.mrt", "console-1.log", "crash-02.mrt"}) {
    const model::testing::TemporaryFolder folder;
    const std::string file = folder.write(name, "my own");
    try {
      check_is_free(folder.file(""));
      ADD_FAILURE() << name;
    } catch (const model::ToolError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(name));
    }
    EXPECT_EQ(model::testing::read_file(file), "my own");
  }
}

TEST(RunFolder, MayHoldOtherThings) {
  const model::testing::TemporaryFolder folder;
  for (const char* name : {"scenario.mrt", "F10-window-bounds-unchecked.mrt", "channel",
                           "console-log.txt", "notes.md", "deviation-one.mrt"})
    (void)folder.write(name, "my own");
  EXPECT_NO_THROW(check_is_free(folder.file("")));
}

TEST(RunFolder, LosesWhatAnEarlierRunWroteAndNothingElse) {
  for (const auto& [mark, text] :
       {std::pair{"journal.jsonl", "{\"record\":\"run\"}\n"}, std::pair{"journal.jsonl", ""},
        std::pair{"report.json", "{\"format\":\"mrproof-report\"}"}}) {
    const model::testing::TemporaryFolder folder;
    (void)folder.write(mark, text);
    const std::vector<std::string> theirs = {"report.md",
                                             "deviation-01-send.ok.mrt",
                                             "hang-12.mrt",
                                             "deviation-03-bind_mw.ok-shrunk.mrt",
                                             "shard-2-crash-01.mrt",
                                             "console-qemu.log"};
    const std::vector<std::string> mine = {"scenario.mrt", "console-log.txt", "my-deviation.mrt"};
    for (const auto& list : {theirs, mine})
      for (const auto& name : list) (void)folder.write(name, "x");
    check_is_free(folder.file(""));
    const EarlierReports earlier(folder.file(""));
    (void)folder.write("console-1.log", "this run's");
    const auto console = folder.file("console-qemu.log");
    const auto written = model::testing::fs::last_write_time(console);
    model::testing::fs::last_write_time(console, written + std::chrono::milliseconds(1));
    earlier.remove();
    for (const char* name : {"console-1.log", "console-qemu.log"})
      EXPECT_TRUE(exists(folder.file(name))) << name << " is this run's";
    EarlierReports(folder.file("")).remove();
    for (const auto& name : theirs) EXPECT_FALSE(exists(folder.file(name))) << name;
    for (const auto& name : mine) EXPECT_TRUE(exists(folder.file(name))) << name;
    EXPECT_FALSE(exists(folder.file(mark)));
  }
}

TEST(RunFolder, LosesFindingsThatNobodyAddedTo) {
  const model::testing::TemporaryFolder folder;
  (void)folder.write("journal.jsonl", "");
  for (const char* name : {"crash-01", "deviation-02-send.ok", "crash-notes"}) {
    model::testing::fs::create_directory(folder.file(name));
    (void)folder.write(std::string(name) + "/repro.c", "x");
  }
  (void)folder.write("deviation-02-send.ok/notes", "my own");
  EarlierReports(folder.file("")).remove();
  EXPECT_FALSE(exists(folder.file("crash-01")));
  EXPECT_TRUE(exists(folder.file("deviation-02-send.ok/notes")));
  EXPECT_TRUE(exists(folder.file("crash-notes/repro.c")));
}

}  // namespace
}  // namespace mrproof::conformance
