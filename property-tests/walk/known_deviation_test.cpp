#include "property-tests/walk/known_deviation.hpp"

#include <gtest/gtest.h>

#include "model/oracle/recorded_case.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::property_tests {
namespace {

using namespace model;

/// The name of trouble with the last step.
std::string trouble_with_last(const std::string& steps) {
  const Trace trace = parse_trace(
      "# mrproof trace v1\ngiven capabilities(MW_BIND|ON_DEMAND, 1073741824)\ngiven pd0\n"
      "given qp0(pd0) <-> qp1(pd0)\n"
      "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE) -> ok lkey=0x200 rkey=0x200\n"
      "mr1 = reg_mr_iova(pd0, buf1+0, 64, 0x7000, LOCAL_WRITE|REMOTE_WRITE|ON_DEMAND) -> ok "
      "lkey=0x300 rkey=0x300\n" +
          steps,
      "test");
  const Oracle oracle =
      oracle_before(trace, *find_rulebook("linux"), trace.steps.size() - 1);
  Step step = trace.steps.back();
  oracle.resolve(step);
  const auto name = trouble_name(oracle, step);
  return name.rule + "/" + name.broken.text();
}

/// What a kernel dies of need not be the call that is made just then.
TEST(Trouble, IsNamedByWhatIsInFlight) {
  const std::string posted =
      "a: rdma_write(qp0, mr0.lkey, buf0+0, 8, mr1.rkey, 0x7000) -> posted\n";
  EXPECT_EQ(trouble_with_last(posted + "modify_qp(qp1, 0) -> ok\n"),
            "rdma_write.none/on_demand_elsewhere");
  EXPECT_EQ(trouble_with_last(
                "a: rdma_write(qp0, mr0.lkey, buf0+0, 8, mr0.rkey, buf0+64) -> posted\n"
                "modify_qp(qp1, 0) -> ok\n"),
            "modify_qp.none/-");
  EXPECT_EQ(trouble_with_last("modify_qp(qp1, 0) -> ok\n"), "modify_qp.none/-");
}

}  // namespace
}  // namespace mrproof::property_tests
