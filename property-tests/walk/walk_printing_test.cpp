// Whatever a walk shows of a device, correct or not, is the same when it is printed and read again.
#include <gtest/gtest.h>

#include "impl/sim/sim_device.hpp"
#include "model/trace/test_steps.hpp"
#include "property-tests/walk/test_walk.hpp"

namespace mrproof::property_tests {
namespace {

TEST(WalkPrinting, IsUndoneByParsing) {
  // Faults bring what a correct device does not show: deviations, other statuses, bytes.
  for (const auto* fault :
       {"", "page-offset-repeated", "wrong-wr-id", "reg-mr-without-errno", "dereg-mr-minus-one",
        "local-error-as-qp-error", "stale-rkey-accepted", "receive-not-flushed"}) {
    impl::SimOptions options;
    if (*fault != '\0') options.fault = fault;
    impl::SimDevice device(options);
    Plan plan = testing::plan_of(4000);
    plan.walk.wrong_percent = 40;
    for (std::uint64_t index = 0; index < plan.cases(); ++index)
      model::testing::expect_same_after_printing(testing::walk_case(device, plan, index));
  }
}

}  // namespace
}  // namespace mrproof::property_tests
