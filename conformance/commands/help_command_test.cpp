// Help, man pages and completions.
#include <gmock/gmock.h>

#include <filesystem>

#include "conformance/run/exit_codes.hpp"
#include "conformance/testing/test_program.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::read_file;
using model::testing::TemporaryFolder;
using testing::expect_refused;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_mrproof;

TEST(Help, OfACommandIsWhatThatSays) {
  const auto help = run_mrproof({"help", "shrink"});
  EXPECT_EQ(help.code, kExitExpected);
  EXPECT_EQ(help.out, run_mrproof({"shrink", "--help"}).out);
  EXPECT_EQ(run_mrproof({"help"}).out, run_mrproof({"--help"}).out);
  expect_refused(run_mrproof({"help", "worker"}), {"no command 'worker'"});
}

TEST(Help, WritesAManPageForEachCommandForPeople) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_mrproof({"help", "--write", folder.file("")}).code, kExitExpected);
  const auto page = read_file(folder.file("mrproof-run.1"));
  EXPECT_THAT(page, HasSubstr(".SH NAME\nmrproof\\-run \\- Walk a device"));
  EXPECT_THAT(page, HasSubstr("\n\\fB\\-\\-seed\\fR \\fIUINT\\fR\n"));
  EXPECT_THAT(read_file(folder.file("mrproof-expect.1")), HasSubstr(".SH \"EXPECT UPDATE\""));
  EXPECT_THAT(read_file(folder.file("mrproof.1")), HasSubstr(".BR mrproof\\-run (1)"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("mrproof-worker.1")));
}

TEST(Help, CompletesCommandsAndTheirOptions) {
  const TemporaryFolder folder;
  run_mrproof({"help", "--write", folder.file("")});
  for (const auto* file : {"mrproof.bash", "_mrproof"}) {
    const auto text = read_file(folder.file(file));
    EXPECT_THAT(text, HasSubstr("run replay report"));
    EXPECT_THAT(text, HasSubstr(" --dialect --seen-on"));
    EXPECT_THAT(text, Not(HasSubstr("--channel")));
  }
}

}  // namespace
}  // namespace mrproof::conformance
