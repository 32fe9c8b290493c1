// Whether the harness finds what is wrong with a device, and names it: every seeded fault of the
// simulated device in a short walk, and nothing on the device without one.
#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>

#include "impl/sim/sim_device.hpp"
#include "property-tests/faults/test_faults.hpp"
#include "property-tests/walk/test_walk.hpp"

namespace mrproof::impl {
/// How GoogleTest names a row of the table.
static void PrintTo(const FaultInfo& info, std::ostream* out) { *out << info.id; }
}  // namespace mrproof::impl

namespace mrproof::property_tests {
namespace {

using testing::FaultWalk;
using testing::plan_of;

constexpr std::uint64_t kSteps = 20000;

class SeededFault : public ::testing::TestWithParam<impl::FaultInfo> {
 protected:
  const impl::FaultInfo& fault_ = GetParam();
};

TEST_P(SeededFault, IsReportedWithItsClauseUnlessThePagesAllowIt) {
  ASSERT_EQ(fault_.expected.rule.empty(), !fault_.why_allowed.empty()) << "either or";
  const FaultWalk walk = testing::walk_fault(fault_, plan_of(kSteps, 1));
  if (fault_.why_allowed.empty()) {
    EXPECT_TRUE(walk.reported) << fault_.breaks
                               << "\nseen: " << ::testing::PrintToString(walk.deviations);
  } else {
    EXPECT_THAT(walk.deviations, ::testing::IsEmpty()) << fault_.why_allowed;
  }
  const bool in_doubt = fault_.fault == impl::Fault::receiver_not_ready_as_retry;
  EXPECT_TRUE(walk.inconclusive > 0 || !in_doubt) << "to give up is not to conform";
}

std::string test_name(const ::testing::TestParamInfo<impl::FaultInfo>& info) {
  std::string name(info.param.id);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// What only two processes have: keys of regions and windows that belong to the other one.
TEST(SeededFaults, AreReportedBetweenTwoProcesses) {
  int found = 0;
  for (const auto& fault : impl::faults()) {
    const bool of_transfers = fault.expected.condition == "local_same_pd" ||
                              fault.expected.condition == "receive_same_pd" ||
                              fault.expected.condition == "remote_same_pd";
    if (!of_transfers) continue;
    const FaultWalk walk = testing::walk_fault(fault, plan_of(kSteps, 1), 2);
    EXPECT_TRUE(walk.reported) << fault.id << ": " << fault.breaks;
    ++found;
  }
  EXPECT_EQ(found, 5);
}

INSTANTIATE_TEST_SUITE_P(Sim, SeededFault, ::testing::ValuesIn(impl::faults()), test_name);

TEST(SeededFaults, NearlyAllAreToBeFound) {
  const auto& all = impl::faults();
  const auto allowed = std::count_if(all.begin(), all.end(),
                                     [](const auto& info) { return !info.why_allowed.empty(); });
  EXPECT_GE(all.size() - static_cast<std::size_t>(allowed), 150U);
}

/// What deviates, and how many steps prove nothing, in a walk on the correct device.
FaultWalk walk_correct(const impl::SimOptions& options, const Plan& plan) {
  impl::SimDevice device(options);
  FaultWalk walk;
  for (std::uint64_t index = 0; index < plan.cases(); ++index)
    for (const model::Step& step : testing::walk_case(device, plan, index).steps) {
      const model::Annotation& a = step.annotations.front();
      if (a.verdict == model::Verdict::deviates)
        ++walk.deviations[{model::print_annotation(a), false}];
      walk.inconclusive += a.verdict == model::Verdict::inconclusive ? 1 : 0;
    }
  return walk;
}

TEST(CorrectDevice, ConformsFor200000Steps) {
  const FaultWalk walk = walk_correct({}, plan_of(200000, 11));
  EXPECT_THAT(walk.deviations, ::testing::IsEmpty());
  EXPECT_EQ(walk.inconclusive, 0U);
}

TEST(CorrectDevice, ConformsInEachDialectWithEachSetOfCapabilities) {
  for (const auto dialect : model::kDialects)
    for (const auto& [name, set] : impl::capability_sets()) {
      impl::SimOptions options = set;
      options.dialect = dialect;
      Plan plan = plan_of(10000);
      plan.dialect = dialect;
      EXPECT_THAT(walk_correct(options, plan).deviations, ::testing::IsEmpty())
          << dialect << " " << name;
    }
}

TEST(CorrectDevice, ConformsWhateverItClaims) {
  for (const std::uint32_t claimed : {0U, model::kFeatureFlags})
    for (const std::uint64_t longest : {100U, 4096U}) {
      const impl::SimOptions options{.claimed = claimed, .max_message = longest};
      EXPECT_THAT(walk_correct(options, plan_of(kSteps)).deviations, ::testing::IsEmpty())
          << claimed << " " << longest;
    }
}

}  // namespace

}  // namespace mrproof::property_tests
