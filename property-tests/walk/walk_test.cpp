#include "property-tests/walk/walk.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "impl/sim/sim_device.hpp"
#include "property-tests/walk/test_walk.hpp"

namespace mrproof::property_tests {
namespace {

using namespace model;
using testing::plan_of;
using testing::walk_case;

std::string text_of(impl::Device& device, std::uint64_t seed) {
  return model::print_trace(walk_case(device, plan_of(200, seed), 0));
}

TEST(Walk, IsTheSameForTheSameSeedOnly) {
  impl::SimDevice device;
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string text = text_of(device, seed);
    EXPECT_EQ(text_of(device, seed), text) << seed;
    texts.insert(text);
  }
  EXPECT_EQ(texts.size(), 20U);
}

TEST(Walk, ProposesOnlyCallsThatMayBeMadeWithTheirKeysInPlace) {
  Plan plan = plan_of(20000, 5);
  plan.walk.wrong_percent = 50;
  impl::SimDevice device;
  std::uint64_t proposed = 0;
  for (std::uint64_t index = 0; index < plan.cases(); ++index)
    walk_case(device, plan, index, [&](const model::Step& /*made*/, const model::Oracle& oracle) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        Walk walk(seed * 7919 + proposed++, plan.walk);
        const model::Step step = walk.next(oracle);
        ASSERT_EQ(oracle.forbids(step), nullptr) << model::print_call(step);
        model::Step resolved = step;
        oracle.resolve(resolved);
        ASSERT_EQ(resolved.call.lkey.value(), step.call.lkey.value());
        ASSERT_EQ(resolved.call.rkey.value(), step.call.rkey.value());
      }
    });
  EXPECT_GE(proposed, 50000U);
}

TEST(Walk, MakesEveryCallAndReachesEveryOutcomeOfACorrectDevice) {
  Plan plan = plan_of(120000);
  plan.walk.wrong_percent = 20;
  impl::SimDevice device;
  std::map<std::string, int> seen;
  for (std::uint64_t index = 0; index < plan.cases(); ++index)
    for (const model::Step& step : walk_case(device, plan, index).steps)
      ++seen[step.annotations.front().rule];
  for (const auto rule : {"alloc_pd.ok",
                          "dealloc_pd.ok",
                          "dealloc_pd.refused",
                          "reg_mr.ok",
                          "reg_mr.refused",
                          "reg_mr.refused_doubtful",
                          "reg_mr.unsupported",
                          "dereg_mr.ok",
                          "post_recv.ok",
                          "send.ok",
                          "send.loc_prot_err",
                          "send.rem_inv_req_err",
                          "send.rem_op_err",
                          "send.rnr_retry_exc_err",
                          "rdma_write.ok",
                          "rdma_write.loc_prot_err",
                          "rdma_write.rem_access_err",

                          "rdma_write.wr_flush_err",
                          "rdma_read.ok",
                          "rdma_read.loc_prot_err",
                          "rdma_read.rem_access_err",

                          "rdma_read.wr_flush_err",
                          "query_qp.ok",
                          "connect.ok",
                          "fill.ok"})
    EXPECT_GE(seen[rule], 20) << rule;
}

/// Share of work requests that end in an error, in a walk with so many wrong ones.
double error_share(unsigned wrong_percent) {
  Plan plan = plan_of(20000);
  plan.walk.wrong_percent = wrong_percent;
  impl::SimDevice device;
  int requests = 0;
  int errors = 0;
  for (std::uint64_t index = 0; index < plan.cases(); ++index)
    for (const model::Step& step : walk_case(device, plan, index).steps) {
      if (step.call.part == model::Part::posted) continue;  // its completion is counted
      requests += is_transfer(step.call.verb) ? 1 : 0;
      errors += is_transfer(step.call.verb) && step.result.outcome != Outcome::ok ? 1 : 0;
    }
  return static_cast<double>(errors) / requests;
}

TEST(Walk, IsAsWrongAsAskedFor) {
  const double none = error_share(0);
  const double some = error_share(10);
  const double all = error_share(100);
  // Flushed requests, lost peers and receivers that are not ready are no mistakes.
  EXPECT_LT(none, 0.1);
  EXPECT_GT(some, 0.05);
  EXPECT_LT(some, 0.3);
  EXPECT_GT(all, 0.6);
}

TEST(Walk, CallsOverlapInACaseOfFour) {
  impl::SimDevice device;
  const Plan plan = plan_of(40000);
  std::uint64_t cases = 0, begun = 0, returned = 0;
  for (std::uint64_t index = 0; index < plan.cases(); ++index) {
    const auto before = begun;
    for (const model::Step& step : walk_case(device, plan, index).steps) {
      if (!model::is_overlapping(step.call)) continue;
      ++(step.call.part == model::Part::posted ? begun : returned);
      EXPECT_NE(step.annotations.front().verdict, Verdict::deviates) << model::print_call(step);
    }
    cases += begun > before ? 1 : 0;
  }
  EXPECT_GT(cases * 8, plan.cases());
  EXPECT_LT(cases * 2, plan.cases());
  EXPECT_GT(begun, 20 * cases);
  EXPECT_LE(begun - returned, 3 * cases);  // a case may be over before they have returned
}

TEST(Walk, MeetsAKnownDeviationSeldom) {
  impl::SimOptions options;
  options.fault = "remote-pd-unchecked";
  impl::SimDevice device(options);
  const auto deviations = [&](const Plan& plan) {
    std::size_t count = 0;
    for (std::uint64_t index = 0; index < plan.cases(); ++index) {
      const model::Trace trace = walk_case(device, plan, index);
      count += trace.steps.back().annotations.front().verdict == Verdict::deviates ? 1 : 0;
    }
    return count;
  };
  Plan plan = plan_of(40000);
  const std::size_t before = deviations(plan);
  for (const auto* rule : {"rdma_write.ok", "rdma_read.ok"})
    plan.walk.known.push_back({rule, DeviationClass::accepted, {"remote_same_pd"}});
  EXPECT_GT(before, 20U);
  EXPECT_LT(deviations(plan), before / 4);
}

}  // namespace
}  // namespace mrproof::property_tests
