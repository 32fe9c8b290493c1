#include "conformance/session/shrink_session.hpp"

#include <fmt/format.h>

#include <chrono>

namespace mrproof::conformance {

namespace {

/// In another machine a trial takes milliseconds.
constexpr property_tests::ShortTracesLimits kRemoteLimits{2'000'000, 500};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

ShrinkOutcome shrink_on(SupervisedTrials& trials, const model::Trace& trace,
                        const model::Annotation& wanted, const ShrinkSession& session) {
  const auto start = Clock::now();
  property_tests::ShortTraceStore store(session.remote ? kRemoteLimits
                                                       : property_tests::ShortTracesLimits{});
  property_tests::Shrinker shrinker(trials, wanted, store);
  shrinker.keep_to_given();
  shrinker.on_progress(session.progress);
  trials.limit(session.seconds);
  ShrinkOutcome outcome;
  try {
    outcome.shrunk = shrinker.run(trace);
    if (!outcome.shrunk && wanted.verdict == model::Verdict::hang) {
      trials.be_patient();
      outcome.shrunk = shrinker.run(trace);
    }
  } catch (const model::ToolError& stopped) {
    trials.limit(0);
    if (shrinker.best().trace.steps.empty()) throw;
    outcome.cut_short = stopped.what();
    outcome.shrunk = shrinker.best();
  }
  trials.limit(0);
  outcome.left_out = trials.left_out();
  outcome.seconds = seconds_since(start);
  if (!outcome.shrunk) return outcome;
  outcome.trace = property_tests::presentable(*outcome.shrunk, wanted);
  outcome.trace.guest = trace.guest;
  outcome.trace.rounds = trace.rounds;
  const auto& d = trials.device();
  outcome.trace.comments = {fmt::format(" device {}  driver {}  kernel {}  rdma-core {}", d.device,
                                        d.driver, d.kernel, d.rdma_core)};
  return outcome;
}

std::string bound_text(const ShrinkOutcome& outcome) {
  const auto& bound = outcome.shrunk->bound;
  if (!outcome.shrunk->is_shortest())
    return fmt::format("a shorter one was not found; it takes {} steps at least", bound.steps);
  if (bound.by_model)
    return "shortest: by the model, no trace of fewer plain calls leads to where it could be shown";
  return fmt::format(
      "shortest: none of the traces of fewer plain calls that could show it does so here{}",
      outcome.left_out ? ", calls aside that are known to kill or that nobody answers" : "");
}

}  // namespace mrproof::conformance
