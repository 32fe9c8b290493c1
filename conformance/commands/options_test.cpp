// Values of options that cannot be meant, and the places that messages name.
#include <gmock/gmock.h>

#include "conformance/commands/commands.hpp"
#include "conformance/testing/test_program.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::TemporaryFolder;
using testing::expect_refused;
using testing::run_mrproof;

using Words = std::vector<std::string>;

TEST(EmptyValue, IsRefusedAndItsOptionNamed) {
  const std::vector<Words> commands{{"run", "--device", "sim", "--target", ""},
                                    {"run", "--device", "sim", "--out", ""},
                                    {"run", "--device", "sim", "--expect", ""},
                                    {"run", "--device", "sim", "--shard", ""},
                                    {"replay", "t", "--target", ""},
                                    {"shrink", "t", "--target", ""},
                                    {"shrink", "t", "--expect", ""},
                                    {"shrink", "t", "-o", ""},
                                    {"merge", "r", "--out", ""},
                                    {"merge", "r", "--expect", ""},
                                    {"report", "t", "-o", ""},
                                    {"submit", "r", "-o", ""},
                                    {"coverage", "r", "--expect", ""},
                                    {"coverage", "r", "--missed", ""},
                                    {"explore", "s", "--tours", ""},
                                    {"rules", "--html", ""}};
  for (const auto& arguments : commands) {
    const auto& option = arguments[arguments.size() - 2];
    expect_refused(run_mrproof(arguments), {option == "-o" ? "--out" : option, "empty"});
  }
}

TEST(Number, OutOfRangeIsRefusedAndItsOptionNamed) {
  const std::vector<Words> commands{{"diff", "linux", "linux-2006", "--depth", "-1"},
                                    {"diff", "linux", "linux-2006", "--states", "-1"},
                                    {"diff", "linux", "linux-2006", "--states", "0"},
                                    {"run", "--skip-exit-code", "256"},
                                    {"run", "--skip-exit-code", "0"},
                                    {"run", "--skip-exit-code", "-1"},
                                    {"run", "--steps", "18446744073709551615"},
                                    {"run", "--steps", "-1"},
                                    {"run", "--steps", "010x"},
                                    {"run", "--seed", "-1"},
                                    {"run", "--seed", "18446744073709551616"},
                                    {"run", "--shard", "1/-1"},
                                    {"run", "--time", "-5"},
                                    {"run", "--time", "nan"},
                                    {"run", "--time", "inf"},
                                    {"run", "--time", "1e300"},
                                    {"run", "--step-limit", "inf"},
                                    {"shrink", "t", "--time", "-5"},
                                    {"explore", "s", "--memory", "inf"},
                                    {"explore", "s", "--memory", "1e300"}};
  for (const auto& arguments : commands)
    expect_refused(run_mrproof(arguments), {arguments[arguments.size() - 2]});
}

TEST(Number, IsDecimalOrHexadecimal) {
  const TemporaryFolder folder;
  const auto run = [&](const char* steps, const char* seed) {
    return run_mrproof({"run", "--device", "sim", "--out", folder.file("out"), "--steps", steps,
                        "--seed", seed})
        .out;
  };
  const auto ten = run("10", "18446744073709551615");
  EXPECT_THAT(ten, ::testing::HasSubstr("10 steps"));
  EXPECT_THAT(run("010", "1"), ::testing::HasSubstr("10 steps"));
  EXPECT_THAT(run("0xa", "1"), ::testing::HasSubstr("10 steps"));
}

TEST(KernelArgument, NeedsATarget) {
  expect_refused(run_mrproof({"run", "--device", "sim", "--kernel-argument", "x"}),
                 {"--kernel-argument", "--target"});
}

TEST(Rules, SayThatNothingWasFound) {
  expect_refused(run_mrproof({"rules", "no such thing"}), {"'no such thing'", "rules"});
  expect_refused(run_mrproof({"rules", "--gaps", "no such thing"}), {"'no such thing'", "gaps"});
  expect_refused(run_mrproof({"rules", "--json", "no such thing"}), {"'no such thing'"});
}

TEST(Explore, SaysWhichLineEndsAScopeHas) {
  const TemporaryFolder folder;
  const auto scope = folder.write("crlf.scope", "# mrproof scope v1\r\ngiven pd0\r\n");
  expect_refused(run_mrproof({"explore", scope}), {scope + ":1:19: ", "LF line ends"});
}

TEST(Trace, IsNamedByTheLinesOfItsFile) {
  const TemporaryFolder folder;
  const auto trace =
      folder.write("t.mrt",
                   "# mrproof trace v1\n# one\n\n# two \xff\ngiven pd0\n\n"
                   "mr0 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE) -> ok lkey=0x100 rkey=0x100\n"
                   "!   told \xff\n# three\n \n"
                   "dereg_mr(mr1)\n");
  for (const char* command : {"replay", "shrink"}) {
    const auto ran = run_mrproof({command, trace, "--device", "sim"});
    EXPECT_EQ(ran.code, kExitError);
    EXPECT_TRUE(model::testing::is_one_line(ran.err)) << ran.err;
    EXPECT_THAT(ran.err, ::testing::HasSubstr(trace + ":11: this call may not be made here"));
  }
}

}  // namespace
}  // namespace mrproof::conformance
