#include "conformance/session/guided.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <set>
#include <utility>

#include "model/trace/write_file.hpp"
#include "property-tests/guide/guide.hpp"
#include "property-tests/shrink/shrink_form.hpp"

namespace mrproof::conformance {
namespace {

using property_tests::Plan;
using property_tests::Scenario;

/// Of a search for the shortest form of a case: each takes a fresh guest, some tenths of a second.
constexpr int kMostTrials = 120;

/// The plan of one case.
Plan plan_of(const Plan& like, Scenario scenario) {
  Plan one = like;
  one.scenarios = {std::move(scenario)};
  one.series.clear();
  one.steps = one.shard = 0;
  one.shards = 1;
  one.more_to_come = true;
  return one;
}

/// The plan's own cases, but for those that kill.
std::vector<model::Trace> given_traces(const Plan& plan) {
  std::vector<model::Trace> traces;
  for (const auto& scenario : plan.scenarios)
    if (!scenario.deliberate && !scenario.finding)
      traces.push_back(model::parse_trace(scenario.text, scenario.name));
  return traces;
}

/// What is known well enough is left out of later cases, as in a run of one request.
class Known {
 public:
  void learn(const Tally& tally, std::vector<model::DeviationName>& known) {
    constexpr std::uint64_t kEnough = 3;
    for (const auto& finding : tally.findings)
      if (finding.count >= kEnough) add(finding.name, known);
    for (; incidents_ < tally.incidents.size(); ++incidents_)
      if (const auto& name = tally.incidents[incidents_].name; name && !name->broken.is_dash())
        add(property_tests::known_trouble(*name), known);
  }

 private:
  void add(const model::DeviationName& name, std::vector<model::DeviationName>& known) {
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  std::size_t incidents_ = 0;
};

/// Whether requests may be made that nobody answers: each takes seconds of the guest's time, in
/// which thousands of others are made, and a few reach all that any of them does.
bool is_patient(const Tally& tally) {
  constexpr std::uint64_t kEnough = 3;
  const auto& rules = tally.book->rules();
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (rules[i]->outcome == model::Outcome::retry_exc_err) seen += tally.judged[i];
  return seen < kEnough;
}

/// Tries cases in guests in which nothing else ran.
class Alone {
 public:
  Alone(const SessionOptions& options, const Plan& plan)
      : options_(options), plan_(plan), folder_(""), environment_(folder_, options.machine) {
    reached_by({});  // the first guest tells of its boot, too
  }

  /// The calls as they were seen, if they reach all of that.
  std::optional<model::Trace> reaches(const model::Trace& trace, DriverCoverage wanted) {
    environment_.host().renew();
    auto [seen, reached] = reached_by(property_tests::calls_text(trace));
    wanted.remove(reached);
    if (wanted.count() > 0) return std::nullopt;
    return seen;
  }

 private:
  std::pair<model::Trace, DriverCoverage> reached_by(const std::string& text) {
    Scenario scenario;
    scenario.name = "corpus";
    scenario.text = text;
    scenario.led = true;
    Tally tally(*model::find_rulebook(plan_.dialect));
    Journal journal("");
    Supervisor supervisor({"", 0, 0, options_.step_limit}, plan_of(plan_, scenario),
                          environment_.channel(), environment_.host(), tally, journal);
    supervisor.run();
    if (supervisor.cut_short()) throw model::ToolError("interrupted");
    return {supervisor.last_case(), environment_.host().take_reached().value()};
  }

  const SessionOptions& options_;
  const Plan& plan_;
  Folder folder_;
  TestEnvironment environment_;
};

/// The steps that name regions and windows of the last one, of those, and so on.
model::Trace slice(const model::Trace& trace) {
  auto steps = property_tests::numbered(trace).steps;
  std::set<std::pair<property_tests::ObjectKind, std::uint32_t>> wanted;
  model::Trace sliced = trace;
  sliced.steps.clear();
  for (auto at = steps.size(); at-- > 0;) {
    auto named = property_tests::mentions(steps[at]);
    std::erase_if(named, [](const auto& m) { return m.kind == property_tests::ObjectKind::pd; });
    const bool is_wanted = std::any_of(named.begin(), named.end(), [&](const auto& m) {
      return wanted.contains({m.kind, *m.number});
    });
    if (!is_wanted && at + 1 < steps.size()) continue;
    for (const auto& m : named) wanted.emplace(m.kind, *m.number);
    sliced.steps.insert(sliced.steps.begin(), trace.steps[at]);
  }
  return sliced;
}

/// Looks for a shorter case that reaches the same.
class Minimiser {
 public:
  Minimiser(KeptCase& kept, Alone& alone) : kept_(kept), alone_(alone) {}

