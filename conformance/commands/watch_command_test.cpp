// mrproof watch from outside, of programs that make no verbs call.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "conformance/commands/commands.hpp"
#include "conformance/testing/test_program.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::read_file;
using testing::expect_refused;
using testing::Program;
using ::testing::HasSubstr;
using testing::Ran;
using testing::run_mrproof;

class Watch : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  [[nodiscard]] Ran watch(const std::vector<std::string>& program) const {
    std::vector<std::string> arguments{"watch", "--out", file("out"), "--error-exitcode", "9",
                                       "--"};
    arguments.insert(arguments.end(), program.begin(), program.end());
    return run_mrproof(arguments);
  }

  model::testing::TemporaryFolder folder_;
};

TEST_F(Watch, KeepsTheProgramsExitStatusAndWhatItSays) {
  const Ran ran = watch({"sh", "-c", "echo said; exit 5"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(ran.out, "said\n");
  EXPECT_THAT(ran.err, HasSubstr("0 findings; 0 events seen"));
  EXPECT_THAT(read_file(file("out/report.json")), HasSubstr("\"mrproof watch v1\""));
}

TEST_F(Watch, LetsAddressSanitizerComeSecond) {
  const Ran ran = watch({"sh", "-c", "echo $ASAN_OPTIONS"});
  EXPECT_THAT(ran.out, ::testing::EndsWith("verify_asan_link_order=0\n"));
}

TEST_F(Watch, TellsASignalByTheExitStatus) {
  EXPECT_EQ(watch({"sh", "-c", "kill -TERM $$"}).code, 128 + 15);
}

/// Whether the file comes within ten seconds.
bool comes(const std::string& path) {
  for (int i = 0; i < 1000 && !std::filesystem::exists(path); ++i) usleep(10'000);
  return std::filesystem::exists(path);
}

TEST_F(Watch, LeavesTheProgramAloneWhenItIsKilled) {
  const auto script = fmt::format("touch {0}; while [ ! -e {1} ]; do sleep 0.01; done; touch {2}",
                                  file("began"), file("killed"), file("done"));
  {
    Program program({"watch", "--out", file("out"), "--", "sh", "-c", script});
    ASSERT_TRUE(comes(file("began")));
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait(), 1000 + SIGKILL);
  }
  ASSERT_FALSE(folder_.write("killed", "").empty());
  EXPECT_TRUE(comes(file("done")));
}

TEST_F(Watch, RefusesWhatItCannotRunOrRead) {
  expect_refused(run_mrproof({"watch"}), {"no program; write it behind --"});
  expect_refused(watch({"/nonexistent"}), {"/nonexistent: cannot be started"});
  expect_refused(run_mrproof({"watch", "--from", file("none")}), {"cannot be read"});
  EXPECT_FALSE(folder_.write("events.1.1", std::string(200, 'x')).empty());
  expect_refused(run_mrproof({"watch", "--from", file(".")}), {"is no recording"});
  expect_refused(run_mrproof({"watch", "--from", file("."), "--", "true"}), {"leave out one"});
  const auto known = folder_.write("known.txt", "exit.*,program\n");
  expect_refused(run_mrproof({"watch", "--suppress", known, "--", "true"}),
                 {"known.txt:1: the reason is missing"});
  EXPECT_EQ(watch({"true"}).code, 0);
  expect_refused(watch({"true"}), {"has files already"});
}

}  // namespace
}  // namespace mrproof::conformance
