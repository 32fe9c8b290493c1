#include "property-tests/shrink/trials.hpp"

#include "impl/device_case.hpp"
#include "specs/explain/explain_deviation.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

bool tells(const model::Annotation& a) { return a.verdict == Verdict::deviates || !a.kind.empty(); }

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
  impl::DeviceCase made(device_, *find_rulebook(seen.dialect), seen.setup);
  const model::Oracle& oracle = made.oracle();
  for (model::Step step : candidate.steps) {
    step.remarks.clear();
    step.bytes.clear();
    oracle.resolve(step);
    if (oracle.forbids(step) != nullptr) return std::nullopt;
    const Judgement judgement = made.make(step);
    ++steps_;
    step.annotations = {model::annotate(judgement, step)};
    if (judgement.verdict == Verdict::deviates)
      step.remarks = specs::explain_deviation(oracle, step, judgement);
    const bool shows = step.annotations.front() == wanted;
    seen.steps.push_back(std::move(step));
    if (shows || judgement.verdict == Verdict::deviates || oracle.lost()) device_.mark_suspect();
    if (shows) return seen;
    if (oracle.lost()) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace mrproof::property_tests
