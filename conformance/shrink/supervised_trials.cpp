#include "conformance/shrink/supervised_trials.hpp"

#include <algorithm>

#include "conformance/shrink/shrink_form.hpp"

namespace mrproof {

namespace {

/// Bytes of traces in one request: it has to fit into the channel, quoted.
constexpr std::size_t kMostText = ChannelHeader::kRequestSize / 2;

std::optional<Trace> shown_in(const Tally& tally, const Annotation& wanted) {
  for (const auto& finding : tally.findings)
    if (finding.name == wanted) return finding.trace;
  for (const auto& incident : tally.incidents) {
    if (!incident.is(wanted)) continue;
    Trace seen = incident.trace;
    seen.steps.back().annotations = {wanted};
    return seen;
  }
  return std::nullopt;
}

}  // namespace

SupervisedTrials::SupervisedTrials(const SessionOptions& options, Plan plan)
    : options_(options),
      plan_(std::move(plan)),
      folder_(""),
      place_(folder_, options.target, options.kernel_arguments) {}

std::optional<Trace> SupervisedTrials::first_showing(std::span<const Trace> candidates,
                                                     const Annotation& wanted) {
  plan_.until = wanted;
  for (std::size_t next = 0; next < candidates.size();) {
    plan_.traces.clear();
    for (std::size_t size = 0; next < candidates.size() && size < kMostText; ++next) {
      plan_.traces.push_back(calls_text(candidates[next]));
      size += plan_.traces.back().size();
    }
    Tally tally = empty_tally();
    run(tally);
    if (auto seen = shown_in(tally, wanted)) return seen;
  }
  return std::nullopt;
}

std::optional<Annotation> SupervisedTrials::first_trouble(const Trace& trace) {
  plan_.until.reset();
  plan_.traces = {calls_text(trace)};
  Tally tally = empty_tally();
  run(tally);
  if (!tally.findings.empty()) return tally.findings.front().name;
  if (tally.incidents.empty()) return std::nullopt;
  return tally.incidents.front().annotation();
}

Tally SupervisedTrials::empty_tally() const { return Tally(*model::find_rulebook(plan_.dialect)); }

void SupervisedTrials::run(Tally& tally) {
  Journal journal("");
  Supervisor supervisor({"", 0, 0, options_.step_limit}, plan_, place_.channel(), place_.host(),
                        tally, journal);
  supervisor.run();
  device_ = tally.device;
  if (supervisor.cut_short()) throw ToolError("interrupted");
}

}  // namespace mrproof
