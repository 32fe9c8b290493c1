#include "property-tests/shrink/short_traces.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "impl/sim/sim_device.hpp"
#include "model/oracle/predict.hpp"
#include "property-tests/shrink/shrink.hpp"

namespace mrproof::property_tests {
namespace {

using model::DeviationClass;
using model::Verdict;

const model::Annotation kRight{{"rdma_write.ok", DeviationClass::accepted, {"remote_right"}},
                               Verdict::deviates};
const model::Annotation kStale{{"rdma_read.ok", DeviationClass::accepted, {"remote_key_live"}},
                               Verdict::deviates};

/// A trace with the capabilities of the simulated device.
model::Trace any() {
  model::Trace trace;
  trace.can = impl::SimDevice().capabilities();
  return trace;
}

std::string calls_of(const model::Trace& trace) {
  std::string text;
  for (const model::Step& step : trace.steps) text += model::print_call(step) + "\n";
  return text;
}

TEST(ShortTraces, AreNoneWhereNoneLeadsThere) {
  ShortTraceStore store;
  const auto& one = store.get(any(), kRight, 1);
  EXPECT_TRUE(one.traces.empty()) << calls_of(one.traces.front());
  EXPECT_TRUE(one.all) << "a remote key needs a region";
}

TEST(ShortTraces, ComeThePlainestFirst) {
  ShortTraceStore store;
  const auto& two = store.get(any(), kRight, 2);
  ASSERT_FALSE(two.traces.empty());
  EXPECT_EQ(calls_of(two.traces.front()),
            "mr0 = reg_mr(pd0, buf0+0, 8, 0)\n"
            "rdma_write(qp0, mr0.lkey, buf0+0, 8, mr0.rkey, buf0+0)\n");
  EXPECT_TRUE(std::is_sorted(
      two.traces.begin(), two.traces.end(),
      [](const auto& a, const auto& b) { return weight_parts(a) < weight_parts(b); }));
}

TEST(ShortTraces, MayAllBeMadeAndShowIt) {
  ShortTraceStore store;
  for (const auto& wanted : {kRight, kStale})
    for (const std::size_t steps : {2U, 3U}) {
      std::set<std::string> different;
      const auto& all = store.get(any(), wanted, steps);
      for (const model::Trace& trace : all.traces) {
        ASSERT_EQ(trace.steps.size(), steps);
        // Whether a re-registered region has new keys is the device's choice.
        if (model::print_trace(trace).find("old_rkey") == std::string::npos) {
          ASSERT_EQ(model::predict(trace, wanted), model::Prospect::possible)
              << model::print_trace(trace);
        }
        ASSERT_TRUE(different.insert(calls_text(trace)).second) << model::print_trace(trace);
      }
    }
}

TEST(ShortTraces, AreNotAllWhereALimitIsMet) {
  ShortTraceStore few({1'000'000, 10});
  EXPECT_EQ(few.get(any(), kRight, 2).traces.size(), 10U);
  EXPECT_FALSE(few.get(any(), kRight, 2).all);
  ShortTraceStore short_of_time({100, 1000});
  EXPECT_FALSE(short_of_time.get(any(), kRight, 2).all);
}

/// What the trace shrinks to on the device.
Shrunk shrunk(const std::string& fault, const std::string& calls, const model::Annotation& wanted,
              const ShortTracesLimits& limits = {}) {
  impl::SimDevice device({.fault = fault});
  DeviceTrials trials(device);
  ShortTraceStore store(limits);
  const model::Trace trace = model::parse_trace(
      "# mrproof trace v1\ngiven pd0\ngiven qp0(pd0) <-> qp1(pd0)\n" + calls, "test");
  return Shrinker(trials, wanted, store).run(trace).value_or(Shrunk{});
}

TEST(LowerBound, IsTheModelsWhereNothingShorterLeadsThere) {
  const auto result = shrunk("remote-write-right-unchecked",
                             "mr0 = reg_mr(pd0, buf0+0, 16, 0)\n"
                             "rdma_write(qp0, mr0.lkey, buf0+0, 8, mr0.rkey, buf0+8)\n",
                             kRight);
  EXPECT_TRUE(result.is_shortest());
  EXPECT_TRUE(result.bound.by_model);
  EXPECT_EQ(result.bound.needed, 2U);
}

const std::string kStaleKeyRead =
    "mr0 = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE)\nmr1 = reg_mr(pd0, buf1+0, 8, REMOTE_READ)\n"
    "dereg_mr(mr1)\nrdma_read(qp0, mr0.lkey, buf0+0, 8, mr1.rkey, buf1+0)\n";

TEST(LowerBound, IsTheDevicesWhereShorterTracesWereTried) {
  const auto result = shrunk("stale-rkey-accepted", kStaleKeyRead, kStale);
  EXPECT_TRUE(result.is_shortest());
  EXPECT_FALSE(result.bound.by_model) << "two steps break the condition, not on this device";
  EXPECT_EQ(result.bound.steps, 4U);
  EXPECT_EQ(result.bound.needed, 2U);
}

TEST(LowerBound, SaysNothingOfWhatWasNotTried) {
  const auto result = shrunk("stale-rkey-accepted", kStaleKeyRead, kStale, {1'000'000, 10});
  EXPECT_EQ(result.trace.steps.size(), 4U);
  EXPECT_FALSE(result.is_shortest());
  EXPECT_EQ(result.bound.steps, 2U);
}

/// A device with two faults of one name, each of which needs its own access flags.
class TwoFaults final : public Trials {
 public:
  std::optional<model::Trace> first_showing(std::span<const model::Trace> candidates,
                                            const model::Annotation& wanted) override {
    for (model::Trace seen : candidates) {
      const auto access = seen.steps.front().call.access.value();
      const bool one = access == model::kRemoteRead;
      const bool other = access == (model::kLocalWrite | model::kOnDemand);
      if (seen.steps.size() < 2 || (!one && !other)) continue;
      seen.steps.back().annotations = {wanted};
      return seen;
    }
    return std::nullopt;
  }
};

TEST(Shrinker, KeepsToTheFlagsOfTheGivenTraceIfToldTo) {
  model::Trace trace = model::parse_trace(
      "# mrproof trace v1\ngiven pd0\ngiven qp0(pd0) <-> qp1(pd0)\n"
      "mr0 = reg_mr(pd0, buf0+0, 16, LOCAL_WRITE|ON_DEMAND)\n"
      "rdma_write(qp0, mr0.lkey, buf0+0, 8, mr0.rkey, buf0+8)\n",
      "test");
  trace.can = impl::SimDevice().capabilities();
  const auto access = [&](bool keeps) {
    TwoFaults trials;
    ShortTraceStore store;
    Shrinker shrinker(trials, kRight, store);
    if (keeps) shrinker.keep_to_given();
    return calls_of(shrinker.run(trace).value_or(Shrunk{}).trace);
  };
  EXPECT_THAT(access(false), ::testing::HasSubstr("8, REMOTE_READ)"));
  EXPECT_THAT(access(true), ::testing::HasSubstr("8, LOCAL_WRITE|ON_DEMAND)"));
}

}  // namespace
}  // namespace mrproof::property_tests
