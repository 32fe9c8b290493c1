#include "property-tests/series/overlap_traces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "impl/device_case.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof::property_tests {
namespace {

using namespace model;

/// Makes the pair's calls, but those that may not be made. How many overlap others, or are in
/// flight; and what deviated, if something did.
std::pair<std::size_t, std::string> made(impl::SimDevice& device, std::size_t pair) {
  const Trace trace = overlap_trace(pair);
  impl::DeviceCase one(device, *find_rulebook("linux"), trace.setup);
  std::size_t begun = 0;
  for (const auto& planned : trace.steps) {
    Step step = planned;
    one.oracle().resolve(step);
    if (one.oracle().forbids(step) != nullptr) continue;
    begun += step.call.part == Part::posted ? 1 : 0;
    const auto judgement = one.make(step);
    if (judgement.verdict == Verdict::deviates)
      return {begun, print_annotation(annotate(judgement, step))};
  }
  return {begun, ""};
}

/// What the pair's threads make in one round behind the first call of each.
std::size_t calls_behind(std::size_t pair) {
  const auto name = overlap_name(pair);
  return static_cast<std::size_t>(std::count(name.begin(), name.end(), ','));
}

TEST(OverlapTraces, AllTheirCallsOverlapAndConform) {
  impl::SimDevice device;
  std::set<std::string> names;
  for (std::size_t pair = 0; pair < overlap_pairs(); ++pair) {
    const auto [begun, deviates] = made(device, pair);
    const bool in_flight = overlap_name(pair).find("in flight") != std::string::npos;
    const bool by_thread = overlap_name(pair).ends_with("by a thread");
    // Each thread of the others makes one call in each of 55 rounds, or two or three.
    if (in_flight)
      EXPECT_EQ(begun, by_thread ? 162U : 56U) << overlap_name(pair);
    else
      EXPECT_EQ(begun, 55 * (2 + calls_behind(pair))) << overlap_name(pair);
    EXPECT_EQ(deviates, "") << overlap_name(pair);
    names.insert(overlap_name(pair));
  }
  EXPECT_EQ(names.size(), overlap_pairs());
}

TEST(OverlapTraces, WaitAsLongAsTheWireTakes) {
  EXPECT_EQ(slowed_by(""), 1U);
  EXPECT_EQ(slowed_by("loss 5% duplicate 2%"), 1U);
  EXPECT_EQ(slowed_by("rate 8mbit"), 30U);
  EXPECT_EQ(slowed_by("loss 1% delay 2ms"), 50U);
  EXPECT_EQ(slowed_by("rate 8mbit delay 400us"), 40U);
  EXPECT_EQ(slowed_by("rate 1furlong delay"), 1U);
  const std::size_t last = overlap_pairs() - 1;
  EXPECT_NE(print_trace(overlap_trace(last)).find("after 14 us: "), std::string::npos);
  EXPECT_NE(print_trace(overlap_trace(last, 30)).find("after 420 us: "), std::string::npos);
  EXPECT_NO_THROW(overlap_trace(last, slowed_by("delay 9s"))) << "a delay has a limit";
}

TEST(OverlapTraces, FindKeysThatTwoRegistrationsShare) {
  impl::SimDevice device({.fault = "overlapping-registrations-share-keys"});
  EXPECT_EQ(overlap_name(0), "reg_mr and reg_mr");
  EXPECT_EQ(made(device, 0).second, "deviates reg_mr.ok detail keys_distinct+overlaps");
}

}  // namespace
}  // namespace mrproof::property_tests
