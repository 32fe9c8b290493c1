#include "conformance/report/rule_coverage.hpp"

#include <gmock/gmock.h>

#include "model/oracle/recorded_case.hpp"

namespace mrproof::conformance {
namespace {

using namespace model;

/// What decides alone in the last step of a trace: "rdma_write.ok but for remote_in_bounds".
std::vector<std::string> alone_in(const std::string& steps) {
  const model::Trace trace = model::parse_trace(
      "# mrproof trace v1\ngiven pd0\ngiven pd1\ngiven qp0(pd0) <-> qp1(pd0)\n"
      "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|REMOTE_WRITE) -> ok\n"
      "mr1 = reg_mr(pd1, buf1+0, 64, LOCAL_WRITE|REMOTE_READ) -> ok\n" +
          steps,
      "trace");
  const Rulebook& book = linux_rulebook();
  model::RecordedCase recorded(trace, book, model::RecordedCase::Keys::given);
  RuleCoverage coverage(book);
  for (std::size_t i = 1; const model::Step* step = recorded.next(); ++i) {
    if (i == trace.steps.size())
      coverage.look({recorded.oracle().state(), step->call, step->result});
    recorded.judge();
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < coverage.conditions().size(); ++i) {
    const auto& item = coverage.conditions()[i];
    if (coverage.alone()[i] != 0)
      names.push_back(item.rule->id + (item.reason ? " because " : " but for ") +
                      item.condition->id);
  }
  return names;
}

TEST(RuleCoverage, SeesWhatDecidesAlone) {
  EXPECT_THAT(alone_in("rdma_write(qp0, mr0.lkey, buf0+0, 8, mr0.rkey, buf0+4090) -> SUCCESS\n"),
              ::testing::IsSupersetOf({"rdma_write.ok but for remote_in_bounds",
                                       "rdma_write.rem_access_err because remote_in_bounds"}));
}

TEST(RuleCoverage, SeesNothingAloneWhereTwoConditionsAreBroken) {
  const auto names =
      alone_in("rdma_write(qp0, mr0.lkey, buf0+0, 8, mr1.rkey, buf1+0) -> SUCCESS\n");
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("rdma_write.ok but for remote_same_pd")));
  EXPECT_THAT(
      names, ::testing::Not(::testing::Contains("rdma_write.rem_access_err because remote_right")));
}

TEST(RuleCoverage, CountsWhatIsOpenAndWhatIsTaken) {
  const Rulebook& book = linux_rulebook();
  RuleCoverage coverage(book);
  const State<Plain> state;
  coverage.look({state, {.verb = Verb::alloc_pd}, {}});
  const auto& ok = *book.find("alloc_pd.ok");
  coverage.take(ok);
  EXPECT_EQ(coverage.open()[book.index(ok)], 1U);
  EXPECT_EQ(coverage.taken()[book.index(ok)], 1U);
  EXPECT_EQ(coverage.open()[book.index(*book.find("dealloc_pd.ok"))], 0U);
}

}  // namespace
}  // namespace mrproof::conformance
