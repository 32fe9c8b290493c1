#include "model/oracle/judge_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace mrproof::model {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kHead =
    "# mrproof trace v1\ngiven pd0\ngiven pd1\ngiven qp0(pd0) <-> qp1(pd0)\n";
constexpr const char* kRegister = "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|REMOTE_WRITE)";

Trace judged(const std::string& lines) {
  return judge_trace(parse_trace(kHead + lines, "t.mrt"), linux_rulebook(), "t.mrt");
}

/// A call that must not be made, and which precondition it would break.
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

INSTANTIATE_TEST_SUITE_P(Preconditions, ForbiddenCall,
    ::testing::Values(Forbidden{"PdSlotTaken", "", "pd0 = alloc_pd()", "names no live PD"},
        Forbidden{"PdDead", "", "dealloc_pd(pd2)", "the PD has been allocated"},
        Forbidden{"RegisterInDeadPd", "", "mr0 = reg_mr(pd2, buf0+0, 64, 0)", "the PD has been"},
        Forbidden{"MrSlotTaken", kRegistered, kRegister, "names no live MR"},
        Forbidden{"MrDead", "", "dereg_mr(mr0)", "the MR has been registered"},
        Forbidden{"NoQp", "", "query_qp(qp2)", "the queue pair exists"},
        Forbidden{"ConnectNoQp", "", "connect(qp3)", "both queue pairs"},
        Forbidden{"StoreBeyondBuffer", "", "fill(buf0+8190, 3, 1)", "memory of one buffer"},
        Forbidden{"ReceiveTwice", "post_recv(qp0, 0x1, buf0+0, 8) -> ok\n",
            "post_recv(qp0, 0x1, buf0+0, 8)", "no receive is posted yet"},
        Forbidden{"Overlap", "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|REMOTE_READ) -> ok\n",
            "rdma_read(qp0, mr0.lkey, buf0+0, 64, mr0.rkey, buf0+63)", "do not overlap"},
        Forbidden{"SecondCompletesFirst",
            "mr0 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE|REMOTE_WRITE) -> ok\n"
            "a: rdma_write(qp0, mr0.lkey, buf0+0, 8, mr0.rkey, buf0+16) -> posted\n"
            "b: rdma_write(qp0, mr0.lkey, buf0+8, 8, mr0.rkey, buf0+32) -> posted\n",
            "b", "complete as they were posted"},
        Forbidden{"MwSlotTaken", "mw0 = alloc_mw(pd0, TYPE_1) -> ok\n",
            "mw0 = alloc_mw(pd0, TYPE_1)", "names no live MW"},
        Forbidden{"MwDead", "", "dealloc_mw(mw1)", "the MW has been allocated"},
        Forbidden{"RegisterAnewDead", "", "rereg_mr(mr0, 0, pd0, 0x0, 0, 0)",
            "the MR has been registered"},
        Forbidden{"VerbOfAnotherDialect", "", "mr1 = reg_shared_mr(pd0, mr0, 0)",
            "the dialect has this verb"},
        Forbidden{"DestroyNoQp", "", "destroy_qp(qp3)", "the queue pair exists"},
        Forbidden{"ProtectHalfAPage", "", "protect(buf3+4096, 100, NONE)", "whole pages"},
        Forbidden{"StoreIntoHole", "protect(buf3+4096, 4096, NONE)\n", "fill(buf3+4090, 8, 1)",
            "mapped, writable memory"},
        Forbidden{"UndefinedRegion", kOrphan, "rdma_write(qp0, mr0.lkey, buf0+0, 8, 0x1, buf1+0)",
            "undefined"},
        Forbidden{"HugePagesPromised",
            "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|ON_DEMAND|HUGETLB) -> ok\n",
            "rdma_read(qp0, mr0.lkey, buf0+0, 8, 0x77, buf1+0)", "with HUGETLB"},
        Forbidden{"HugePagesPromisedThere",
            "mr0 = reg_mr(pd0, buf0+0, 4096, REMOTE_READ|ON_DEMAND|HUGETLB) -> ok\n",
            "rdma_read(qp0, 0x77, buf1+0, 8, mr0.rkey, buf0+0)", "with HUGETLB"},
        Forbidden{"HugePagesPromisedToReceive",
            "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|ON_DEMAND|HUGETLB) -> ok\n"
            "post_recv(qp1, mr0.lkey, buf0+0, 8) -> ok\n",
            "send(qp0, 0x77, buf1+0, 8)", "with HUGETLB"},
        Forbidden{"HugePagesPromisedAndAdvised",
            "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|ON_DEMAND|HUGETLB) -> ok\n",
            "advise_mr(pd0, PREFETCH, 0, mr0.lkey, buf0+0, 8)", "without HUGETLB"},
        Forbidden{"MessageOverlapsReceive",
            "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE) -> ok\n"
            "post_recv(qp1, mr0.lkey, buf0+32, 64) -> ok\n",
            "send(qp0, mr0.lkey, buf0+0, 64)", "do not overlap"}),
    [](const auto& test) { return test.param.name; });