  void run() {
    kept_.alone = reaches(kept_.trace);
    if (!kept_.alone) return;
    cut();
    reaches(slice(kept_.trace));
    for (auto size = kept_.trace.steps.size() / 2; size > 0; size /= 2) leave_out(size);
  }

 private:
  /// Whether it does; then it is the one to keep.
  bool reaches(const model::Trace& trace) {
    if (++trials_ > kMostTrials) return false;
    const auto seen = alone_.reaches(trace, kept_.first);
    if (seen) kept_.trace = *seen;
    return seen.has_value();
  }

  /// So many of the first steps as are needed, by halves.
  void cut() {
    std::size_t too_few = 0;
    while (kept_.trace.steps.size() > too_few && trials_ < kMostTrials) {
      const auto middle = too_few + (kept_.trace.steps.size() - too_few) / 2;
      model::Trace begin = kept_.trace;
      begin.steps.resize(middle);
      if (!reaches(begin)) too_few = middle + 1;
    }
  }

  /// Each so many steps in a row that are not needed.
  void leave_out(std::size_t size) {
    for (std::size_t at = 0; at + size <= kept_.trace.steps.size() && trials_ < kMostTrials;) {
      model::Trace without = kept_.trace;
      const auto from = without.steps.begin() + static_cast<std::ptrdiff_t>(at);
      without.steps.erase(from, from + static_cast<std::ptrdiff_t>(size));
      property_tests::drop_strays(without.steps);
      if (!reaches(without)) at += size;
    }
  }

  KeptCase& kept_;
  Alone& alone_;
  int trials_ = 0;
};

}  // namespace

std::vector<KeptCase> run_guided(const GuidedPart& part, const RunCase& run,
                                 DriverCoverage reached) {
  std::vector<KeptCase> kept;
  Plan plan = part.plan;
  property_tests::Guide guide(plan.seed * 0x10001ULL + part.number, plan.case_steps,
                              given_traces(plan));
  Known known;
  double taken = 0;
  for (auto number = part.number; taken < part.seconds; number += part.of) {
    known.learn(part.tally, plan.walk.known);
    plan.patient = is_patient(part.tally);
    Scenario scenario = guide.next();
    scenario.name = guided_name(number);
    const CaseRun made = run(plan_of(plan, std::move(scenario)), number);
    if (made.cut_short) break;
    taken += made.seconds;
    DriverCoverage first = made.reached.value();
    first.remove(reached);
    if (first.count() == 0) continue;
    reached.add(first);
    guide.keep(made.trace);
    kept.push_back({number, made.trace, std::move(first)});
  }
  return kept;
}

std::vector<KeptCase> join_kept(std::vector<KeptCase> all, const DriverCoverage& before) {
  std::sort(all.begin(), all.end(),
            [](const KeptCase& a, const KeptCase& b) { return a.number < b.number; });
  DriverCoverage reached = before;
  std::vector<KeptCase> kept;
  for (auto& one : all) {
    one.first.remove(reached);
    if (one.first.count() == 0) continue;
    reached.add(one.first);
    kept.push_back(std::move(one));
  }
  return kept;
}

void minimise(std::vector<KeptCase>& kept, const SessionOptions& options, const Plan& plan) {
  const auto lanes = std::min(options.guests, kept.size());
  std::atomic<std::size_t> next = 0;  // one takes minutes where another takes seconds
  const auto work = [&] {
    Alone alone(options, plan);
    for (std::size_t i = 0; (i = next++) < kept.size();) Minimiser(kept[i], alone).run();
  };
  std::vector<std::future<void>> others;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    others.push_back(std::async(std::launch::async, work));
  for (auto& other : others) other.get();
}

void write_corpus(const std::vector<KeptCase>& kept, const Folder& folder) {
  std::error_code ignored;
  const std::filesystem::path corpus = folder.file("corpus");
  std::filesystem::create_directory(corpus, ignored);
  for (const auto& file : std::filesystem::directory_iterator(corpus, ignored))
    if (file.path().filename().string().starts_with("guided-"))
      std::filesystem::remove(file.path(), ignored);
  for (const auto& one : kept) {
    model::Trace trace = one.trace;
    trace.comments = {" " + guided_name(one.number) + " was the first to reach, in instructions:"};
    for (const auto& line : first_reached(one)) trace.comments.push_back("   " + line);
    if (!one.alone)
      trace.comments.emplace_back(" but not on its own, in a guest in which nothing else ran");
    for (auto& step : trace.steps)
      if (!step.annotations.empty() && step.annotations.front().verdict == model::Verdict::conforms)
        step.annotations.clear();
    model::write_whole_file(folder.file(corpus_file(one)), model::print_trace(trace));
  }
}

}  // namespace mrproof::conformance
