#include "conformance/shrink/trials.hpp"

#include "conformance/oracle/explain_deviation.hpp"
#include "conformance/run/device_memory.hpp"

namespace mrproof {

using namespace model;

namespace {

bool tells(const Annotation& a) { return a.verdict == Verdict::deviates || !a.kind.empty(); }

}  // namespace

const Annotation* told_by(const Trace& trace) {
  for (const auto& step : trace.steps)
    for (const auto& a : step.annotations)
      if (tells(a)) return &a;
  return nullptr;
}

const Annotation* last_told_by(const Trace& trace) {
  const Annotation* last = nullptr;
  for (const auto& step : trace.steps)
    for (const auto& a : step.annotations)
      if (tells(a)) last = &a;
  return last;
}

std::optional<Trace> DeviceTrials::first_showing(std::span<const Trace> candidates,
                                                 const Annotation& wanted) {
  for (const Trace& candidate : candidates)
    if (auto seen = run(candidate, wanted)) return seen;
  return std::nullopt;
}

std::optional<Trace> DeviceTrials::run(const Trace& candidate, const Annotation& wanted) {
  Trace seen = candidate;
  seen.steps.clear();
  seen.can = device_.capabilities();
  device_.reset(seen.setup);
  DeviceMemory memory(device_);
  Oracle oracle(*find_rulebook(seen.dialect), seen.setup, seen.can);
  for (Step step : candidate.steps) {
    step.annotations.clear();
    step.remarks.clear();
    step.bytes.clear();
    oracle.resolve(step);
    if (oracle.forbids(step) != nullptr) return std::nullopt;
    const impl::Observation observation = device_.perform(step.call);
    ++steps_;
    step.result = observation.result;
    step.observed = step.keys_seen = true;
    step.timed_out = observation.timed_out;
    const Judgement judgement = oracle.check(step, memory);
    step.annotations.push_back(annotate(judgement, step));
    const bool goes_on = judgement.verdict == Verdict::conforms ||
                         judgement.verdict == Verdict::unsupported ||
                         (judgement.verdict == Verdict::inconclusive && judgement.rule != nullptr);
    if (judgement.verdict == Verdict::deviates) step.remarks = explain_deviation(oracle, step, judgement);
    seen.steps.push_back(std::move(step));
    Step& last = seen.steps.back();
    if (last.annotations.front() == wanted) {
      device_.distrust();
      return seen;
    }
    if (goes_on) continue;
    device_.distrust();
    if (!oracle.recover(last, judgement)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace mrproof
