#include <fmt/format.h>

#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/trial_options.hpp"
#include "model/trace/trace_dialect.hpp"
#include "model/trace/trace_scanner.hpp"
#include "property-tests/shrink/trials.hpp"

namespace mrproof::conformance {
namespace {

/// Whether the run met it again.
bool met(const model::Annotation& name, const Tally& tally) {
  if (name.verdict == model::Verdict::deviates && !property_tests::is_of_reset(name))
    return !tally.findings.empty() && tally.findings.front().name == name;
  return !tally.incidents.empty() && tally.incidents.front().is(name);
}

void print_step(const model::Step& step) {
  fmt::print("{} -> {}\n", model::print_call(step), model::print_result(step));
  for (const auto& a : step.annotations)
    if (a.verdict != model::Verdict::conforms) fmt::print("! {}\n", model::print_annotation(a));
  for (const auto& remark : step.remarks) fmt::print("!   {}\n", remark);
}

/// Prints the steps of the last round.
class LastRound {
 public:
  explicit LastRound(std::uint32_t rounds) : rounds_(rounds) {}
  void add(const model::Step& step, const Record& record) {
    if (rounds_ == 1) return print_step(step);
    if (record.index == 0) ++round_, steps_.clear();
    steps_.push_back(step);
  }
  void print() const {
    if (round_ > 0) fmt::print("round {} of {}:\n", round_, rounds_);
    for (const auto& step : steps_) print_step(step);
  }

 private:
  std::uint32_t rounds_, round_ = 0;
  std::vector<model::Step> steps_;
};

int replay(TrialOptions options, const CLI::App& command) {
  const std::string text = model::read_text(options.plan.trace_file);
  const model::Trace trace = model::parse_trace(text, options.plan.trace_file);
  options.plan.traces = {
      model::without_comments(text)};  // each step in its line, which errors name
  const auto& book = model::book_of(trace, options.plan.dialect, options.plan.trace_file);
  options.plan.dialect = book.dialect();
  take_guest(command, trace, options.session.machine);
  const model::Annotation* name = property_tests::told_by(trace);
  options.plan.rounds = trace.rounds;
  if (name != nullptr && (trace.rounds > 1 || model::is_of_kept_memory(*name)))
    options.plan.until = *name;
  Tally tally(book);
  LastRound shown(trace.rounds);
  const auto watch = [&](const model::Step& step, const Record& record) {
    shown.add(step, record);
  };
  const RunFacts facts = run_session(options.session, options.plan, tally, watch);
  shown.print();
  for (const auto& i : tally.incidents)
    fmt::print("{} at step {}: {}\n", model::kVerdictNames.at(static_cast<std::size_t>(i.verdict)),
               i.step + 1, i.text);
  if (!facts.error.empty()) fmt::print(stderr, "mrproof: {}\n", facts.error);
  const int code = exit_code_of(tally, facts, kExitNothingTested);
  if (name != nullptr && facts.error.empty()) {
    fmt::print("{}: {}\n", met(*name, tally) ? "reproduced" : "not reproduced",
               model::print_annotation(*name));
  }
  return code;
}

}  // namespace

void add_replay_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TrialOptions>();
  auto* command = app.add_subcommand("replay", "Make a trace's calls on a device and judge them");
  add_trial_options(*command, *options);
  command->callback([options, command, &exit_code] { exit_code = replay(*options, *command); });
}

}  // namespace mrproof::conformance
