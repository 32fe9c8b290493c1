#include "conformance/session/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <future>
#include <mutex>
#include <set>

#include "conformance/run/exit_codes.hpp"
#include "conformance/run/expectations.hpp"
#include "conformance/run/fingerprint.hpp"
#include "conformance/run/scenario_files.hpp"
#include "conformance/run/stop.hpp"
#include "conformance/session/guided.hpp"
#include "conformance/session/part.hpp"
#include "conformance/session/run_folder.hpp"
#include "model/trace/write_file.hpp"
#include "property-tests/series/series.hpp"

namespace mrproof::conformance {
namespace {

std::atomic<bool> g_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set by a signal handler");

extern "C" void on_interrupt(int /*signal*/) {
  g_interrupted.store(true);
  request_stop();
}

/// The line on a terminal that tells how far the parts of a run are.
class Progress {
 public:
  explicit Progress(std::size_t parts) : parts_(parts) {}
  ~Progress() {
    if (wanted_) fmt::print(stderr, "\r\033[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t part, const Tally& tally, const property_tests::Plan& plan) {
    if (!wanted_) return;
    const std::lock_guard lock(mutex_);
    parts_.at(part) = {tally.cases, std::max(tally.cases, plan.selected()), tally.steps,
                       tally.findings.size(), tally.steps_per_second()};
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    Far all;
    for (const auto& far : parts_)
      all = {all.cases + far.cases, all.of + far.of, all.steps + far.steps,
             all.deviations + far.deviations, all.speed + far.speed};
    fmt::print(stderr, "\r{} of {} cases, {} steps ({:.0f}/s), {} deviations \033[K", all.cases,
               all.of, all.steps, all.speed, all.deviations);
    std::fflush(stderr);
  }

 private:
  struct Far {
    std::uint64_t cases = 0, of = 0, steps = 0, deviations = 0;
    double speed = 0;
  };
  const bool wanted_ = isatty(STDERR_FILENO) != 0;
  std::mutex mutex_;
  std::vector<Far> parts_;
  std::chrono::steady_clock::time_point last_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Ends the run at the first thing that nobody expects, if the options ask for that.
class FailFast {
 public:
  FailFast(const SessionOptions& options, const Expectations& expectations)
      : wanted_(options.fail_fast), expectations_(expectations) {}

  void look(Tally& tally) {
    const auto seen = tally.findings.size() + tally.incidents.size();
    if (!wanted_ || seen == seen_) return;
    seen_ = seen;
    mark_expected(expectations_, tally);
    if (tally.has_unexpected()) request_stop();
  }

 private:
  bool wanted_;
  const Expectations& expectations_;
  std::size_t seen_ = 0;
};

/// What all parts of a run have in common.
struct Common {
  const SessionOptions& options;
  const Expectations& expectations;
  const Folder& folder;
  Progress& progress;
  const std::function<void()>& begin;  ///< called when a device was opened
  const Supervisor::Watch& watch;
  std::size_t parts = 1;
};

/// Runs cases of a part, and adds what happens to its tally and its facts.
class PartRun {
 public:
  PartRun(const Common& run, const TestEnvironment& environment, Part& part)
      : run_(run),
        environment_(environment),
        part_(part),
        journal_(run.options.out.empty() || !run.options.journal ? "" : part.journal(run.folder),
                 property_tests::print_begun_with(part.plan, run.options.machine.target),
                 part.at.bytes),
        fail_fast_(run.options, run.expectations) {}

  RunFacts go() {
    const auto& options = run_.options;
    const auto start = std::chrono::steady_clock::now();
    stop_on_signals();
    try {
      supervise(part_.plan, {options.out, options.seconds, part_.at.first_case, options.step_limit,
                             options.fresh, part_.prefix, part_.numbered_from});
      if (options.guided > 0 && !facts_.cut_short) guide();
    } catch (const std::exception& error) {
      facts_.error = error.what();
    }
    facts_.seconds = seconds_since(start);
    facts_.place = environment_.host().name();
    facts_.boot_seconds = environment_.host().boot_seconds();
    take_reached();
    return std::move(facts_);
  }

 private:
  /// The calls of the last case, and how long all took.
  CaseRun supervise(const property_tests::Plan& plan, const SupervisorOptions& limits) {
    Supervisor supervisor(limits, plan, environment_.channel(), environment_.host(), part_.tally,
                          journal_);
    supervisor.on_begin(run_.begin);
    supervisor.on_progress([this](const Tally& seen, const property_tests::Plan& fitted) {
      run_.progress.show(part_.number, seen, fitted);
      fail_fast_.look(part_.tally);
    });
    if (run_.watch) supervisor.on_step(run_.watch);
    supervisor.run();
    facts_.cut_short = supervisor.cut_short();
    facts_.machine_seconds += supervisor.taken();
    return {supervisor.last_case(), supervisor.taken(), supervisor.cut_short(), take_reached()};
  }

  /// Since it was taken last; the facts have all.
  std::optional<DriverCoverage> take_reached() {
    auto reached = environment_.host().take_reached();
    if (reached && facts_.driver) facts_.driver->add(*reached);
    if (!facts_.driver) facts_.driver = reached;
    return reached;
  }

  void guide() {
    const auto& options = run_.options;
    part_.planned = facts_.driver.value();
    const auto run_case = [&](const property_tests::Plan& plan, std::uint64_t number) {
      ++facts_.guided_cases;
      return supervise(plan, {options.out, 0, 0, options.step_limit, false, part_.prefix,
                              part_.plan.cases() + number});
    };
    part_.kept = run_guided({part_.plan, options.guided, part_.number, run_.parts, part_.tally},
                            run_case, part_.planned);
  }

  const Common& run_;
  const TestEnvironment& environment_;
  Part& part_;
  Journal journal_;
  FailFast fail_fast_;
  RunFacts facts_;
};

/// Each part in an environment of its own, all at once: the channels' room is given back before
/// the reports.
RunFacts run_parts(const Common& run, std::vector<Part>& parts) {
  const auto run_part = [&run](Part& part) {
    const TestEnvironment environment(run.folder, part.machine, part.prefix);
    return PartRun(run, environment, part).go();
  };
  // What the others did is to be kept where one cannot begin.
  const auto run_other = [&run_part](Part& part) {
    RunFacts facts;
    try {
      facts = run_part(part);
    } catch (const std::exception& error) {
      facts.error = error.what();
    }
    return facts;
  };
  std::vector<std::future<RunFacts>> others;
  for (std::size_t i = 1; i < parts.size(); ++i)
    others.push_back(std::async(std::launch::async, run_other, std::ref(parts[i])));
  RunFacts facts = run_part(parts.front());
  for (auto& other : others) add_facts(facts, other.get());
  return facts;
}

/// The same for those that are made again and again. Each counts as one case.
void run_races(const Common& run, std::vector<Part>& races, RunFacts& facts) {
  SessionOptions options = run.options;
  options.guided = 0;
  options.fresh = false;
  Progress progress(races.size());
  const Common again{options, run.expectations, run.folder, progress, run.begin, run.watch};
  add_facts(facts, run_parts(again, races));
  facts.races = races.size();
  for (auto& race : races) race.tally.cases = std::min<std::uint64_t>(race.tally.cases, 1);
}

/// Of what all parts kept, that which none before it had reached, made short.
std::vector<KeptCase> corpus_of(const SessionOptions& options, const property_tests::Plan& plan,
                                std::vector<Part>& parts) {
  std::vector<KeptCase> all;
  for (auto& part : parts) {
    std::move(part.kept.begin(), part.kept.end(), std::back_inserter(all));
    if (&part != &parts.front()) parts.front().planned.add(part.planned);
  }
  auto kept = join_kept(std::move(all), parts.front().planned);
  if (options.reports) minimise(kept, options, plan);
  return kept;
}

/// Makes one run of its parts. The facts' `error` says what failed.
void join_parts(const SessionOptions& options, const property_tests::Plan& plan,
                const std::string& begun_with, const Folder& folder, const std::vector<Part>& parts,
                Tally& tally, RunFacts& facts) {
  tally = join(parts, plan);
  if (parts.size() == 1 || options.out.empty()) return;
  const bool done = facts.error.empty() && !facts.cut_short;
  if (done) join_traces(parts, folder, tally);
  if (options.journal) try {
      join_journals(parts, folder, begun_with, done);
    } catch (const model::ToolError& error) {
      if (facts.error.empty()) facts.error = error.what();
    }
}

/// Runs the plan; the tally and the facts then say what happened.
RunFacts run_plan(const SessionOptions& options, const Expectations& expectations,
                  const property_tests::Plan& plan, const Folder& folder, Tally& tally,
                  const Supervisor::Watch& watch) {
  property_tests::Plan once_each = plan;
  std::vector<Part> races;
  // A guided run is to reach what they reach.
  if ((options.all_expected || options.guided > 0) && !options.fresh)
    races = take_races(once_each, options.machine, expectations, *tally.book);
  const auto guests = repeats(options.machine) ? options.guests : 1;
  std::vector<Part> parts =
      parts_of(once_each, options.machine, guests, *tally.book, options.guided > 0);
  if (options.resume) resume(parts, once_each, folder, options.machine.target);
  // Not before: a run that cannot begin leaves the earlier one's report as it is.
  const EarlierReports earlier(options.resume ? "" : options.out);
  std::once_flag once;
  const std::function<void()> begin = [&] { std::call_once(once, [&] { earlier.remove(); }); };
  RunFacts facts;
  {
    Progress progress(parts.size());
    facts = run_parts({options, expectations, folder, progress, begin, watch, parts.size()}, parts);
    if (parts.size() > 1) facts.place += fmt::format(", {} guests", parts.size());
    const Common common{options, expectations, folder, progress, begin, watch};
    if (!races.empty() && facts.error.empty() && !facts.cut_short) run_races(common, races, facts);
  }
  try {
    if (options.guided > 0 && facts.error.empty()) facts.kept = corpus_of(options, plan, parts);
    if (!facts.kept.empty() && !options.out.empty()) write_corpus(facts.kept, folder);
  } catch (const model::ToolError& error) {
    facts.error = error.what();
  }
  std::move(races.begin(), races.end(), std::back_inserter(parts));
  const auto begun_with = property_tests::print_begun_with(once_each, options.machine.target);
  join_parts(options, plan, begun_with, folder, parts, tally, facts);
  return facts;
}

/// Cases of the plan's shard that no worker spoke of.
std::vector<std::string> missing_cases(const property_tests::Plan& plan, const Tally& tally) {
  std::set<std::string> seen;
  for (const auto& outcome : tally.outcomes) seen.insert(outcome.name);
  std::vector<std::string> missing;
  for (auto i = plan.next_selected(0); i < plan.cases(); i = plan.next_selected(i + 1))
    if (seen.count(plan.case_name(i)) == 0) missing.push_back(plan.case_name(i));
  return missing;
}

/// Makes the calls of unexpected findings once more, in cases of their own; those that do not come
/// again are flaky. Whether there was anything to make.
bool rerun_unexpected(const SessionOptions& asked, const Expectations& expectations,
                      const property_tests::Plan& plan, const Folder& folder,
                      const TestEnvironment& environment, Tally& tally) {
  constexpr std::size_t kMost = 50;
  property_tests::Plan again = plan;
  again.scenarios = scenarios_of_unexpected(tally);
  if (again.scenarios.empty()) return false;
  if (again.scenarios.size() > kMost) again.scenarios.resize(kMost);
  again.series.clear();
  again.steps = 0;
  again.shards = 1;
  again.shard = 0;
  SessionOptions options = asked;
  options.out.clear();
  options.seconds = 0;
  options.resume = false;
  options.fail_fast = false;
  options.guided = 0;
  std::vector<Part> parts = parts_of(again, options.machine, 1, *tally.book);
  Progress progress(1);
  const std::function<void()> nothing = [] {};
  const Common common{options, expectations, folder, progress, nothing, nullptr};
  if (!PartRun(common, environment, parts.front()).go().error.empty()) return false;
  Tally& second = parts.front().tally;
  mark_expected(expectations, second);
  mark_flaky(tally, second);
  return true;
}

/// What is done about unexpected findings once the run is over, in a fresh environment.
void follow_up(const SessionOptions& options, const property_tests::Plan& plan,
               const Expectations& expectations, Tally& tally) {
  const bool rerun = options.rerun && !options.fail_fast;
  if (!tally.has_unexpected() || (!rerun && !options.look_closer)) return;
  const Folder folder("");
  const TestEnvironment environment(folder, options.machine);
  if (rerun && rerun_unexpected(options, expectations, plan, folder, environment, tally))
    mark_expected(expectations, tally);
  if (options.look_closer) options.look_closer(tally, environment);
}

}  // namespace

void stop_on_signals() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

RunFacts run_session(const SessionOptions& options, const property_tests::Plan& asked, Tally& tally,
                     const Supervisor::Watch& watch) {
  property_tests::Plan plan = asked;
  Expectations expectations;
  if (!options.expectations.empty()) expectations = load_expectations(options.expectations);
  const Pin pin = options.pin.empty() ? Pin() : load_pin(options.pin);
  avoid_expected(expectations, plan.walk, options.machine.loses_packets());
  const auto skipped = skip(expectations, plan);
  const Folder folder(options.out);
  const FolderHold hold(options.out);
  if (!options.resume) check_is_free(options.out);
  RunFacts facts = run_plan(options, expectations, plan, folder, tally, watch);
  if (tally.knows_device()) {
    property_tests::fit_series(plan, tally.can);
    facts.lacking = property_tests::lacking_of_series(plan, tally.can);
  }
  if (facts.error.empty() && facts.cut_short && g_interrupted.load())
    facts.error =
        fmt::format("interrupted after {} of {} cases{}", tally.cases, facts.planned(plan),
                    options.out.empty() || !options.journal ? "" : "; --resume goes on");
  if (plan.shard == 0) tally.outcomes.insert(tally.outcomes.end(), skipped.begin(), skipped.end());
  mark_expected(expectations, tally);
  if (facts.error.empty()) follow_up(options, plan, expectations, tally);
  if (facts.error.empty() && !facts.cut_short) facts.missing = missing_cases(plan, tally);
  facts.all_expected = options.all_expected && facts.error.empty() && !facts.cut_short;
  if (facts.all_expected) facts.unmatched = unmatched(expectations, tally, facts.races > 0);
  if (!options.pin.empty() && tally.knows_device())
    facts.drift = drift(pin, fingerprint_of(report_json(plan, tally, facts)));
  const bool told = tally.steps > 0 || facts.error.empty();
  if (!options.out.empty() && options.reports && told) write_reports(folder, plan, tally, facts);
  return facts;
}

void write_reports(const Folder& folder, const property_tests::Plan& plan, const Tally& tally,
                   RunFacts& facts) {
  const std::array<std::function<std::string()>, kReportFiles.size()> texts{
      [&] { return report_json(plan, tally, facts); },
      [&] { return report_junit(tally, facts); },
      [&] { return report_ktap(tally, facts); },
      [&] { return report_markdown(plan, tally, facts); },
      [&] { return report_sarif(tally); },
      [&] { return report_html(plan, tally, facts); }};
  for (std::size_t i = 0; i < texts.size(); ++i) try {
      model::write_whole_file(folder.file(std::string(kReportFiles[i])), texts[i]());
    } catch (const std::exception& error) {
      // The others are written all the same; the first trouble is the one to tell of.
      if (facts.error.empty()) facts.error = error.what();
    }
}

int exit_code_of(const Tally& tally, const RunFacts& facts, int nothing_tested) {
  if (!facts.error.empty()) return kExitError;
  if (tally.has_unexpected() || !facts.missing.empty() || !facts.unmatched.empty() ||
      !facts.drift.empty())
    return kExitDeviation;
  // A device that refuses everything must not look conforming.
  const bool tested = tally.count(model::Verdict::conforms) > 0;
  return tested ? kExitExpected : nothing_tested;
}

}  // namespace mrproof::conformance
