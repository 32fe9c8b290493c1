#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/trial_options.hpp"
#include "conformance/shrink/shrink_session.hpp"
#include "conformance/trace/trace_dialect.hpp"

namespace mrproof {
namespace {

struct ShrinkOptions : TrialOptions {
  std::string out;
};

/// How often a trace has to show its deviation in a row to count as repeating.
constexpr int kRepeats = 3;

void show_progress(const ShrinkProgress& progress) {
  fmt::print(stderr, "\r{} candidates tried, {} steps left \033[K", progress.tried, progress.steps);
  std::fflush(stderr);
}

/// In how many of so many tries the trace shows it.
int times_shown(Trials& trials, const Trace& trace, const Annotation& wanted, int tries) {
  int shown = 0;
  const std::vector<Trace> one{trace};
  for (int i = 0; i < tries; ++i) shown += trials.first_showing(one, wanted) ? 1 : 0;
  return shown;
}

void write(const std::string& file, const Trace& trace) {
  if (file.empty()) {
    fmt::print("{}", print_trace(trace));
    return;
  }
  std::ofstream out(file);
  out << print_trace(trace);
  out.close();
  if (!out) throw ToolError(fmt::format("{}: cannot be written; choose another -o", file));
}

int no_repeat(Trials& trials, const std::string& file, const Trace& trace,
              const Annotation& wanted) {
  const int shown = times_shown(trials, trace, wanted, kRepeats - 1);
  fmt::print(stderr, "mrproof: {}: '{}' was shown in {} of {} tries: {}; not shrunk\n", file,
             print_annotation(wanted), shown, kRepeats,
             shown == 0 ? "the device does not deviate so" : "it does not repeat");
  return kExitNothingTested;
}

int run(ShrinkOptions options) {
  const std::string& file = options.plan.trace_file;
  const Trace trace = load_trace(file);
  options.plan.dialect = book_of(trace, options.plan.dialect, file).dialect();
  SupervisedTrials trials(options.session, options.plan);
  stop_on_signals();
  const Annotation* told = last_told_by(trace);
  const auto wanted = told == nullptr ? trials.first_trouble(trace) : *told;
  if (!wanted) {
    fmt::print(stderr, "mrproof: {}: nothing in it deviates on this device; not shrunk\n", file);
    return kExitNothingTested;
  }
  const bool terminal = isatty(STDERR_FILENO) != 0;
  ShrinkSession session{!options.session.target.empty(), options.session.seconds, {}};
  if (terminal) session.progress = show_progress;
  const auto outcome = shrink_on(trials, trace, *wanted, session);
  const auto& [shrunk, result, left_out, cut_short, seconds] = outcome;
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (!shrunk) return no_repeat(trials, file, trace, *wanted);
  write(options.out, result);
  fmt::print(stderr, "{}: {} steps of {}, after {} candidates, in {:.1f} s\n",
             print_annotation(*wanted), result.steps.size(), trace.steps.size(), shrunk->tried,
             seconds);
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
      "shrink", "Find the shortest and plainest trace that shows a trace's deviation");
  add_trial_options(*command, o);
  command->add_option("--time", o.session.seconds,
                      "end after so many seconds, with the shortest trace so far");
  command->add_option("--expect", o.session.expectations,
                      "file of expectations: calls known to crash or hang are not made");
  command->add_option("-o,--out", o.out, "file for the shrunk trace (default: standard output)");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace mrproof
