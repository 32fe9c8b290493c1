#include "conformance/report/evidence.hpp"

#include <gmock/gmock.h>

#include "model/testing/test_files.hpp"
#include "model/trace/trace_dialect.hpp"

namespace mrproof::conformance {
namespace {

using namespace model;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kHead =
    "# mrproof trace v1\n"
    "given capabilities(REMOTE_ATOMIC|MW_BIND, 8388608, MW_TYPE_1|MW_TYPE_2B)\n"
    "given pd0\n"
    "given qp0(pd0) <-> qp1(pd0)\n";

Evidence evidence_of(const std::string& steps) {
  return gather_evidence(model::parse_trace(kHead + steps, "a.mrt"), linux_rulebook(), "a.mrt");
}

std::string error_of(const std::string& steps) {
  try {
    evidence_of(steps);
  } catch (const model::TraceError& error) {
    return error.what();
  }
  return "";
}

TEST(Evidence, EndsAtTheStepThatTheTraceNames) {
  const Evidence e = evidence_of(
      "mr0 = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE) -> ok\n"
      "rdma_read(qp0, mr0.lkey, buf0+0, 8, 0x7, buf1+0) -> SUCCESS qp=RTS peer=RTS\n"
      "! deviates rdma_read.ok accepted remote_key_live\n"
      "dereg_mr(mr0) -> ok\n");
  EXPECT_EQ(e.trace.steps.size(), 2U);
  EXPECT_TRUE(e.state.regions.at(0).live.truth());
  EXPECT_TRUE(e.is_deviation());
  EXPECT_THAT(e.allowed(), ElementsAre(Outcome::rem_access_err));
  EXPECT_THAT(e.decisive().remarks, Not(::testing::IsEmpty()));
}

TEST(Evidence, FindsTheFirstDeviationWhereTheTraceNamesNone) {
  const Evidence e = evidence_of(
      "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> refused EINVAL\n"
      "mr1 = reg_mr(pd0, buf1+0, 8, 0) -> refused EINVAL\n");
  EXPECT_EQ(e.trace.steps.size(), 1U);
  EXPECT_EQ(e.finding().verdict, Verdict::deviates);
}

TEST(Evidence, GoesOnBehindADeviationThatLeavesTheStateKnown) {
  const Evidence e = evidence_of(
      "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> refused EINVAL\n"
      "! deviates reg_mr.refused rejected nothing_forbids\n"
      "mr1 = reg_mr(pd0, buf1+0, 8, 0) -> refused EINVAL\n"
      "! deviates reg_mr.refused rejected nothing_forbids\n");
  EXPECT_EQ(e.trace.steps.size(), 2U);
}

TEST(Evidence, EndsWithTheLastStepOfATraceThatConforms) {
  const Evidence e = evidence_of("mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\ndereg_mr(mr0) -> ok\n");
  EXPECT_EQ(e.trace.steps.size(), 2U);
  EXPECT_FALSE(e.is_deviation());
}

TEST(Evidence, TakesFromTheTraceWhatDidNotEnd) {
  const std::string steps = "mw0 = alloc_mw(pd0, TYPE_2) -> ok\nlocal_inv(qp0, mw0.rkey)\n! ";
  for (const auto& [word, verdict] :
       {std::pair{"crash", Verdict::crash}, {"hang", Verdict::hang}}) {
    const Evidence e = evidence_of(steps + word + " local_inv.none none unbound_window_named\n");
    EXPECT_EQ(e.finding().verdict, verdict);
    EXPECT_TRUE(e.is_deviation());
  }
}

TEST(Evidence, TakesWrongBytesFromTheTraceWhereItDoesNotShowThem) {
  const Evidence e = evidence_of(
      "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\n! deviates reg_mr.ok bytes bytes_as_predicted\n");
  EXPECT_TRUE(e.is_deviation());
  EXPECT_EQ(e.finding().kind, model::DeviationClass::bytes);
}

TEST(Evidence, FollowsTheStatesAgain) {
  const Evidence e = evidence_of(
      "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\n"
      "dereg_mr(mr0) -> ok\n"
      "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\n"
      "dereg_mr(mr0) -> refused EINVAL\n");
  StateCursor states(e);
  const auto live = [&](std::size_t i) { return states.before(i).regions.at(0).live.truth(); };
  const std::vector<bool> forth{live(0), live(1), live(2), live(3)};
  EXPECT_THAT(forth, ElementsAre(false, true, false, true));
  const std::vector<bool> back{live(3), live(2), live(1), live(0)};
  EXPECT_THAT(back, ElementsAre(true, false, true, false));
  EXPECT_TRUE(e.state.regions.at(0).live.truth());
}

TEST(Evidence, TellsWhatIsWrongInOneLine) {
  EXPECT_THAT(error_of(""), HasSubstr("a.mrt:1:1: the trace has no steps"));
  EXPECT_THAT(error_of("dereg_mr(mr0) -> ok\n"), HasSubstr("a.mrt:5:1: this call may not be made"));
  EXPECT_THAT(error_of("mr0 = reg_mr(pd0, buf0+0, 8, 0)\n"), HasSubstr("has no result; replay"));
}

TEST(Evidence, OpensTheRulesThatTheJudgeAllows) {
  for (const auto& file : model::testing::scenario_files()) {
    const model::Trace trace = model::load_trace(file);
    const Evidence e = gather_evidence(trace, model::book_of(trace, "", file), file);
    const OutcomeSet wanted = allowed(*e.book, e.view());
    OutcomeSet open;
    for (const auto* rule : e.open)
      if (rule->weight != Weight::inconclusive) open.add(rule->outcome);
    for (std::size_t i = 0; i < kOutcomes; ++i) {
      const auto outcome = static_cast<Outcome>(i);
      EXPECT_EQ(open.contains(outcome), wanted.contains(outcome))
          << file << " " << kOutcomeNames.at(i);
    }
  }
}

}  // namespace
}  // namespace mrproof::conformance
