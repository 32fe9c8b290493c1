#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/shrink_findings.hpp"
#include "conformance/commands/trial_options.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/run/scenario_files.hpp"
#include "conformance/session/session.hpp"
#include "property-tests/series/series.hpp"
#include "specs/explore/scope.hpp"

namespace mrproof::conformance {
namespace {

/// A century of them; more would not fit where steps are counted.
constexpr std::uint64_t kMostSteps = 1'000'000'000'000'000;
/// Shells say by larger ones that a program was not started, or was killed; 0 would be a success.
constexpr std::uint64_t kMostExitCode = 125;

struct RunOptions {
  property_tests::Plan plan;
  std::vector<std::string> scenarios;
  std::vector<std::string> tours;
  bool array = false;
  std::string shard;
  bool quick = false;
  bool full = false;
  SessionOptions session;
  bool no_journal = false;
  bool shrink = false;
  double shrink_seconds = 300;
  int nothing_tested = kExitNothingTested;
  std::uint64_t times = 1;
};

/// Whether some object was made at all: without one nothing of interest was tested.
bool something_worked(const Tally& tally) {
  const auto* rule = tally.book->find("reg_mr.ok");
  return rule != nullptr && tally.judged.at(tally.book->index(*rule)) > 0;
}

/// "2/4": the second of four. Without the option GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX count.
void set_shard(const std::string& asked, property_tests::Plan& plan) {
  const char* total = std::getenv("GTEST_TOTAL_SHARDS");
  const char* index = std::getenv("GTEST_SHARD_INDEX");
  std::uint64_t number = 1;
  std::uint64_t of = 1;
  char slash = '/';
  if (!asked.empty()) {
    std::istringstream in(asked);
    const bool negative = asked.find('-') != std::string::npos;  // it would wrap around
    if (negative || !(in >> number >> slash >> of) || slash != '/' || !in.eof()) number = 0;
  } else if (total != nullptr && index != nullptr) {
    std::istringstream in(std::string(index) + " " + total);
    in >> number >> of;
    ++number;
  }
  if (number < 1 || number > of)
    throw model::ToolError("the shard is to be I/N, with I from 1 to N (--shard 2/4)");
  plan.shard = number - 1;
  plan.shards = of;
}

/// What --quick and --full mean; options given beside them win.
void set_size(const RunOptions& options, const CLI::App& command, property_tests::Plan& plan) {
  if (command.count("--steps") == 0 && (options.quick || options.full))
    plan.steps = options.quick ? 6000 : 120000;
  // Guided cases come instead of walks, and make themselves some of the requests that take long.
  const bool guided = options.session.guided > 0;
  plan.patient = !options.quick && (options.full || !guided);
  if (guided && command.count("--steps") == 0) plan.steps = 0;
}

/// Runs the plan again and again. Throws ToolError where a journal differs from the first one.
void repeat(const RunOptions& options) {
  for (std::uint64_t time = 2; time <= options.times; ++time) {
    const Folder folder("");
    SessionOptions again = options.session;
    again.out = folder.file("report");
    again.rerun = again.reports = again.resume = false;
    again.look_closer = {};
    Tally tally(*model::find_rulebook(options.plan.dialect));
    const RunFacts facts = run_session(again, options.plan, tally, nullptr);
    if (!facts.error.empty()) throw model::ToolError(facts.error);
    const auto text = [](const std::string& out) { return std::ifstream(out + "/journal.jsonl"); };
    std::ifstream first = text(options.session.out), other = text(again.out);
    std::string one, two;
    for (int line = 1; first && other; ++line) {
      one.clear(), two.clear();
      std::getline(first, one), std::getline(other, two);
      if (one != two)
        throw model::ToolError(fmt::format(
            "{}/journal.jsonl:{}: run {} of the plan was not the same: {} instead of {}",
            options.session.out, line, time, two.empty() ? "nothing" : two, one));
    }
  }
  if (options.times > 1) fmt::print("{} runs, byte for byte the same\n", options.times);
}

/// What a run of that size makes besides walks, unless the options name other things.
void add_installed(RunOptions& options) {
  const auto installed = find_installed();
  const bool named = !options.scenarios.empty();
  if (!named) options.scenarios = installed.scenarios;
  if (!options.full || named || options.scenarios.empty()) return;
  options.scenarios.insert(options.scenarios.end(), installed.large.begin(),
                           installed.large.end());
  options.array = true;
  if (options.tours.empty()) options.tours = installed.tours;
}

int run(RunOptions options) {
  options.session.machine.driver_coverage |= options.session.guided > 0;
  if (options.quick || options.full) add_installed(options);
  options.plan.scenarios = load_scenarios(options.scenarios, options.plan.dialect);
  for (const auto& file : options.tours) {
    auto series = property_tests::plan_tours(file);
    if (specs::parse_scope(series.scope, file).dialect == options.plan.dialect)
      options.plan.series.push_back(std::move(series));
  }
  if (options.array) options.plan.series.push_back(property_tests::plan_array());
  if (options.quick || options.full)
    options.plan.series.push_back(property_tests::plan_overlap(options.session.machine.wire));
  // A known killer costs a boot each time: the traces that show it are for long runs.
  const bool is_long = options.full || options.session.guided > 0;
  for (auto& scenario : options.plan.scenarios) scenario.deliberate &= is_long;
  set_shard(options.shard, options.plan);
  options.session.rerun = true;
  options.session.all_expected = options.full && options.plan.shards == 1;
  options.session.journal = !options.no_journal;
  if (options.session.resume && options.no_journal)
    throw model::ToolError("--resume needs the journal; leave out --no-journal");
  if (options.times > 1 && options.no_journal)
    throw model::ToolError("--repeat compares journals; leave out --no-journal");
  if (options.shrink)
    options.session.look_closer = [&](Tally& found, const TestEnvironment& environment) {
      shrink_findings(options.session, options.plan, options.shrink_seconds, found, environment);
    };
  Tally tally(*model::find_rulebook(options.plan.dialect));
  const RunFacts facts = run_session(options.session, options.plan, tally, nullptr);
  property_tests::Plan fitted = options.plan;
  if (tally.knows_device()) property_tests::fit_series(fitted, tally.can);
  if (tally.steps > 0 || facts.error.empty()) fmt::print("{}", report_text(fitted, tally, facts));
  if (!options.session.out.empty() && tally.steps > 0)
    fmt::print("\nreport: {}/report.json\n", options.session.out);
  if (!facts.error.empty()) fmt::print(stderr, "mrproof: {}\n", facts.error);
  if (facts.error.empty()) repeat(options);
  const int code = exit_code_of(tally, facts, options.nothing_tested);
  return code == kExitExpected && !something_worked(tally) ? options.nothing_tested : code;
}

/// What the walks are like.
void add_walk_options(CLI::App& command, property_tests::Plan& plan) {
  command.add_option("--seed", plan.seed, "seed of the first walk")
      ->capture_default_str()
      ->transform(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  command.add_option("--seeds", plan.seeds, "number of walks, with consecutive seeds")
      ->capture_default_str()
      ->check(CLI::Range(1U, 1000000U));
  command.add_option("--steps", plan.steps, "steps of all walks together")
      ->capture_default_str()
      ->transform(whole_number(1, kMostSteps));
  auto* case_steps = command.add_option("--case-steps", plan.case_steps, "steps of one case")
                         ->capture_default_str()
                         ->check(CLI::Range(1U, 100000U));
  command
      .add_option_function<std::uint32_t>(
          "--objects",
          [&plan, case_steps](std::uint32_t objects) {
            plan.walk.objects = objects;
            if (case_steps->count() == 0)
              plan.case_steps = std::max<std::uint64_t>(plan.case_steps, 4 * objects);
          },
          "regions that a case of a walk grows to, with windows and PDs; a case has four times as "
          "many steps")
      ->check(CLI::Range(1U, 25000U));
  command
      .add_option("--wrong", plan.walk.wrong_percent,
                  "percentage of work requests that are wrong on purpose")
      ->capture_default_str()
      ->check(CLI::Range(0U, 100U));
}

/// Which guests run the cases, and how often.
void add_guest_options(CLI::App& command, RunOptions& o) {
  auto* leaks = command.add_option(
      "--leak-rounds", o.plan.leak_rounds,
      "make the calls of each scenario N times more, and again, and tell what memory the kernel "
      "keeps of each round; in an emulated virtual machine, where nobody else allocates");
  leaks->check(CLI::Range(10U, 100000U));
  leaks->needs(command.get_option("--target"));
  command.add_flag("--fresh", o.session.fresh, "run each case in a virtual machine of its own");
  command
      .add_option("--guests", o.session.guests,
                  "emulated virtual machines that share the cases; with another number they may do "
                  "other things, as with another seed")
      ->capture_default_str()
      ->check(CLI::Range(1U, 64U));
  command
      .add_option("--repeat", o.times,
                  "run the plan N times; a journal that differs from the first is an error")
      ->transform(whole_number(1, kMostSteps));
}

/// What is expected, and what becomes of the rest.
void add_unexpected_options(CLI::App& command, RunOptions& o) {
  command
      .add_option("--expect", o.session.expectations,
                  "file of expected deviations (ci/expectations/)")
      ->check(kNotEmpty);
  command
      .add_option("--pin", o.session.pin,
                  "file of choices, by mrproof fingerprint: what the provider chooses otherwise "
                  "where it is free to fails the run")
      ->check(kNotEmpty);
  auto* fail_fast = command.add_flag("--fail-fast", o.session.fail_fast,
                                     "end the run at the first unexpected finding");
  command
      .add_flag("--shrink", o.shrink,
                "after the run, shrink the traces of unexpected findings on the device, and "
                "write a complete bug report for each")
      ->excludes(fail_fast);
  command
      .add_option("--shrink-time", o.shrink_seconds,
                  "time limit for shrinking one finding, in seconds")
      ->capture_default_str()
      ->check(kPositive);
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  auto& o = *options;
  o.session.out = "mrproof-report";
  o.session.guests = 2;
  auto* command = app.add_subcommand("run", "Walk a device at random and judge every step");
  add_device_options(*command, o.plan, o.session);
  command->add_option("--dialect", o.plan.dialect, "rule set: linux, linux-2006 or mlnx-exp")
      ->capture_default_str()
      ->check(CLI::IsMember({"linux", "linux-2006", "mlnx-exp"}));
  add_walk_options(*command, o.plan);
  command->add_option("--scenarios", o.scenarios,
                      "folder of traces that are cases too (may be repeated); an installed mrproof "
                      "has its own for --quick and --full");
  command->add_option("--tours", o.tours, "scope whose tours are cases too (may be repeated)");
  command->add_flag("--array", o.array,
                    "add a covering array: access, changes, operation, key, offset, PD");
  auto* quick = command->add_flag("--quick", o.quick, "a short run: 6000 steps of walks");
  command
      ->add_flag(
          "--full", o.full,
          "a long run: 120000 steps of walks, and the traces of known killers; an expectation that "
          "nothing meets fails the run")
      ->excludes(quick);
  command->add_option("--shard", o.shard, "run part I of N of the cases: I/N")->check(kNotEmpty);
  command
      ->add_option("--time", o.session.seconds,
                   "time limit of the run, in seconds by the clock of the machine that it runs in")
      ->check(kPositive);
  auto* coverage = command->add_flag(
      "--driver-coverage", o.session.machine.driver_coverage,
      "tell what was reached of the driver's machine code, in an emulated virtual machine");
  auto* guided =
      command
          ->add_option("--guided", o.session.guided,
                       "after the plan, without walks unless --steps are named, run cases for "
                       "SECONDS of each guest's time that are led by what they reach of the "
                       "driver; those that reach something new are kept in OUT/corpus")
          ->check(kPositive);
  for (auto* option : {coverage, guided}) option->needs(command->get_option("--target"));
  add_guest_options(*command, o);
  add_unexpected_options(*command, o);
  command->add_option("--out", o.session.out, "report folder")
      ->capture_default_str()
      ->check(kNotEmpty);
  command
      ->add_flag("--resume", o.session.resume,
                 "continue the run whose journal is in the report folder")
      ->excludes(coverage)
      ->excludes(guided);
  command->add_flag("--no-journal", o.no_journal, "write no journal.jsonl");
  command
      ->add_option("--skip-exit-code", o.nothing_tested, "exit code when nothing could be tested")
      ->capture_default_str()
      ->transform(whole_number(1, kMostExitCode));
  command->callback([options, command, &exit_code] {
    set_size(*options, *command, options->plan);
    exit_code = run(*options);
  });
}

}  // namespace mrproof::conformance