TEST(ForbiddenCall, WritesAreNotInFlightOverIwarp) {
  const std::string iwarp = "given capabilities(0, 1048576, IWARP)\n";
  judged(iwarp + "a: rdma_read(qp0, 0x1, buf0+0, 8, 0x1, buf0+16) -> posted\n");
  try {
    judged(iwarp + "a: rdma_write(qp0, 0x1, buf0+0, 8, 0x1, buf0+16) -> posted\n");
    FAIL();
  } catch (const TraceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("over iWARP a read"));
  }
}

/// mr0 is on demand, and so is what mw0 is bound to; mr1 is not.
constexpr const char* kOnDemandLines =
    "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND|"
    "ON_DEMAND) -> ok\n"
    "mr1 = reg_mr(pd0, buf1+0, 4096, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC) -> ok\n"
    "mw0 = alloc_mw(pd0, TYPE_1) -> ok rkey=0x9000\n"
    "bind_mw(qp1, mw0, mr0, buf0+0, 64, REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC) -> SUCCESS\n";

/// Operations that use a region on demand, and all that devices may not claim of them.
struct OnDemandCase {
  std::string call;
  std::string needs;
};
const std::vector<OnDemandCase>& on_demand_cases() {
  static const std::vector<OnDemandCase> cases{
      {"send(qp0, mr0.lkey, buf0+0, 64) -> RNR_RETRY_EXC_ERR qp=ERR peer=RTS\n", "SEND"},
      {"post_recv(qp1, mr0.lkey, buf0+0, 64) -> ok\n"
       "send(qp0, mr1.lkey, buf1+0, 64) -> SUCCESS peer_receive=SUCCESS received=64\n",
          "RECV"},
      {"rdma_write(qp0, mr0.lkey, buf0+0, 64, mr1.rkey, buf1+0) -> SUCCESS\n", "WRITE"},
      {"rdma_write(qp0, mr1.lkey, buf1+0, 64, mr0.rkey, buf0+0) -> SUCCESS\n", "WRITE"},
      {"rdma_write(qp0, mr1.lkey, buf1+0, 64, mw0.rkey, buf0+0) -> SUCCESS\n", "WRITE"},
      {"rdma_write_with_imm(qp0, mr1.lkey, buf1+0, 64, mr0.rkey, buf0+0) -> RNR_RETRY_EXC_ERR "
       "qp=ERR peer=RTS\n",
          "WRITE"},
      {"rdma_read(qp0, mr0.lkey, buf0+0, 64, mr1.rkey, buf1+0) -> SUCCESS\n", "READ"},
      {"rdma_read(qp0, mr1.lkey, buf1+0, 64, mr0.rkey, buf0+0) -> SUCCESS\n", "READ"},
      {"rdma_read(qp0, mr1.lkey, buf1+0, 64, mw0.rkey, buf0+0) -> SUCCESS\n", "READ"},
      {"atomic_fetch_and_add(qp0, mr1.lkey, buf1+0, 8, mr0.rkey, buf0+0, 1) -> SUCCESS\n",
          "ATOMIC"},
      {"atomic_cmp_and_swp(qp0, mr0.lkey, buf0+0, 8, mr1.rkey, buf1+0, 1, 2) -> SUCCESS\n",
          "ATOMIC"},
  };
  return cases;
}

