// The simulated device makes the calls of every scenario, and the oracle judges what it does.
#include <gtest/gtest.h>

#include <algorithm>

#include "impl/device_case.hpp"
#include "impl/sim/faults.hpp"
#include "impl/sim/sim_device.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::impl {
namespace {

/// The device of that name with what matters of the scenario's.
SimOptions options_for(const model::Trace& trace) {
  const auto features = static_cast<std::uint32_t>(trace.can.features.value());
  const char* const name = (features & model::kIwarp) != 0      ? "iwarp"
                           : (features & model::kMwType2A) != 0 ? "type-2a"
                                                                : "full";
  const auto& sets = capability_sets();
  SimOptions options = std::find_if(sets.begin(), sets.end(), [&](const auto& set) {
                         return set.first == name;
                       })->second;
  options.dialect = trace.dialect;
  options.features |= features & model::kOnDemandMissing;
  // No port carries less than an atomic's eight bytes.
  options.max_message = std::max<std::uint64_t>(trace.can.max_message.value(), 8);
  const auto& process = trace.setup.process;
  options.processes = 1U + *std::max_element(process.begin(), process.end());
  return options;
}

/// The trace as far as the device may be called, up to the first step that deviates or hangs.
/// `leaves`: whether something is left when all is destroyed.
model::Trace made(const model::Trace& trace, const std::string& fault, bool& leaves) {
  SimOptions options = options_for(trace);
  if (!fault.empty()) options.fault = fault;
  SimDevice device(options);
  DeviceCase made(device, *model::find_rulebook(trace.dialect), trace.setup);
  model::Trace seen = trace;
  seen.steps.clear();
  for (model::Step step : trace.steps) {
    step.bytes.clear();
    made.oracle().resolve(step);
    if (made.oracle().forbids(step) != nullptr) break;
    const auto judgement = made.make(step);
    step.annotations = {annotate(judgement, step)};
    seen.steps.push_back(step);
    if (judgement.verdict == model::Verdict::deviates || judgement.verdict == model::Verdict::hang)
      break;
  }
  device.reset(trace.setup);
  leaves = !model::left_behind(device.left().before, device.left().after).empty();
  return seen;
}

bool deviates(const model::Trace& seen) {
  return !seen.steps.empty() &&
         (seen.steps.back().annotations.front().verdict == model::Verdict::deviates ||
          seen.steps.back().annotations.front().verdict == model::Verdict::hang);
}

const std::vector<model::Trace>& scenarios() {
  static const auto all = [] {
    std::vector<model::Trace> traces;
    for (const auto& file : model::testing::scenario_files())
      traces.push_back(model::load_trace(file));
    return traces;
  }();
  return all;
}

TEST(SimScenarios, Conform) {
  std::size_t steps = 0;
  for (const auto& trace : scenarios()) {
    bool leaves = false;
    const auto seen = made(trace, "", leaves);
    EXPECT_FALSE(deviates(seen) || leaves) << print_trace(seen);
    steps += seen.steps.size();
  }
  EXPECT_GT(steps, 3000U);
}

// Seeded faults that the pages forbid. Choices that the pages allow are not asked about.
TEST(SimScenarios, ShowEveryFaultThatThePagesForbid) {
  for (const FaultInfo& info : faults()) {
    if (info.expected.rule.empty()) continue;
    EXPECT_TRUE(std::any_of(scenarios().begin(), scenarios().end(), [&](const auto& trace) {
      bool leaves = false;
      return deviates(made(trace, std::string(info.id), leaves)) || leaves;
    })) << info.id;
  }
}

}  // namespace
}  // namespace mrproof::impl
