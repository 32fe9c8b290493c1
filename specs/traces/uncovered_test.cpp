#include "specs/traces/uncovered.hpp"

#include <gtest/gtest.h>

#include "impl/sim/sim_device.hpp"

namespace mrproof::specs {
namespace {

ModelCoverage left(std::vector<Uncovered> conditions) {
  ModelCoverage coverage;
  coverage.dialect = "linux";
  coverage.can = impl::SimDevice().capabilities();
  coverage.conditions_left = std::move(conditions);
  return coverage;
}

TEST(Uncovered, FindsATraceWhereTheRulesHaveOne) {
  const auto all = uncovered(left({{"rdma_read.ok but for remote_right", ""},
                                   {"rdma_read.ok but for qp_ready", ""},
                                   {"advise_mr.ok but for advised_same_pd", "the device lacks it"},
                                   {"reg_mr.refused_doubtful because base_unambiguous", ""}}),
                             {});
  ASSERT_EQ(all.size(), 3U) << "what has a reason is not looked for";
  for (const std::size_t i : {0U, 1U}) {
    ASSERT_TRUE(all[i].trace) << all[i].name;
    EXPECT_EQ(all[i].trace->steps.back().call.verb, model::Verb::rdma_read);
    EXPECT_EQ(all[i].trace->comments.front(), " " + all[i].name + ".");
  }
  for (const std::size_t i : {0U, 1U}) EXPECT_FALSE(all[i].impossible) << all[i].name;
  EXPECT_FALSE(all[2].trace) << "it never decides alone";
  EXPECT_TRUE(all[2].impossible);
}

TEST(Uncovered, FindsNoneWhereTheDeviceCannot) {
  auto coverage =
      left({{"bind_mw.ok but for bind_in_bounds", ""}, {"rdma_read.ok but for no", ""}});
  coverage.can.features = model::Plain::flags(0);
  const auto all = uncovered(coverage, {});
  ASSERT_EQ(all.size(), 2U);
  for (const auto& u : all) EXPECT_FALSE(u.trace) << u.name;
  EXPECT_TRUE(all[0].impossible) << "there are no windows";
  EXPECT_FALSE(all[1].impossible) << "there is no such condition";
}

}  // namespace
}  // namespace mrproof::specs
