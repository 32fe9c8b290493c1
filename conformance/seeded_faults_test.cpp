// Whether the harness finds what is wrong with a device, and names it: every seeded fault of the
// simulated device in a short walk, and nothing on the device without one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "conformance/test_walk.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof {

namespace impl {
/// How GoogleTest names a row of the table.
static void PrintTo(const FaultInfo& info, std::ostream* out) { *out << info.id; }
}  // namespace impl

namespace {

using model::Verdict;

/// Deviations by name, and how often each was seen. A name is what is broken, and whether it was
/// seen with a success or a refusal: "ok remote_right". Which of the verbs showed it first is the
/// walk's luck.
using Found = std::map<std::string, int>;

std::string name_of(std::string_view rule, std::string_view broken) {
  const bool ok = rule.substr(rule.find('.') + 1).starts_with("ok");
  return (ok ? "ok " : "refused ") + std::string(broken);
}

/// Walks until the deviation is found, or to the end. `inconclusive` counts steps that prove
/// nothing.
Found walk(const impl::SimOptions& options, const Plan& plan, const std::string& wanted,
           std::uint64_t* inconclusive = nullptr) {
  impl::SimDevice device(options);
  Found found;
  for (std::uint64_t index = 0; index < plan.cases() && !found.contains(wanted); ++index)
    for (const Step& step : testing::walk_case(device, plan, index).steps) {
      const Annotation& a = step.annotations.front();
      if (a.verdict == Verdict::deviates) ++found[name_of(a.rule, a.broken)];
      if (inconclusive != nullptr && a.verdict == Verdict::inconclusive) ++*inconclusive;
    }
  return found;
}

class SeededFault : public ::testing::TestWithParam<impl::FaultInfo> {
 protected:
  static constexpr std::uint64_t kSteps = 20000;
  static constexpr std::uint64_t kSeeds = 10;
  const impl::FaultInfo& fault_ = GetParam();
  const impl::SimOptions options_{.fault = std::string(fault_.id)};
};

TEST_P(SeededFault, IsFoundAndNamedUnlessThePagesAllowIt) {
  const auto& expected = fault_.expected;
  ASSERT_EQ(expected.rule.empty(), !fault_.why_allowed.empty()) << "either or";
  const std::string wanted = name_of(expected.rule, expected.condition);
  std::uint64_t inconclusive = 0;
  Found found;
  for (std::uint64_t seed = 1; seed <= kSeeds && !found.contains(wanted); ++seed)
    for (const auto& [name, count] :
         walk(options_, testing::plan_of(kSteps, seed), wanted, &inconclusive))
      found[name] += count;
  if (fault_.why_allowed.empty()) {
    EXPECT_THAT(found, ::testing::Contains(::testing::Key(wanted))) << fault_.breaks;
  } else {
    EXPECT_THAT(found, ::testing::IsEmpty()) << fault_.why_allowed;
  }
  const bool in_doubt = fault_.fault == impl::Fault::receiver_not_ready_as_retry;
  EXPECT_TRUE(inconclusive > 0 || !in_doubt) << "to give up is not to conform";
}

std::string test_name(const ::testing::TestParamInfo<impl::FaultInfo>& info) {
  std::string name(info.param.id);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Sim, SeededFault, ::testing::ValuesIn(impl::faults()), test_name);

TEST(SeededFaults, NearlyAllAreToBeFound) {
  const auto& all = impl::faults();
  const auto allowed = std::count_if(all.begin(), all.end(),
                                     [](const auto& info) { return !info.why_allowed.empty(); });
  EXPECT_GE(all.size() - static_cast<std::size_t>(allowed), 150U);
}

TEST(CorrectDevice, ConformsFor200000Steps) {
  std::uint64_t inconclusive = 0;
  EXPECT_THAT(walk({}, testing::plan_of(200000, 11), "", &inconclusive), ::testing::IsEmpty());
  EXPECT_EQ(inconclusive, 0U);
}

TEST(CorrectDevice, ConformsInEachDialectWithEachSetOfCapabilities) {
  for (const auto dialect : model::kDialects)
    for (const auto& [name, set] : impl::capability_sets()) {
      impl::SimOptions options = set;
      options.dialect = dialect;
      Plan plan = testing::plan_of(10000);
      plan.dialect = dialect;
      EXPECT_THAT(walk(options, plan, ""), ::testing::IsEmpty()) << dialect << " " << name;
    }
}

TEST(CorrectDevice, ConformsWhateverItClaims) {
  for (const std::uint32_t claimed : {0U, model::kFeatureFlags})
    for (const std::uint64_t longest : {100U, 4096U}) {
      const impl::SimOptions options{.claimed = claimed, .max_message = longest};
      EXPECT_THAT(walk(options, testing::plan_of(20000), ""), ::testing::IsEmpty())
          << claimed << " " << longest;
    }
}

}  // namespace

}  // namespace mrproof
