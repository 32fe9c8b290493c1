#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/trial_options.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/session/shrink_session.hpp"
#include "model/trace/trace_dialect.hpp"
#include "model/trace/trace_scanner.hpp"
#include "model/trace/write_file.hpp"

namespace mrproof::conformance {
namespace {

struct ShrinkOptions : TrialOptions {
  std::string out;
};

/// How often a trace has to show its deviation in a row to count as repeating.
constexpr int kRepeats = 3;

void show_progress(const property_tests::ShrinkProgress& progress) {
  fmt::print(stderr, "\r{} candidates tried, {} steps left \033[K", progress.tried, progress.steps);
  std::fflush(stderr);
}

/// In how many of so many tries the trace shows it.
int times_shown(property_tests::Trials& trials, const model::Trace& trace,
                const model::Annotation& wanted, int tries) {
  int shown = 0;
  const std::vector<model::Trace> one{trace};
  for (int i = 0; i < tries; ++i) shown += trials.first_showing(one, wanted) ? 1 : 0;
  return shown;
}

/// Writes the trace. It has cost a search: where it cannot be written it is shown elsewhere.
void write(const std::string& file, const std::string& trace) {
  if (file.empty()) {
    std::fputs(trace.c_str(), stdout);
    if (std::fflush(stdout) != 0) fmt::print(stderr, "{}", trace);
    return;
  }
  try {
    model::write_whole_file(file, trace);
  } catch (const model::ToolError&) {
    fmt::print("{}", trace);
    throw;
  }
}

int no_repeat(property_tests::Trials& trials, const std::string& file, const model::Trace& trace,
              const model::Annotation& wanted) {
  const int shown = times_shown(trials, trace, wanted, kRepeats - 1);
  fmt::print(stderr, "mrproof: {}: '{}' was shown in {} of {} tries: {}; not shrunk\n", file,
             model::print_annotation(wanted), shown, kRepeats,
             shown == 0 ? "the device does not deviate so" : "it does not repeat");
  return kExitNothingTested;
}

int run(ShrinkOptions options, const CLI::App& command) {
  const std::string& file = options.plan.trace_file;
  if (!options.out.empty()) model::check_writable(options.out);
  const std::string text = model::read_text(file);
  const model::Trace trace = model::parse_trace(text, file);
  options.plan.dialect = model::book_of(trace, options.plan.dialect, file).dialect();
  take_guest(command, trace, options.session.machine);
  options.plan.rounds = trace.rounds;
  SupervisedTrials trials(options.session, options.plan);
  stop_on_signals();
  const model::Annotation* told = property_tests::last_told_by(trace);
  const auto wanted = told == nullptr ? trials.first_trouble(text) : *told;
  if (!wanted) {
    fmt::print(stderr, "mrproof: {}: nothing in it deviates on this device; not shrunk\n", file);
    return kExitNothingTested;
  }
  const bool terminal = isatty(STDERR_FILENO) != 0;
  ShrinkSession session{!options.session.machine.target.empty(), options.session.seconds, {}};
  if (terminal) session.progress = show_progress;
  const auto outcome = shrink_on(trials, trace, *wanted, session);
  const auto& [shrunk, result, left_out, cut_short, seconds] = outcome;
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (!shrunk) return no_repeat(trials, file, trace, *wanted);
  write(options.out, model::print_trace(result));
  fmt::print(stderr, "{}: {} steps of {}, after {} candidates, in {:.1f} s\n",
             model::print_annotation(*wanted), result.steps.size(), trace.steps.size(),
             shrunk->tried, seconds);
  if (!cut_short.empty()) {
    fmt::print(stderr, "mrproof: {}: it may be shrunk further\n", cut_short);
    return kExitError;
  }
  fmt::print(stderr, "{}\n", bound_text(outcome));
  trials.be_patient();
  const int shown = times_shown(trials, result, *wanted, kRepeats - 1);
  if (shown == kRepeats - 1) return kExitExpected;
  fmt::print(stderr, "mrproof: the shrunk trace does not repeat: shown in {} of {} more tries\n",
             shown, kRepeats - 1);
  return kExitNothingTested;
}

}  // namespace

void add_shrink_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ShrinkOptions>();
  auto& o = *options;
  auto* command = app.add_subcommand(
      "shrink", "Find the shortest, plainest trace that shows a trace's deviation");
  add_trial_options(*command, o);
  command
      ->add_option("--time", o.session.seconds,
                   "time limit in seconds; the shortest trace so far is written")
      ->check(kPositive);
  command
      ->add_option("--expect", o.session.expectations,
                   "file of expected deviations: calls known to crash or hang are not made")
      ->check(kNotEmpty);
  command->add_option("-o,--out", o.out, "file for the shrunk trace (default: standard output)")
      ->check(kNotEmpty);
  command->callback([options, command, &exit_code] { exit_code = run(*options, *command); });
}

}  // namespace mrproof::conformance
