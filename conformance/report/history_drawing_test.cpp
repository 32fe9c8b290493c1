#include "conformance/report/history_drawing.hpp"

#include <gmock/gmock.h>

#include <regex>

#include "model/trace/trace_dialect.hpp"

namespace mrproof::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string drawn(const std::string& steps) {
  const std::string text = "# mrproof trace v1\ngiven pd0\ngiven qp0(pd0) <-> qp1(pd0)\n" + steps;
  return draw_history(
      gather_evidence(model::parse_trace(text, "a.mrt"), model::linux_rulebook(), "a.mrt"));
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

const std::string kRegions =
    "mr0 = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE) -> ok\n"
    "mr1 = reg_mr(pd0, buf1+0, 8, LOCAL_WRITE|REMOTE_WRITE) -> ok\n";
const std::string kWrite = "rdma_write(qp0, mr0.lkey, buf0+0, 8, mr1.rkey, buf1+0) -> ";

TEST(DrawHistory, OfOneCallAfterTheOtherThereIsNone) {
  EXPECT_EQ(drawn(kRegions + kWrite + "SUCCESS\n"), "");
}

/// A lane for the program, the request, the call and the two regions; the one that goes is pale
/// while it does.
TEST(DrawHistory, ShowsWhatWasUnderWayAndTheRightsThatItUses) {
  const auto text = drawn(kRegions + "d: dereg_mr(mr1) -> begun\na: " + kWrite +
                          "posted\nd -> ok bytes buf1+0=00\na -> SUCCESS\n");
  for (const char* name : {">program<", ">d: dereg_mr(mr1)<", ">mr0<", ">mr1<"})
    EXPECT_THAT(text, HasSubstr(name));
  EXPECT_THAT(text, Not(HasSubstr(">mw0<")));
  EXPECT_EQ(count(text, "fill-opacity"), 1U);
  EXPECT_EQ(count(text, "<circle"), 1U);
  EXPECT_EQ(count(text, "--blue"), 2U) << "a bar and a mark";
}

/// What a thread calls stands in one lane, each behind the one before.
TEST(DrawHistory, AThreadHasOneLane) {
  const auto text = drawn(kRegions + "a: mr2 = reg_mr(pd0, buf2+0, 8, 0) -> begun\n"
                                     "after a: b: dereg_mr(mr2) -> begun\n"
                                     "c: query_qp(qp0) -> begun\n"
                                     "a -> ok\nb -> ok\nc -> ok qp=RTS\n");
  EXPECT_THAT(text, HasSubstr(">a: mr2 = reg_mr(pd0, buf2+0, 8, 0); after a: b: dereg_mr(mr2)<"));
  EXPECT_EQ(count(text, "--warn"), 3U) << "a bar of each call";
  EXPECT_EQ(count(text, "<text"), 8U + 4U) << "steps, and the program, two threads and mr2";
  EXPECT_THAT(text, Not(HasSubstr("width=\"-")));
}

/// What is over before the steps that are shown has no place among them.
TEST(DrawHistory, OfALongTraceTheLastStepsAreShown) {
  std::string steps = kRegions;
  for (int i = 0; i < 40; ++i) steps += "query_qp(qp0) -> ok qp=RTS\n";
  const auto text = drawn(steps + "a: " + kWrite + "posted\na -> SUCCESS\n");
  EXPECT_EQ(count(text, "<line"), 30U);
  EXPECT_EQ(count(text, "it is there"), 2U);
}

}  // namespace
}  // namespace mrproof::conformance
