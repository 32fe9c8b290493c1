#include "property-tests/shrink/trials.hpp"

#include "impl/device_memory.hpp"
#include "specs/explain/explain_deviation.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

bool tells(const model::Annotation& a) {
  return a.verdict == Verdict::deviates || !a.broken.empty();
}

}  // namespace

const model::Annotation* told_by(const model::Trace& trace) {
  for (const auto& step : trace.steps)
    for (const auto& a : step.annotations)
      if (tells(a)) return &a;
  return nullptr;
}

const model::Annotation* last_told_by(const model::Trace& trace) {
  const model::Annotation* last = nullptr;
  for (const auto& step : trace.steps)
    for (const auto& a : step.annotations)
      if (tells(a)) last = &a;
  return last;
}

std::optional<model::Trace> DeviceTrials::first_showing(std::span<const model::Trace> candidates,
                                                        const model::Annotation& wanted) {
  for (const model::Trace& candidate : candidates)
    if (auto seen = run(candidate, wanted)) return seen;
  return std::nullopt;
}

std::optional<model::Trace> DeviceTrials::run(const model::Trace& candidate,
                                              const model::Annotation& wanted) {
  model::Trace seen = candidate;
  seen.steps.clear();
  seen.can = device_.capabilities();
  device_.reset(seen.setup);
  impl::DeviceMemory memory(device_);
  model::Oracle oracle(*find_rulebook(seen.dialect), seen.setup, seen.can);
  for (model::Step step : candidate.steps) {
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
    step.annotations.push_back(model::annotate(judgement, step));
    const bool goes_on = judgement.verdict == Verdict::conforms ||
                         judgement.verdict == Verdict::unsupported ||
                         (judgement.verdict == Verdict::inconclusive && judgement.rule != nullptr);
    if (judgement.verdict == Verdict::deviates)
      step.remarks = specs::explain_deviation(oracle, step, judgement);
    seen.steps.push_back(std::move(step));
    model::Step& last = seen.steps.back();
    if (last.annotations.front() == wanted) {
      device_.mark_suspect();
      return seen;
    }
    if (goes_on) continue;
    device_.mark_suspect();
    if (!oracle.recover(last, judgement)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace mrproof::property_tests
