#include "property-tests/series/series.hpp"

#include <gmock/gmock.h>

namespace mrproof::property_tests {
namespace {

using namespace model;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Capabilities<Plain> device_with(std::uint32_t access, std::uint32_t features) {
  Capabilities<Plain> can;
  can.claimed = Plain::flags(access);
  can.features = Plain::flags(features);
  can.max_message = Plain::address(1U << 20);
  return can;
}
const Capabilities<Plain> kAll = device_with(kRemoteAtomic | kMwBind, kAtomics | kMwType1);
const Capabilities<Plain> kNoAtomics = device_with(kMwBind, kMwType1);

Plan plan_with_array() {
  Plan plan;
  plan.steps = 200;
  plan.series = {{CaseSeries::Kind::tours, "tour/a", 3, "a scope"}, plan_array()};
  return plan;
}

TEST(Series, TheArrayHasTheCasesOfTheDevice) {
  Plan plan = plan_with_array();
  const auto most = plan.cases();
  const auto begun = print_begun_with(plan, "");
  fit_series(plan, kAll);
  EXPECT_EQ(plan.cases(), most);
  EXPECT_EQ(print_begun_with(plan, ""), begun);
  EXPECT_THAT(lacking_of_series(plan, kAll), IsEmpty());
  fit_series(plan, kNoAtomics);
  EXPECT_LT(plan.cases(), most);
  EXPECT_EQ(plan.series[0].cases, 3U) << "a tour has the cases that it has";
  EXPECT_EQ(plan.case_name(plan.cases() - 1), "walk/seed-1/case-0");
  EXPECT_THAT(lacking_of_series(plan, kNoAtomics),
              ElementsAre(HasSubstr("triples need what the device lacks: REMOTE_ATOMIC, ATOMICS")));
  EXPECT_NE(SeriesTraces(plan.series[1], kNoAtomics).without_re_registration(0).size(), 0U);
  const SeriesTraces traces(plan.series[1], kNoAtomics);
  for (std::uint64_t i = 0; i < plan.series[1].cases; ++i)
    EXPECT_EQ(lacking(traces.trace(i), kNoAtomics), "");
}

// A worker is started again with what was planned for the device by the first one.
TEST(Series, MayBeFittedAgain) {
  Plan plan = plan_with_array();
  fit_series(plan, kNoAtomics);
  const auto cases = plan.cases();
  fit_series(plan, kNoAtomics);
  EXPECT_EQ(plan.cases(), cases);
}

TEST(Series, IsOfOneDevice) {
  Plan plan = plan_with_array();
  fit_series(plan, kNoAtomics);
  try {
    fit_series(plan, device_with(0, 0));
    FAIL() << "the cases would be others than those that were run";
  } catch (const model::ToolError& error) {
    EXPECT_THAT(error.what(), HasSubstr("array has 297 cases on this device, and was planned with "
                                        "390: take the device"));
  }
}

}  // namespace
}  // namespace mrproof::property_tests
