#include "specs/explain/shown_objects.hpp"

#include <gmock/gmock.h>

#include "model/oracle/recorded_case.hpp"
#include "specs/explain/explain.hpp"

namespace mrproof::specs {
namespace {

using namespace model;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Windows on the last of `regions` regions, of which the trace's last step names one.
model::Trace trace_of(std::size_t regions) {
  return model::parse_trace(
      "# mrproof trace v1\n"
      "given capabilities(REMOTE_ATOMIC|MW_BIND, 8388608, MW_TYPE_1|MW_TYPE_2B)\n"
      "given pd0\n"
      "given qp0(pd0) <-> qp1(pd0)\n"
      "repeat " +
          std::to_string(regions) +
          "\n"
          "mr0+i = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE|MW_BIND) -> ok\n"
          "end\n"
          "mw0 = alloc_mw(pd0, TYPE_1) -> ok\n"
          "bind_mw(qp0, mw0, mr" +
          std::to_string(regions - 1) +
          ", buf0+0, 8, REMOTE_READ) -> SUCCESS\n"
          "rdma_read(qp1, mr3.lkey, buf0+0, 8, mw0.rkey, buf0+0)\n",
      "a.mrt");
}

State<Plain> state_before_last(const model::Trace& trace) {
  model::RecordedCase recorded(trace, linux_rulebook(), model::RecordedCase::Keys::given);
  for (std::size_t i = 1; i < trace.steps.size(); ++i) {
    recorded.next();
    EXPECT_EQ(recorded.judge().verdict, Verdict::conforms) << i;
  }
  return recorded.oracle().state();
}

TEST(ShownObjects, AreAllWhereTheyAreFew) {
  const model::Trace trace = trace_of(40);
  const ShownObjects shown(state_before_last(trace), trace.steps.back());
  for (std::size_t i = 0; i < 40; ++i) EXPECT_TRUE(shown.region(i));
  EXPECT_EQ(shown.hidden(), "");
}

TEST(ShownObjects, AreThoseOfTheStepWhereTheyAreMany) {
  const model::Trace trace = trace_of(41);
  const State<Plain> state = state_before_last(trace);
  const ShownObjects shown(state, trace.steps.back());
  EXPECT_THAT(shown.named_regions(), ElementsAre(3U, 40U));  // by its key, by the window
  EXPECT_THAT(shown.named_windows(), ElementsAre(0U));
  EXPECT_TRUE(shown.region(3) && shown.region(40) && shown.window(0));
  EXPECT_FALSE(shown.region(0));
  EXPECT_THAT(shown.hidden(), HasSubstr("41 regions"));
  EXPECT_EQ(describe_state(state, trace.steps.back()).size(), 1U + 2 + 1 + 1 + 2);
}

}  // namespace
}  // namespace mrproof::specs
