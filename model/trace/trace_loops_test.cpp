#include "model/trace/trace_loops.hpp"

#include <gmock/gmock.h>

#include "model/trace/trace_parse.hpp"

namespace mrproof::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Trace read(const std::string& lines) {
  return parse_trace("# mrproof trace v1\ngiven pd0\n" + lines, "some.mrt");
}

std::string error_of(const std::string& lines) {
  try {
    (void)read(lines);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "none";
}

TEST(TraceLoops, AreReadRoundByRound) {
  const Trace trace = read(
      "repeat 3\nmr8+i = reg_mr(pd0, buf0+0, 8, 0) -> ok\ndealloc_mw(mw0) -> ok\nend\n"
      "dereg_mr(mr10) -> ok\n");
  ASSERT_EQ(trace.steps.size(), 7U);
  EXPECT_EQ(trace.steps[0].call.mr, 8U);
  EXPECT_EQ(trace.steps[2].call.mr, 9U);
  EXPECT_EQ(trace.steps[4].call.mr, 10U);
  EXPECT_EQ(trace.steps[5].call.verb, Verb::dealloc_mw);
  EXPECT_EQ(trace.steps[4].line, 4U);
}

TEST(TraceLoops, AreWrittenWhereStepsRepeat) {
  std::string lines = "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\n";
  for (int i = 0; i < 100; ++i) {
    const std::string mr = "mr" + std::to_string(100 + i);
    lines += mr + " = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE) -> ok\nrdma_write(qp0, " + mr +
             ".lkey, buf0+0, 8, mr0.rkey, buf0+0)\ndereg_mr(mr5)\n";
  }
  lines += "dereg_mr(mr0) -> ok\n";
  const std::string text = print_trace(read(lines));
  EXPECT_THAT(text, HasSubstr("mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\nrepeat 100\n"
                              "mr100+i = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE) -> ok\n"
                              "rdma_write(qp0, mr100+i.lkey, buf0+0, 8, mr0.rkey, buf0+0)\n"
                              "dereg_mr(mr5)\nend\ndereg_mr(mr0) -> ok\n"));
  const Trace back = parse_trace(text, "some.mrt");
  ASSERT_EQ(back.steps.size(), 302U);
  EXPECT_EQ(back.steps[300].call.mr, 5U);
  EXPECT_EQ(back.steps[299].lkey.slot, 199U);
  EXPECT_EQ(print_trace(back), text);
}

TEST(TraceLoops, AreNotWrittenForAFewSteps) {
  std::string lines;
  for (int i = 0; i < 7; ++i) lines += "dereg_mr(mr0) -> ok\n";
  EXPECT_THAT(print_trace(read(lines)), Not(HasSubstr("repeat")));
}

TEST(TraceLoops, LeaveWhatStandsUnderStepsAsItIs) {
  std::string lines;
  for (int i = 0; i < 20; ++i)
    lines += "dereg_mr(mr" + std::to_string(i) + ") -> ok\n!   of mr" + std::to_string(i) + "\n";
  EXPECT_THAT(print_trace(read(lines)), Not(HasSubstr("repeat")));
}

TEST(TraceLoops, StandBesideEachOtherOnly) {
  EXPECT_THAT(error_of("repeat 2\nrepeat 3\n"), HasSubstr("some.mrt:4:1: a 'repeat' inside"));
  EXPECT_THAT(error_of("repeat 2\nmr1048575+i = reg_mr(pd0, buf0+0, 8, 0)\nend\n"),
      HasSubstr("some.mrt:4:1: no such handle"));
  EXPECT_THAT(error_of("repeat 1000000\ndereg_mr(mr0)\ndereg_mr(mr0)\nend\n"),
      HasSubstr("1000000 steps at most"));
}

}  // namespace
}  // namespace mrproof::model
