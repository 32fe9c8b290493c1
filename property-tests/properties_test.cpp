// Properties of devices and of the harness, over walks that RapidCheck chooses. RC_PARAMS work as
// its users know them: RC_PARAMS="seed=7 max_success=1000".
//
// The walk draws the calls: it knows the model's state, so that every verb comes about, with
// handles live, stale and foreign, and values at the edges of what is allowed. RapidCheck chooses
// the walks. A counterexample is made short by our own shrinker, which confirms each candidate on
// the device.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "conformance/judge_trace.hpp"
#include "conformance/shrink.hpp"
#include "conformance/test_walk.hpp"
#include "conformance/worker.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof {
namespace {

using model::Verdict;

/// A case of a walk.
Trace any_case(impl::Device& device, const std::string& dialect = "linux") {
  Plan plan = testing::plan_of(static_cast<std::uint64_t>(*rc::gen::inRange(1, 300)),
                               *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()));
  plan.case_steps = plan.steps;
  plan.dialect = dialect;
  return testing::walk_case(device, plan, 0);
}

/// The shortest trace that shows the same.
std::string shortest(impl::Device& device, const Trace& trace) {
  DeviceTrials trials(device);
  const Annotation wanted = *last_told_by(trace);
  const auto shrunk = Shrinker(trials, wanted).run(trace);
  return shrunk ? print_trace(presentable(*shrunk, wanted))
                : "it does not repeat:\n" + print_trace(trace);
}

void expect_conforming(impl::Device& device, const Trace& trace) {
  if (last_told_by(trace) != nullptr) RC_FAIL(shortest(device, trace));
}

RC_GTEST_PROP(Device, Conforms, ()) {
  // MRPROOF_DEVICE: another one than the simulated device, as --device names it.
  const char* name = std::getenv("MRPROOF_DEVICE");
  static const auto device = open_device(name == nullptr ? "sim" : name, "linux");
  expect_conforming(*device, any_case(*device));
}

RC_GTEST_PROP(ModelAndSimulatedDevice, AgreeInEveryDialectWithEverySetOfCapabilities, ()) {
  const auto& [name, set] = *rc::gen::elementOf(impl::capability_sets());
  impl::SimOptions options = set;
  options.dialect = *rc::gen::elementOf(
      std::vector<std::string>(model::kDialects.begin(), model::kDialects.end()));
  RC_TAG(options.dialect + " " + std::string(name));
  impl::SimDevice device(options);
  expect_conforming(device, any_case(device, options.dialect));
}

RC_GTEST_PROP(Trace, ParseUndoesPrint, ()) {
  impl::SimDevice device;
  const std::string text = print_trace(any_case(device));
  RC_ASSERT(print_trace(parse_trace(text, "")) == text);
}

RC_GTEST_PROP(Trace, IsJudgedAgainAsItWasOnTheDevice, ()) {
  impl::SimDevice device;
  const Trace trace = any_case(device);
  const Trace judged = judge_trace(trace, *model::find_rulebook(trace.dialect), "");
  RC_ASSERT(judged.steps.size() == trace.steps.size());
  for (std::size_t i = 0; i < trace.steps.size(); ++i)
    RC_ASSERT(judged.steps[i].annotations == trace.steps[i].annotations);
}

/// A device with some fault that is to be found.
std::string any_fault() {
  std::vector<std::string> ids;
  for (const auto& info : impl::faults())
    if (!info.expected.rule.empty()) ids.emplace_back(info.id);
  return *rc::gen::elementOf(ids);
}

RC_GTEST_PROP(Replay, ShowsTheSameDeviation, ()) {
  const std::string fault = any_fault();
  RC_TAG(fault);
  impl::SimDevice device({.fault = fault});
  const std::vector<Trace> one{any_case(device)};
  const Annotation* told = last_told_by(one[0]);
  RC_PRE(told != nullptr);
  DeviceTrials trials(device);
  const auto again = trials.first_showing(one, *told);
  RC_ASSERT(again.has_value());
  RC_ASSERT(print_trace(*again) == print_trace(one[0]));
}

RC_GTEST_PROP(Shrinking, NeverChangesTheDeviationNorMakesTheTraceLonger, ()) {
  const std::string fault = any_fault();
  RC_TAG(fault);
  impl::SimDevice device({.fault = fault});
  const Trace trace = any_case(device);
  const Annotation* told = last_told_by(trace);
  RC_PRE(told != nullptr);
  DeviceTrials trials(device);
  const auto shrunk = Shrinker(trials, *told).run(trace);
  RC_ASSERT(shrunk.has_value());
  RC_ASSERT(shrunk->trace.steps.back().annotations.front() == *told);
  RC_ASSERT(shrunk->trace.steps.size() <= trace.steps.size());
}

}  // namespace
}  // namespace mrproof
