#include "conformance/judge_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace mrproof {
namespace {

using namespace model;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kHead =
    "# mrproof trace v1\ngiven pd0\ngiven pd1\ngiven qp0(pd0) <-> qp1(pd0)\n";
constexpr const char* kRegister = "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|REMOTE_WRITE)";

Trace judged(const std::string& lines) {
  return judge_trace(parse_trace(kHead + lines, "t.mrt"), linux_rulebook(), "t.mrt");
}

/// A call that must not be made, and which duty it would break.
struct Forbidden {
  const char* name;
  const char* before;
  const char* call;
  const char* sentence;
};

void PrintTo(const Forbidden& call, std::ostream* out) { *out << call.call; }

class ForbiddenCall : public ::testing::TestWithParam<Forbidden> {};

TEST_P(ForbiddenCall, IsRefusedWithItsLineAndTheDuty) {
  const std::string before = GetParam().before;
  const auto line = 5 + std::count(before.begin(), before.end(), '\n');
  try {
    judged(before + GetParam().call + " -> ok\n");
    FAIL() << GetParam().call;
  } catch (const TraceError& error) {
    EXPECT_THAT(error.what(), StartsWith("t.mrt:" + std::to_string(line) + ":1: "));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().sentence));
  }
}

constexpr const char* kRegistered = "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE) -> ok\n";
constexpr const char* kOrphan =
    "mr0 = reg_mr(pd1, buf0+0, 64, LOCAL_WRITE|REMOTE_WRITE) -> ok\ndealloc_pd(pd1) -> ok\n";

INSTANTIATE_TEST_SUITE_P(
    Duties, ForbiddenCall,
    ::testing::Values(
        Forbidden{"PdSlotTaken", "", "pd0 = alloc_pd()", "names no live PD"},
        Forbidden{"PdDead", "", "dealloc_pd(pd2)", "the PD has been allocated"},
        Forbidden{"RegisterInDeadPd", "", "mr0 = reg_mr(pd2, buf0+0, 64, 0)", "the PD has been"},
        Forbidden{"MrSlotTaken", kRegistered, kRegister, "names no live MR"},
        Forbidden{"MrDead", "", "dereg_mr(mr0)", "the MR has been registered"},
        Forbidden{"NoQp", "", "query_qp(qp2)", "the queue pair exists"},
        Forbidden{"ConnectNoQp", "", "connect(qp3)", "the queue pair exists"},
        Forbidden{"StoreBeyondBuffer", "", "fill(buf0+8190, 3, 1)", "lie in one buffer"},
        Forbidden{"ReceiveTwice", "post_recv(qp0, 0x1, buf0+0, 8) -> ok\n",
                  "post_recv(qp0, 0x1, buf0+0, 8)", "no receive is posted yet"},
        Forbidden{"Overlap", "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|REMOTE_READ) -> ok\n",
                  "rdma_read(qp0, mr0.lkey, buf0+0, 64, mr0.rkey, buf0+63)", "do not overlap"},
        Forbidden{"UndefinedRegion", kOrphan, "rdma_write(qp0, mr0.lkey, buf0+0, 8, 0x1, buf1+0)",
                  "undefined"},
        Forbidden{"MessageOverlapsReceive",
                  "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE) -> ok\n"
                  "post_recv(qp1, mr0.lkey, buf0+32, 64) -> ok\n",
                  "send(qp0, mr0.lkey, buf0+0, 64)", "do not overlap"}),
    [](const auto& test) { return test.param.name; });

TEST(JudgeTrace, NeedsResultsExceptOfStores) {
  EXPECT_NO_THROW(judged("fill(buf0+0, 8, 1)\n"));
  try {
    judged("query_qp(qp0)\n");
    FAIL();
  } catch (const TraceError& error) {
    EXPECT_THAT(error.what(), StartsWith("t.mrt:5:1: "));
    EXPECT_THAT(error.what(), HasSubstr("no result"));
  }
}

TEST(JudgeTrace, StopsAtTheFirstDeviationAndExplainsIt) {
  const Trace trace = judged(
      "query_qp(qp0) -> ok qp=RTS\n! inconclusive something.else\n"
      "query_qp(qp0) -> ok qp=ERR\n!   an old remark\n"
      "query_qp(qp0) -> ok qp=RTS\n");
  ASSERT_EQ(trace.steps.size(), 2U);
  EXPECT_EQ(print_annotation(trace.steps[0].annotations.front()), "conforms query_qp.ok");
  EXPECT_EQ(trace.steps[0].annotations.size(), 1U) << "told verdicts are replaced";
  EXPECT_EQ(print_annotation(trace.steps[1].annotations.front()),
            "deviates query_qp.ok detail qp_state_true");
  EXPECT_THAT(trace.steps[1].remarks.front(), StartsWith("allowed here: ok"));
}

TEST(JudgeTrace, GivesKeysToRegistrationsThatTellNone) {
  const Trace trace = judged(
      std::string(kRegister) + " -> ok\n" + "mr1 = reg_mr(pd0, buf1+0, 64, REMOTE_READ) -> ok\n" +
      "mr2 = reg_mr(pd0, buf1+0, 64, REMOTE_READ) -> ok lkey=0x7 rkey=0x7\n");
  ASSERT_EQ(trace.steps.size(), 3U);
  EXPECT_NE(trace.steps[0].result.rkey.value(), trace.steps[1].result.rkey.value());
  EXPECT_EQ(trace.steps[2].result.rkey.value(), 7U);
  EXPECT_EQ(trace.steps[2].annotations.front().verdict, Verdict::conforms);
}

TEST(JudgeTrace, GivenKeysDoNotMeetToldOnes) {
  const Trace trace = judged(
      "mr0 = reg_mr(pd0, buf0+0, 64, REMOTE_READ) -> ok lkey=0x200 rkey=0x200\n"
      "mr1 = reg_mr(pd0, buf1+0, 64, REMOTE_READ) -> ok\n");
  EXPECT_EQ(trace.steps.back().annotations.front().verdict, Verdict::conforms);
}

}  // namespace
}  // namespace mrproof
