#include "conformance/commands/shrink_findings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "conformance/report/finding.hpp"
#include "conformance/session/shrink_session.hpp"
#include "model/trace/write_file.hpp"
#include "property-tests/walk/known_deviation.hpp"

namespace mrproof::conformance {
namespace {

using Clock = std::chrono::steady_clock;

class FindingShrinker {
 public:
  FindingShrinker(const SessionOptions& session, const property_tests::Plan& plan, double seconds,
                  const Tally& tally, const TestEnvironment& environment)
      : out_(session.out),
        book_(*tally.book),
        trials_(session, trials_plan(plan), environment),
        options_{!session.machine.target.empty(), seconds, {}} {
    if (isatty(STDERR_FILENO) != 0)
      options_.progress = [this](const property_tests::ShrinkProgress& p) {
        fmt::print(stderr, "\r{}: {} candidates tried, {} steps left \033[K", name_, p.tried,
                   p.steps);
        std::fflush(stderr);
      };
  }
  FindingShrinker(const FindingShrinker&) = delete;
  FindingShrinker& operator=(const FindingShrinker&) = delete;
  ~FindingShrinker() {
    if (options_.progress) fmt::print(stderr, "\r\033[K");
  }

  void avoid(const std::vector<Incident>& incidents) { trials_.avoid(incidents); }
  /// What comes of the trace; its file's name is what the new ones are called after.
  ShrunkTrace shrink(const model::Trace& trace, const model::Annotation& wanted,
                     const std::string& file) {
    const auto start = Clock::now();
    name_ = std::filesystem::path(file).stem().string();
    ShrunkTrace result;
    try {
      shrink(trace, wanted, result);
    } catch (const std::exception& error) {  // one finding less; the run's report is to be written
      result.outcome = fmt::format("not shrunk: {}", error.what());
    }
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
  }

 private:
  static property_tests::Plan trials_plan(const property_tests::Plan& plan) {
    property_tests::Plan trials;
    trials.device = plan.device;
    trials.dialect = plan.dialect;
    return trials;
  }

  void shrink(const model::Trace& trace, const model::Annotation& wanted, ShrunkTrace& result) {
    const auto outcome = shrink_on(trials_, trace, wanted, options_);
    if (!outcome.shrunk) {
      result.outcome = "not shrunk: its calls made again did not show it";
      return;
    }
    result.trace = outcome.shrunk->trace;
    result.tried = outcome.shrunk->tried;
    result.outcome = outcome.cut_short.empty() ? bound_text(outcome)
                                               : outcome.cut_short + ": it may be shrunk further";
    result.file = name_ + "-shrunk.mrt";
    model::write_whole_file(out_ + "/" + result.file, model::print_trace(outcome.trace));
    if (property_tests::is_of_reset(wanted)) return;  // of which no report can be written
    write_finding(outcome.trace, book_, result.file, "", out_ + "/" + name_);
    result.folder = name_;
  }

  std::string out_;
  const model::Rulebook& book_;
  SupervisedTrials trials_;
  ShrinkSession options_;
  std::string name_;
};

}  // namespace

void shrink_findings(const SessionOptions& session, const property_tests::Plan& plan,
                     double seconds, Tally& tally, const TestEnvironment& environment) {
  FindingShrinker shrinker(session, plan, seconds, tally, environment);
  shrinker.avoid(tally.incidents);
  for (auto& f : tally.findings)
    if (f.counts() && !f.trace.steps.empty())
      f.shrunk = shrinker.shrink(f.trace, f.name, f.trace_file);
  for (auto& i : tally.incidents)
    if (const auto wanted = i.annotation(); wanted && i.counts() && !i.trace.steps.empty())
      i.shrunk = shrinker.shrink(i.trace, *wanted, i.trace_file);
}

}  // namespace mrproof::conformance
