#include "model/oracle/together.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/oracle/judge_trace.hpp"

namespace mrproof::model {
namespace {

const std::string kHead =
    "# mrproof trace v1\n"
    "given capabilities(REMOTE_ATOMIC|MW_BIND, 1073741824, MW_TYPE_1|MODIFY_RIGHTS)\n"
    "given pd0\n"
    "given pd1\n"
    "given qp0(pd0) <-> qp1(pd0)\n"
    "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|MW_BIND) -> ok\n"
    "mw0 = alloc_mw(pd0, TYPE_1) -> ok\n";

/// What is said of the last step.
std::string last_of(const std::string& steps) {
  const Trace trace = parse_trace(kHead + steps, "a.mrt");
  const Trace judged = judge_trace(trace, *find_rulebook("linux"), "a.mrt");
  return print_annotation(judged.steps.back().annotations.front());
}

/// The precondition that the last step breaks.
std::string broken_by_last_of(const std::string& steps) {
  try {
    return last_of(steps);
  } catch (const TraceError& error) {
    const std::string text = error.what();
    for (const auto* condition : {&kMayOverlap, &kAnyOrder})
      if (text.find(condition->sentence) != std::string::npos) return std::string(condition->id);
    return text;
  }
}

TEST(Together, OneOrderIsEnough) {
  const std::string bound = "bind_mw(qp0, mw0, mr0, buf0+0, 8, REMOTE_READ) -> SUCCESS\n";
  const std::string both = bound +
                           "a: dereg_mr(mr0) -> begun\n"
                           "b: dealloc_mw(mw0) -> begun\n"
                           "b -> ok\n";
  EXPECT_EQ(last_of(both + "a -> ok\n"), "conforms dereg_mr.ok");
  EXPECT_EQ(last_of(both + "a -> refused EBUSY\n"), "conforms dereg_mr.refused");
  // The window was there in no order when nothing else was called.
  EXPECT_EQ(last_of("dealloc_mw(mw0) -> ok\na: dereg_mr(mr0) -> begun\na -> refused EBUSY\n"),
            "deviates dereg_mr.refused rejected nothing_forbids");
}

TEST(Together, TheStateIsThatAfterTheOrder) {
  EXPECT_EQ(last_of("a: dereg_mr(mr0) -> begun\n"
                    "b: mr1 = reg_mr(pd0, buf1+0, 64, LOCAL_WRITE|REMOTE_WRITE) -> begun\n"
                    "a -> ok\n"
                    "b -> ok lkey=0x100 rkey=0x100\n"
                    "mr0 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE) -> ok lkey=0x100 rkey=0x100\n"),
            "deviates reg_mr.ok detail keys_distinct");
}

TEST(Together, FourThreadsMakeSixCallsAtMost) {
  std::string steps;
  for (const char* label : {"a", "b", "c", "d"})
    steps += std::string(label) + ": query_qp(qp0) -> begun\n";
  EXPECT_EQ(broken_by_last_of(steps + "e: query_qp(qp0) -> begun\n"), "may_overlap");
  steps += "after a: e: query_qp(qp0) -> begun\nafter b: f: query_qp(qp0) -> begun\n";
  EXPECT_EQ(last_of(steps), "conforms query_qp.begun");
  EXPECT_EQ(broken_by_last_of(steps + "after c: g: query_qp(qp0) -> begun\n"), "may_overlap");
}

TEST(Together, AThreadMakesOneBehindTheOther) {
  const std::string both =
      "a: mr1 = reg_mr(pd0, buf1+0, 64, LOCAL_WRITE) -> begun\n"
      "after a: b: dereg_mr(mr1) -> begun\n"
      "after b: after 5 us: c: mr1 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE) -> begun\n"
      "d: query_qp(qp0) -> begun\n";
  const std::string made = both + "a -> ok lkey=0x100 rkey=0x100\nb -> ok\n";
  EXPECT_EQ(last_of(made + "c -> ok lkey=0x100 rkey=0x100\nd -> ok qp=RTS\n"),
            "conforms query_qp.ok");
  // Not if the order is that of the thread, in which it is gone.
  EXPECT_EQ(last_of(made + "c -> ok lkey=0x100 rkey=0x100\nd -> ok qp=RTS\n"
                           "mr2 = reg_mr(pd0, buf0+0, 64, 0) -> ok lkey=0x100 rkey=0x100\n"),
            "deviates reg_mr.ok detail keys_distinct");
  EXPECT_EQ(broken_by_last_of(both + "b -> ok\n"), "may_overlap");
  EXPECT_EQ(broken_by_last_of(both + "after a: e: dereg_mr(mr0) -> begun\n"), "may_overlap");
  EXPECT_EQ(broken_by_last_of(both + "after d: e: dereg_mr(mr1) -> begun\n"), "any_order");
  EXPECT_EQ(broken_by_last_of(both + "after c: e: mr1 = reg_mr(pd0, buf0+0, 8, 0) -> begun\n"),
            "any_order");
}

TEST(Together, BehindARefusalNothingIsMade) {
  const std::string behind =
      "after a: b: dereg_mr(mr1) -> begun\n"
      "after b: c: dereg_mr(mr0) -> begun\n";
  const std::string wrong = "a: mr1 = reg_mr(pd0, buf1+0, 64, REMOTE_WRITE) -> begun\n" + behind;
  const std::string refused = wrong + "a -> refused EINVAL\nb -> none\nc -> none\n";
  EXPECT_EQ(last_of(refused), "conforms dereg_mr.returned");
  EXPECT_EQ(last_of(refused + "dereg_mr(mr0) -> ok\n"), "conforms dereg_mr.ok");
  const std::string right = "a: mr1 = reg_mr(pd0, buf1+0, 64, LOCAL_WRITE) -> begun\n" + behind;
  EXPECT_EQ(last_of(right + "a -> ok lkey=0x100 rkey=0x100\nb -> none\nc -> none\n"),
            "deviates dereg_mr.none rejected outcome_known+nothing_forbids");
}

TEST(Together, NothingElseIsCalledUntilAllHaveReturned) {
  const std::string begun = "a: dereg_mr(mr0) -> begun\nb: dealloc_mw(mw0) -> begun\n";
  EXPECT_EQ(broken_by_last_of(begun + "query_qp(qp0) -> ok qp=RTS\n"), "may_overlap");
  EXPECT_EQ(broken_by_last_of(begun + "a -> ok\nc: query_qp(qp0) -> begun\n"), "may_overlap");
}

TEST(Together, EachOrderHasToBeOneThatAProgramMayMake) {
  EXPECT_EQ(broken_by_last_of("a: dereg_mr(mr0) -> begun\nb: dereg_mr(mr0) -> begun\n"),
            "any_order");
  EXPECT_EQ(broken_by_last_of("a: mr1 = reg_mr(pd1, buf0+0, 8, 0) -> begun\n"
                              "b: dealloc_pd(pd1) -> begun\n"),
            "any_order");
  // It may go, or be refused: that of a domain that is in use is no other call's concern.
  EXPECT_EQ(last_of("mr1 = reg_mr(pd1, buf0+0, 8, 0) -> ok\na: dereg_mr(mr1) -> begun\n"
                    "b: dealloc_pd(pd1) -> begun\n"),
            "conforms dealloc_pd.begun");
  EXPECT_EQ(broken_by_last_of("a: modify_qp(qp0, REMOTE_READ) -> begun\n"
                              "b: modify_qp(qp0, REMOTE_WRITE) -> begun\n"),
            "any_order");
  // The first is to be refused, and a provider may grant it.
  EXPECT_EQ(broken_by_last_of("a: mr1 = reg_mr(pd0, buf0+0, 8, REMOTE_WRITE) -> begun\n"
                              "b: mr1 = reg_mr(pd0, buf1+0, 8, 0) -> begun\n"),
            "any_order");
}

TEST(Together, RequestsArePostedBesideOne) {
  const std::string regions =
      "mr1 = reg_mr(pd0, buf1+0, 64, LOCAL_WRITE|REMOTE_WRITE) -> ok\n"
      "mr2 = reg_mr(pd0, buf2+0, 64, LOCAL_WRITE|REMOTE_WRITE) -> ok\n";
  const std::string write = "rdma_write(qp0, mr2.lkey, buf2+0, 8, mr1.rkey, buf1+0";
  const std::string begun = regions + "a: dereg_mr(mr1) -> begun\n";
  const std::string posted = begun + "b: " + write + ") -> posted\n";
  for (const char* status : {"SUCCESS qp=RTS peer=RTS", "REM_ACCESS_ERR qp=ERR peer=ERR"})
    EXPECT_THAT(last_of(posted + "a -> ok\nb -> " + status + "\n"),
                ::testing::StartsWith("conforms rdma_write."));
  EXPECT_EQ(last_of(posted + "a -> ok\nb -> LOC_PROT_ERR qp=ERR peer=RTS\n"),
            "deviates rdma_write.loc_prot_err rejected nothing_forbids");
  EXPECT_EQ(broken_by_last_of(posted + "b -> SUCCESS qp=RTS peer=RTS\n"), "may_overlap");
  EXPECT_EQ(broken_by_last_of(begun + write + ") -> SUCCESS qp=RTS peer=RTS\n"), "may_overlap");
  EXPECT_EQ(broken_by_last_of(posted + "c: dereg_mr(mr0) -> begun\n"), "may_overlap");
  EXPECT_EQ(broken_by_last_of(begun + "b: " + write + ", LINKED) -> posted\na -> ok\n"),
            "may_overlap");
  // What could not be made while the request is in flight.
  const std::string anew = regions + "a: rereg_mr(mr1, CHANGE_ACCESS, pd0, 0x0, 0, 0) -> begun\n";
  EXPECT_EQ(broken_by_last_of(anew + "b: " + write + ") -> posted\n"), "may_overlap");
}

TEST(Together, BytesThatChangeMeanwhileAreNobodys) {
  EXPECT_EQ(last_of("a: query_qp(qp0) -> begun\n"
                    "a -> ok qp=RTS bytes buf0+0=ff\n"),
            "deviates query_qp.ok bytes bytes_as_predicted");
}

}  // namespace
}  // namespace mrproof::model
