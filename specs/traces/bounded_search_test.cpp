#include "specs/traces/bounded_search.hpp"

#include <gtest/gtest.h>

#include "model/access.hpp"

namespace mrproof::specs {
namespace {

using model::State;

const model::Capabilities<model::Plain> kFull{
    model::Plain::flags(model::kMwBind | model::kZeroBased), model::Plain::address(1U << 30U),
    model::Plain::flags(model::kMwType1 | model::kMwType2B)};

/// A goal about the state alone; the call is one that frees the first region.
template <class About>
BoundedSearch::Goal about(About&& holds) {
  return [holds](const State<Terms>& state, const Shape&) {
    return std::vector<smt::Bit>{holds(state)};
  };
}
const Shape kDereg{model::Verb::dereg_mr};

TEST(BoundedSearch, FindsTheFewestStepsThatLeadThere) {
  BoundedSearch search(0, kFull);
  const auto bound = about([](const State<Terms>& s) {
    return s.windows[0].live & s.windows[0].bound & model::has<Terms>(s.regions[0].access, 32U);
  });
  for (std::size_t steps = 0; steps < 3; ++steps)
    EXPECT_FALSE(search.find(bound, kDereg, steps, AnyDevice::full)) << steps;
  const auto found = search.find(bound, kDereg, 3, AnyDevice::full);
  ASSERT_TRUE(found);
  EXPECT_NE(model::print_call(found->steps.at(2)).find("bind_mw("), std::string::npos);
  ASSERT_NE(found->setup.qp_pd[0], model::Setup::kAbsent);
  EXPECT_TRUE(found->setup.pd.at(found->setup.qp_pd[0]));
}

TEST(BoundedSearch, GivesKeysTheNamesThatProgramsHaveForThem) {
  BoundedSearch search(0, kFull);
  const auto found = search.find(
      [](const State<Terms>& s, const Shape& shape) {
        const auto call = unknown_call("call.", shape);
        return std::vector<smt::Bit>{s.regions[0].live, call.lkey == s.regions[0].lkey,
                                     call.length == Terms::address(8)};
      },
      Shape{model::Verb::post_recv}, 1, AnyDevice::full);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->last.lkey.kind, model::KeyName::Kind::lkey);
  EXPECT_EQ(found->last.lkey.slot, 0);
  EXPECT_EQ(found->last.call.length.value(), 8U);
}

TEST(BoundedSearch, ChoosesTheDeviceWhereItMay) {
  BoundedSearch search(0, kFull);
  const auto poor = about([](const State<Terms>& s) {
    return (s.can.features & Terms::flags(model::kMwType1)) == Terms::flags(0);
  });
  EXPECT_FALSE(search.find(poor, kDereg, 0, AnyDevice::full));
  const auto found = search.find(poor, kDereg, 0, AnyDevice::any);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->can.features.value() & model::kMwType1, 0U);
}

TEST(BoundedSearch, FindsOtherStepsThanThoseTried) {
  BoundedSearch search(0, kFull);
  const auto live = about([](const State<Terms>& s) { return s.regions[0].live; });
  std::vector<Proposal> tried;
  while (auto found = search.find(live, kDereg, 1, AnyDevice::full, tried)) {
    ASSERT_LT(tried.size(), 20U);
    for (const Proposal& other : tried) EXPECT_NE(other.kinds, found->kinds);
    tried.push_back(std::move(*found));
  }
  EXPECT_GE(tried.size(), 3U) << "several verbs make a region";
}

}  // namespace
}  // namespace mrproof::specs
