#include "specs/explain/explain_deviation.hpp"

#include <gmock/gmock.h>

#include "model/oracle/judge_trace.hpp"

namespace mrproof::specs {
namespace {

using namespace model;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What is said of a deviation at the end of a trace: its remarks, and what they cite.
struct Said {
  std::vector<std::string> lines, cited;
};

Said said_of(const std::string& steps) {
  Said said;
  const auto explain = [&](const model::Oracle& oracle, const model::Step& step,
                           const Judgement& judgement) {
    said = {explain_deviation(oracle, step, judgement), cited_by(oracle)};
    return said.lines;
  };
  const model::Trace trace = model::parse_trace(
      "# mrproof trace v1\ngiven pd0\ngiven qp0(pd0) <-> qp1(pd0)\n"
      "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE) -> ok lkey=0x100 rkey=0x100\n"
      "mr1 = reg_mr(pd0, buf1+0, 4096, LOCAL_WRITE|REMOTE_WRITE) -> ok lkey=0x200 rkey=0x201\n" +
          steps,
      "said");
  const model::Trace judged = model::judge_trace(trace, linux_rulebook(), "said", explain);
  EXPECT_EQ(judged.steps.back().remarks, said.lines);
  return said;
}

TEST(ExplainDeviation, SaysWhatWasAllowedAndWhatIsBroken) {
  const auto [lines, cited] =
      said_of("rdma_write(qp0, mr0.lkey, buf0+0, 64, 0x999, buf1+0) -> SUCCESS qp=RTS peer=RTS\n");
  EXPECT_EQ(lines.front(), "allowed here: REM_ACCESS_ERR");
  EXPECT_THAT(lines, Contains(StartsWith("broken: remote_key_live: a live region")));
  EXPECT_THAT(lines.at(1), HasSubstr("ibv_reg_mr(3)"));
  EXPECT_THAT(lines, Contains(StartsWith("right would be: rdma_write.rem_access_err [")));
  EXPECT_THAT(lines, Contains(StartsWith("mr0: reg_mr.ok [ibv_reg_mr(3)")));
  EXPECT_THAT(cited, Contains("reg_mr.rkey_names_mr"));
}

TEST(ExplainDeviation, TracesItBackToTheCallThatWasToChangeTheObject) {
  const auto [lines, cited] = said_of(
      "dereg_mr(mr1) -> ok\n"
      "rdma_write(qp0, mr0.lkey, buf0+0, 64, mr1.rkey, buf1+0) -> SUCCESS qp=RTS peer=RTS\n");
  EXPECT_THAT(lines, Contains(StartsWith("mr1: dereg_mr.ok, reg_mr.ok [")));
  EXPECT_THAT(cited, Contains("reg_mr.dereg"));
}

}  // namespace
}  // namespace mrproof::specs
