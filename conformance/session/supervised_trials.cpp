#include "conformance/session/supervised_trials.hpp"

#include <algorithm>

#include "conformance/run/expectations.hpp"
#include "model/oracle/recorded_case.hpp"
#include "model/trace/trace_scanner.hpp"
#include "property-tests/shrink/shrink_form.hpp"

namespace mrproof::conformance {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTimeIsUp = "the time is up";

/// Bytes of traces in one request: it has to fit into the channel, quoted.
constexpr std::size_t kMostText = ChannelHeader::kRequestSize / 2;

std::optional<model::Trace> shown_in(const Tally& tally, const model::Annotation& wanted) {
  for (const auto& finding : tally.findings)
    if (finding.name == wanted) return finding.trace;
  for (const auto& incident : tally.incidents) {
    if (!incident.is(wanted)) continue;
    model::Trace seen = incident.trace;
    seen.steps.back().annotations = {wanted};
    return seen;
  }
  return std::nullopt;
}

}  // namespace

SupervisedTrials::SupervisedTrials(const SessionOptions& options, property_tests::Plan plan)
    : options_(options),
      plan_(std::move(plan)),
      folder_(std::in_place, ""),
      own_environment_(std::in_place, *folder_, options.machine),
      environment_(*own_environment_) {
  avoid_known();
}

SupervisedTrials::SupervisedTrials(const SessionOptions& options, property_tests::Plan plan,
                                   const TestEnvironment& environment)
    : options_(options), plan_(std::move(plan)), environment_(environment) {
  avoid_known();
}

void SupervisedTrials::avoid_known() {
  if (!options_.expectations.empty())
    avoid_expected(load_expectations(options_.expectations), plan_.walk);
  known_ = std::move(plan_.walk.known);
  plan_.walk.known.clear();
}

void SupervisedTrials::limit(double seconds) {
  end_.reset();
  if (seconds > 0)
    end_ = Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::optional<model::Trace> SupervisedTrials::first_showing(
    std::span<const model::Trace> candidates, const model::Annotation& wanted) {
  look_for(wanted);
  for (std::size_t next = 0; next < candidates.size();) {
    plan_.traces.clear();
    for (std::size_t size = 0; next < candidates.size() && size < kMostText; ++next) {
      plan_.traces.push_back(property_tests::calls_text(candidates[next]));
      size += plan_.traces.back().size();
    }
    Tally tally = empty_tally();
    run(tally);
    avoid(tally.incidents);
    left_out_ = left_out_ || tally.left_out > 0;
    auto seen = shown_in(tally, wanted);
    if (!seen) continue;
    if (first_) spare(*seen);
    first_ = false;
    return seen;
  }
  return std::nullopt;
}

void SupervisedTrials::look_for(const model::Annotation& wanted) {
  plan_.brisk = brisk_ && wanted.verdict == model::Verdict::hang;
  if (plan_.until == wanted) return;
  plan_.until = wanted;
  plan_.patient = true;
  left_out_ = false;
  plan_.walk.known.clear();
  first_ = true;
}

void SupervisedTrials::avoid(const std::vector<Incident>& incidents) {
  for (const auto& incident : incidents) {
    const auto name = incident.annotation();
    if (!name || name->broken.is_dash() || name == plan_.until) continue;
    const model::DeviationName known = property_tests::known_trouble(*name);
    if (std::find(known_.begin(), known_.end(), known) != known_.end()) continue;
    known_.push_back(known);
    if (!first_) plan_.walk.known.push_back(known);
  }
}

/// Takes for troubles to be avoided what none of the steps would be. Calls that nobody answers take
/// seconds each: they are made if the trace has one.
void SupervisedTrials::spare(const model::Trace& seen) {
  plan_.patient = std::any_of(seen.steps.begin(), seen.steps.end(), [](const model::Step& step) {
    return step.result.outcome == model::Outcome::retry_exc_err;
  });
  plan_.walk.known = known_;
  const model::Rulebook& book = *model::find_rulebook(plan_.dialect);
  model::RecordedCase recorded(seen, book);
  while (const model::Step* step = recorded.next()) {
    std::erase_if(plan_.walk.known, [&](const model::DeviationName& known) {
      return property_tests::is_known_trouble(
          {known}, book, {recorded.oracle().state(), step->call, step->result});
    });
    recorded.judge();
    if (recorded.oracle().lost()) break;
  }
}

std::optional<model::Annotation> SupervisedTrials::first_trouble(const std::string& text) {
  plan_.until.reset();
  plan_.brisk = false;
  plan_.walk.known.clear();
  plan_.traces = {model::without_comments(text)};
  Tally tally = empty_tally();
  run(tally);
  if (!tally.findings.empty()) return tally.findings.front().name;
  if (tally.incidents.empty()) return std::nullopt;
  return tally.incidents.front().annotation();
}

Tally SupervisedTrials::empty_tally() const { return Tally(*model::find_rulebook(plan_.dialect)); }

void SupervisedTrials::run(Tally& tally) {
  double left = 0;
  if (end_) left = std::chrono::duration<double>(*end_ - Clock::now()).count();
  if (end_ && left <= 0) throw model::ToolError(kTimeIsUp);
  Journal journal("");
  Supervisor supervisor({"", left, 0, options_.step_limit}, plan_, environment_.channel(),
                        environment_.host(), tally, journal);
  supervisor.run();
  device_ = tally.device;
  if (!supervisor.cut_short()) return;
  throw model::ToolError(end_ && Clock::now() >= *end_ ? kTimeIsUp : "interrupted");
}

}  // namespace mrproof::conformance