TEST(JudgeTrace, WhatIsNotClaimedOnDemandIsNotCalled) {
  const auto lines = [](const OnDemandCase& item, const std::string& missing) {
    return "given capabilities(REMOTE_ATOMIC|MW_BIND|ON_DEMAND, 8388608, MW_TYPE_1|ATOMICS" +
           missing + ")\n" + kOnDemandLines + item.call;
  };
  for (const auto& item : on_demand_cases()) {
    EXPECT_NO_THROW(judged(lines(item, ""))) << item.call;
    for (const std::string operation : {"SEND", "RECV", "WRITE", "READ", "ATOMIC"}) {
      const std::string text = lines(item, "|ODP_NO_" + operation);
      if (operation != item.needs) {
        EXPECT_NO_THROW(judged(text)) << text;
        continue;
      }
      try {
        judged(text);
        ADD_FAILURE() << text;
      } catch (const TraceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("the device claims the operation for regions on"));
      }
    }
  }
}

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

TEST(JudgeTrace, StopsAtTheFirstDeviation) {
  const Trace trace = judged(
      "query_qp(qp0) -> ok qp=RTS\n! inconclusive something.else\n"
      "query_qp(qp0) -> ok qp=ERR\n!   an old remark\n"
      "query_qp(qp0) -> ok qp=RTS\n");
  ASSERT_EQ(trace.steps.size(), 2U);
  EXPECT_EQ(print_annotation(trace.steps[0].annotations.front()), "conforms query_qp.ok");
  EXPECT_EQ(trace.steps[0].annotations.size(), 1U) << "told verdicts are replaced";
  EXPECT_EQ(print_annotation(trace.steps[1].annotations.front()),
      "deviates query_qp.ok detail qp_state_true");
  EXPECT_TRUE(trace.steps[1].remarks.empty()) << "told remarks go";
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

constexpr const char* kWindows = "given capabilities(MW_BIND, 8388608, MW_TYPE_1|MW_TYPE_2B)\n";
constexpr const char* kBindable =
    "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|REMOTE_READ|MW_BIND) -> ok\n";

/// The keys of the last step, after all steps conformed.
std::pair<std::uint64_t, std::uint64_t> last_keys(const std::string& lines) {
  const Trace trace = judged(kWindows + std::string(kBindable) + lines);
  const auto& last = trace.steps.back();
  EXPECT_EQ(last.annotations.front().verdict, Verdict::conforms) << print_trace(trace);
  return {last.result.lkey.value(), last.result.rkey.value()};
}

TEST(JudgeTrace, GivesAWindowAKeyAndABindTheNextOne) {
  const std::string bind =
      "bind_mw(qp0, mw0, mr0, buf0+0, 64, REMOTE_READ) -> SUCCESS qp=RTS peer=RTS\n";
  const std::string alloc = "mw0 = alloc_mw(pd0, TYPE_1) -> ok";
  const auto [none, fresh] = last_keys(alloc + "\n");
  EXPECT_EQ(none, 0U);
  EXPECT_NE(fresh, 0U);
  EXPECT_EQ(last_keys(alloc + "\n" + bind).second, fresh + 1);
  EXPECT_EQ(last_keys(alloc + "\n" + bind + bind).second, fresh + 2);
  EXPECT_EQ(last_keys(alloc + " rkey=0x9ff\n" + bind).second, 0x900U) << "the low byte wraps";
}

TEST(JudgeTrace, GivesATypeTwoWindowTheKeyAskedFor) {
  const std::string alloc = "mw0 = alloc_mw(pd0, TYPE_2) -> ok rkey=0x9ff\n";
  EXPECT_EQ(
      last_keys(alloc + "post_bind_mw(qp0, mw0, mw0.rkey^0x42, mr0, buf0+0, 64, REMOTE_READ) -> "
                        "SUCCESS qp=RTS peer=RTS\n")
          .second,
      0x9ffU ^ 0x42U);
}

TEST(JudgeTrace, LeavesARegionItsKeysWhenItIsRegisteredAnew) {
  const auto keys = last_keys("");
  EXPECT_EQ(last_keys("rereg_mr(mr0, CHANGE_ACCESS, pd0, 0x0, 0, LOCAL_WRITE) -> ok\n"), keys);
}

TEST(JudgeTrace, KeepsTheIndexOfToldWindowKeysFree) {
  const auto [lkey, rkey] = last_keys(
      "mw0 = alloc_mw(pd0, TYPE_1) -> ok rkey=0x3ff\n"
      "mr1 = reg_mr(pd0, buf1+0, 64, LOCAL_WRITE|REMOTE_READ) -> ok\n");
  EXPECT_EQ(lkey, rkey);
  EXPECT_NE(rkey >> 8U, 3U);
}

TEST(JudgeTrace, GivesNoKeysToRefusals) {
  const Trace trace = judged("mr0 = reg_mr(pd0, buf0+0, 64, REMOTE_WRITE) -> refused EINVAL\n");
  EXPECT_EQ(trace.steps.back().result.lkey.value(), 0U);
}

TEST(JudgeTrace, NeedsNoResultOfWhatTheProgramDoesItself) {
  EXPECT_NO_THROW(judged("protect(buf3+4096, 4096, READ)\n"));
}

/// The verdicts of the steps, where pd1 is elsewhere.
std::vector<Verdict> verdicts_where(const std::string& elsewhere, const std::string& steps) {
  const std::string text = "# mrproof trace v1\ngiven pd0\ngiven pd1 " + elsewhere +
                           "\ngiven qp0(pd0) <-> qp1(pd1)\n" + steps;
  const Trace trace = judge_trace(parse_trace(text, "t.mrt"), linux_rulebook(), "t.mrt");
  std::vector<Verdict> all;
  for (const Step& step : trace.steps)
    all.push_back(step.annotations.empty() ? Verdict::conforms : step.annotations[0].verdict);
  return all;
}

TEST(JudgeTrace, DevicesOfTwoHostsHaveKeysOfTheirOwn) {
  const std::string steps =
      "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE) -> ok lkey=0x100 rkey=0x100\n"
      "mr1 = reg_mr(pd1, buf1+0, 4096, LOCAL_WRITE|REMOTE_WRITE) -> ok lkey=0x100 rkey=0x100\n"
      "rdma_write(qp0, mr0.lkey, buf0+0, 8, mr1.rkey, buf1+0) -> SUCCESS\n"
      "rdma_write(qp1, mr1.lkey, buf1+0, 8, mr0.rkey, buf0+0) -> REM_ACCESS_ERR qp=ERR peer=ERR\n";
  const auto conforms = Verdict::conforms;
  EXPECT_THAT(verdicts_where("on host 1", steps), ::testing::Each(conforms));
  EXPECT_EQ(verdicts_where("in process 1", steps)[1], Verdict::deviates);
  // What has no such key there is not found by it.
  EXPECT_EQ(verdicts_where("on host 1",
                "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE) -> ok lkey=0x100 rkey=0x100\n"
                "rdma_write(qp1, 0x100, buf0+0, 8, 0x100, buf0+0) -> SUCCESS\n")[1],
      Verdict::deviates);
}

TEST(JudgeTrace, AdviceAsksTheDeviceOfItsPd) {
  const std::string region =
      "mr0 = reg_mr(pd1, buf0+0, 4096, LOCAL_WRITE|ON_DEMAND) -> ok lkey=0x100 rkey=0x100\n";
  const std::string there = region + "advise_mr(pd1, PREFETCH, 0, mr0.lkey, buf0+0, 8) -> ok\n";
  const std::string here = region + "advise_mr(pd0, PREFETCH, 0, mr0.lkey, buf0+0, 8) -> ok\n";
  EXPECT_EQ(verdicts_where("on host 1", there)[1], Verdict::conforms);
  EXPECT_EQ(verdicts_where("on host 1", here)[1], Verdict::deviates);
}

TEST(JudgeTrace, WhatOneHostGrantsTheOtherMayLack) {
  const std::string steps =
      "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|ZERO_BASED) -> ok lkey=0x100 rkey=0x100\n"
      "mr1 = reg_mr(pd1, buf1+0, 4096, LOCAL_WRITE|ZERO_BASED) -> refused EOPNOTSUPP\n";
  EXPECT_EQ(verdicts_where("on host 1", steps)[1], Verdict::unsupported);
  EXPECT_EQ(verdicts_where("in process 1", steps)[1], Verdict::deviates);
}

}  // namespace
}  // namespace mrproof::model
