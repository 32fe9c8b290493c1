#include "conformance/run/worker.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "conformance/run/kept_memory.hpp"
#include "impl/by_name/open_device.hpp"
#include "impl/device_case.hpp"
#include "property-tests/series/series.hpp"
#include "property-tests/walk/peer_gone.hpp"
#include "specs/explain/explain_deviation.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

using Clock = std::chrono::steady_clock;

/// Whether the kernel is about to panic, as it does in guests after each "Oops".
bool is_dying(const std::string& kernel_warning) {
  return kernel_warning.find("Oops: ") != std::string::npos;
}

/// Everything of one worker.
class Worker {
 public:
  Worker(Channel& channel, property_tests::Plan plan, impl::Device& device)
      : channel_(channel),
        plan_(std::move(plan)),
        device_(device),
        memory_(device),
        book_(*find_rulebook(plan_.dialect)),
        can_(device.capabilities()) {
    // The simulated device knows at once that nobody answers.
    simulated_ = device.description().driver == "simulated";
    if (simulated_) plan_.walk.unanswered_permille = 20;
    if (!plan_.patient) plan_.walk.unanswered_permille = 0;
    if (plan_.lossless) can_.features = can_.features | Plain::flags(kLossless);
    property_tests::fit_series(plan_, can_);
  }

  void hello() {
    Record record;
    record.kind = RecordKind::hello;
    record.can = can_;
    record.text = print_description(device_.description());
    send(record);
  }

  void run(std::uint64_t first_case) {
    for (std::uint64_t i = plan_.next_selected(first_case);
         i < plan_.cases() && !stopped() && !shown_; i = plan_.next_selected(i + 1)) {
      const auto start = Clock::now();
      left_out_ = false;
      if (!run_undisturbed(i)) break;
      Record record;
      record.kind = RecordKind::case_end;
      record.index = i;
      record.inside_ns = reset_inside_ns_;
      record.reset_ns = reset_ns_;
      record.elapsed_ns = nanoseconds_since(start);
      record.left_out = left_out_;
      record.skip_reason = std::exchange(skip_reason_, "");
      send(record);
      constexpr std::size_t kMany = 32;
      const bool last = plan_.is_replay() || !plan_.is_scenario(plan_.next_selected(i + 1)) ||
                        plan_.leak_rounds == 0;
      if (went_well_.size() >= kMany || (last && !went_well_.empty())) look_for_kept_memory();
    }
    // What the last case has made goes with it, unless all that was looked for is shown.
    if (!stopped() && !shown_) {
      device_.reset(setup_);
      tell_of_reset();
    }
    send({});
  }

 private:
  /// Whether it is to end: it was told so, or its time is over.
  [[nodiscard]] bool stopped() const {
    auto& header = channel_.header();
    const std::uint64_t limit = header.time_limit.load();
    if (limit != 0 && nanoseconds_since(begun_) / 1'000'000 >= limit) header.stop.store(1);
    return header.stop.load() != 0;
  }

  void send(const Record& record) {
    if (quiet_ && record.kind != RecordKind::alive) return;
    encode(record, scratch_);
    channel_.write(scratch_);
  }

  static std::uint64_t nanoseconds_since(Clock::time_point start) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
  }

  /// How far a case is.
  struct Case {
    model::Oracle oracle;
    std::uint64_t made = 0;  ///< steps
    bool goes_on = true;     ///< no step of it has ended it
  };

  /// How far a trace's calls are made.
  struct Reach {
    bool while_allowed = false;  ///< up to one that may not be made, instead of giving up there
    bool while_safe = false;     ///< up to one that is known to kill
    bool past_it = false;        ///< only such a call is left out, and not what comes after it;
                                 ///< likewise one that nobody answers, if that takes time
    /// What is called instead of a re-registration that may not be made, or of the rest behind one
    /// that is not supported.
    std::vector<model::Step> instead = {};
  };

  void begin_case(std::uint64_t index, const model::Setup& setup) {
    Record record;
    record.kind = RecordKind::case_begin;
    record.index = index;
    record.setup = setup;
    send(record);
    const auto start = Clock::now();
    reset_inside_ns_ = device_.reset(setup);
    reset_ns_ = nanoseconds_since(start);
    setup_ = setup;
    tell_of_reset();
  }

  /// `of`: the case it is about, from 1; 0: the one before the last reset.
  void tell(const model::DeviationName& name, Verdict verdict, const std::string& text,
            std::uint64_t of = 0) {
    Record record;
    record.kind = RecordKind::complaint;
    record.index = of;
    record.step.annotations = {{name, verdict}};
    record.text = text;
    send(record);
    shown_ |= is_shown_by(record.step.annotations.front());
  }

  /// What the kernel complained of while it destroyed what a case left, and what is left even so.
  void tell_of_reset() {
    const std::string warnings = device_.late_warnings();
    if (!warnings.empty()) tell(property_tests::reset_trouble(), Verdict::kernel_warning, warnings);
    const auto [before, after, process] = device_.left();
    const auto left = model::left_behind(before, after);
    if (left.empty()) return;
    const auto name = property_tests::reset_leaves(left);
    constexpr int kOften = 3;  // what many cases leave is told of some
    if (plan_.until || ++times_[model::print_name(name)] <= kOften)
      tell(name, Verdict::deviates,
           fmt::format("all was destroyed, and more is left than there was before{}: {}",
                       process == 0 ? "" : ", of the other process, or the peer",
                       model::print_left(before, after)));
  }

  [[nodiscard]] bool is_shown_by(const model::Annotation& seen) const {
    return plan_.until && seen == *plan_.until;
  }

  /// A trace that was made, and nothing ended it.
  struct Made {
    std::uint64_t index;  ///< of the case
    model::Trace trace;
    Reach reach;
    std::uint64_t leak_rounds;
  };

  /// How often the case is made again to see what the kernel keeps of it; 0: it is not looked for.
  [[nodiscard]] std::uint64_t leak_rounds(std::uint64_t index) const {
    if (plan_.leak_rounds != 0) return plan_.leak_rounds;
    if (plan_.until) return model::is_of_kept_memory(*plan_.until) ? kOfTrial : 0;
    return plan_.is_scenario(index) && plan_.scenarios[index].keeps_memory ? kOfTrial : 0;
  }
  static constexpr std::uint64_t kOfTrial = 50;

  /// Tells of the traces of which the kernel keeps memory. First all are made in turn, since what
  /// it frees has to be waited for; one by one only if something is kept of them.
  void look_for_kept_memory() {
    const std::vector<Made> all = std::exchange(went_well_, {});
    const auto kept_of_all = kept_of(all);
    if (kept_of_all && kept_of_all->empty()) return;
    for (const Made& one : all) {
      const auto kept_of_one = all.size() == 1 ? kept_of_all : kept_of({&one, 1});
      if (!kept_of_one || kept_of_one->empty()) continue;
      model::Holdings before, after;
      before.of(model::Held::memory) = 0;
      after.of(model::Held::memory) = bytes_of(*kept_of_one);
      tell(property_tests::reset_leaves(model::left_behind(before, after)), Verdict::deviates,
           fmt::format("{} ({})", model::print_left(before, after), print_kept(*kept_of_one)),
           one.index + 1);
    }
  }

  /// What is kept of each round, in three stretches of them; the first rounds do not count, since
  /// what is made once stays. Nothing if that cannot be told.
  std::optional<std::vector<KeptMemory>> kept_of(std::span<const Made> traces) {
    const std::uint64_t rounds = traces.front().leak_rounds;
    const auto count = [this] {
      sign_of_life();
      return device_.kernel_caches();
    };
    if (!make_rounds(traces, rounds / 4 + 1)) return std::nullopt;
    const impl::KernelCaches first = count();
    if (first.empty() || !make_rounds(traces, rounds)) return std::nullopt;
    const impl::KernelCaches second = count();
    auto kept = kept_each_round(first, second, rounds);
    if (kept.empty()) return kept;
    const impl::KernelCaches third = count();
    if (!make_rounds(traces, rounds)) return std::nullopt;
    const impl::KernelCaches fourth = count();
    // What grows while nothing is done grows by itself.
    kept = less(in_both(kept, kept_each_round(third, fourth, rounds)),
                kept_each_round(second, third, 1));
    if (kept.empty()) return kept;
    // Of four times as many rounds it is four times as much, or it is not of the rounds.
    if (!make_rounds(traces, 4 * rounds)) return std::nullopt;
    return in_both(kept, kept_each_round(fourth, count(), 4 * rounds));
  }

  void sign_of_life() {
    Record record;
    record.kind = RecordKind::alive;
    send(record);
  }

  /// Makes the traces' calls again and again, and tells nobody; false if something went wrong.
  bool make_rounds(std::span<const Made> traces, std::uint64_t rounds) {
    bool well = true;
    quiet_ = true;
    for (std::uint64_t i = 0; i < rounds; ++i)
      for (const Made& made : traces) {
        device_.reset(made.trace.setup);
        Case one{model::Oracle(book_, made.trace.setup, can_)};
        well = well && replay(one, made.trace, made.reach) && one.goes_on && disturbance_.empty();
        if (!well) break;
        sign_of_life();
      }
    quiet_ = false;
    disturbance_.clear();
    device_.reset(setup_);
    return well;
  }

  /// Runs the case, and again if something came between that is not the device's answer; after some
  /// attempts it counts as skipped. Whether it is over; else the run was stopped in it.
  bool run_undisturbed(std::uint64_t index) {
    constexpr int kAttempts = 5;
    for (int attempt = 1; run_case(index); ++attempt) {
      if (disturbance_.empty()) return true;
      Record record;
      record.kind = RecordKind::disturbed;
      record.index = index;
      const bool again = attempt < kAttempts;
      record.text = disturbance_ + (again ? "; the case is repeated" : "; the case is given up");
      send(record);
      const std::string why = std::exchange(disturbance_, "");
      if (again) continue;
      skip_reason_ = fmt::format("given up after {} attempts: {}", kAttempts, why);
      return true;
    }
    return false;
  }

  /// Whether the case is over; else the run was stopped in it.
  bool run_case(std::uint64_t index) {
    const bool finding =
        plan_.is_replay() || (plan_.is_scenario(index) && plan_.scenarios.at(index).finding);
    device_.read_after_connect(plan_.read_after_connect && !finding);
    if (plan_.is_replay())
      return replay(
          index, model::parse_trace(plan_.traces.at(index % plan_.traces.size()), plan_.trace_file),
          {});
    if (const auto in = plan_.in_series(index)) return run_in_series(index, *in);
    if (!plan_.is_scenario(index)) return walk(index);
    const auto& scenario = plan_.scenarios.at(index);
    if (scenario.led) return walk_on(index, scenario);
    return replay(index, model::parse_trace(scenario.text, scenario.name),
                  {true, !scenario.deliberate, false});
  }

  bool run_in_series(std::uint64_t index, const property_tests::Plan::InSeries& in) {
    if (traces_ == nullptr || in_series_ != in.series)
      traces_ = std::make_unique<property_tests::SeriesTraces>(plan_.series.at(in.series), can_);
    in_series_ = in.series;
    const model::Trace trace = traces_->trace(in.number);
    skip_reason_ = property_tests::lacking(trace, can_);
    if (skip_reason_.empty())
      return replay(index, trace, {true, true, true, traces_->without_re_registration(in.number)});
    begin_case(index, trace.setup);
    return true;
  }

  bool walk(std::uint64_t index) {
    Case one = begin(index, model::standard_setup(device_.processes()));
    return walk(one, {plan_.case_seed(index), plan_.walk, &known_}, plan_.case_length(index));
  }

  /// Its calls as far as they may be made, and a walk from there.
  bool walk_on(std::uint64_t index, const property_tests::Scenario& scenario) {
    model::Trace trace;
    trace.setup = model::standard_setup(device_.processes());
    if (!scenario.text.empty()) trace = model::parse_trace(scenario.text, scenario.name);
    Case one = begin(index, trace.setup);
    if (!replay(one, trace, {true, true, true})) return false;
    plan_.walk.wrong_percent = scenario.walk_wrong_percent;
    return !one.goes_on ||
           walk(one, {scenario.walk_seed, plan_.walk, &known_}, scenario.walk_steps);
  }

  bool replay(std::uint64_t index, const model::Trace& trace, const Reach& reach) {
    Case one = begin(index, trace.setup);
    if (!replay(one, trace, reach)) return false;
    if (const auto rounds = leak_rounds(index); one.goes_on && rounds > 0)
      went_well_.push_back({index, trace, reach, rounds});
    return true;
  }

  Case begin(std::uint64_t index, const model::Setup& wanted) {
    const model::Setup setup = impl::setup_on(device_, wanted);
    begin_case(index, setup);
    return {model::Oracle(book_, setup, can_)};
  }

  /// So many steps; false: the run was stopped in it.
  bool walk(Case& one, property_tests::Walk walk, std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps && one.goes_on; ++i) {
      if (stopped()) return false;
      one.goes_on = perform(one.made++, walk.next_call(one.oracle), one.oracle);
    }
    return true;
  }

  /// The trace's calls; false: the run was stopped in it.
  bool replay(Case& one, const model::Trace& trace, const Reach& reach) {
    auto& oracle = one.oracle;
    auto next = trace.steps.begin();
    for (auto end = trace.steps.end(); next != end;) {
      const model::Step& planned = *next++;
      if (stopped()) return false;
      model::PlannedCall step = planned;
      oracle.resolve(step);
      const auto* precondition = oracle.forbids(step);
      const bool forbidden = precondition != nullptr && (reach.while_allowed || plan_.until);
      const bool patient = plan_.patient && (simulated_ || !reach.past_it);
      const bool left_out = (reach.while_safe || plan_.until) && !forbidden &&
                            is_left_out(oracle.state(), step.call, patient);
      const bool skipped = (forbidden || left_out) && reach.past_it;
      const bool re_registers = step.call.verb == Verb::rereg_mr && !reach.instead.empty();
      if (skipped && re_registers) next = reach.instead.begin(), end = reach.instead.end();
      if (skipped) continue;
      left_out_ = left_out;
      if (forbidden || left_out) return true;
      if (precondition != nullptr)
        throw model::ToolError(
            fmt::format("{}:{}: this call may not be made here, since it does not hold "
                        "that {}; mend the trace",
                        plan_.trace_file, planned.line, precondition->sentence));
      one.goes_on = perform(one.made++, step, oracle);
      if (!one.goes_on) break;
      if (re_registers && record_.verdict == Verdict::unsupported)
        next = reach.instead.begin(), end = reach.instead.end();
    }
    return true;
  }

  /// Whether the call is known to kill, or nobody would answer it and there is no time for that.
  [[nodiscard]] bool is_left_out(const State<Plain>& state, const Call<Plain>& call,
                                 bool patient) const {
    const PlainView view{state, call, {}};
    return (!patient && property_tests::peer_gone(view)) ||
           property_tests::is_known_trouble(plan_.walk.known, book_, view);
  }

  /// Makes and judges one step; whether the case can go on. The step is the record's own, so that
  /// it is not copied, and what it has allocated serves the next one.
  bool perform(std::uint64_t index, const model::PlannedCall& planned, model::Oracle& oracle) {
    model::Step& step = record_.step;
    begin_step(index, planned);
    const auto start = Clock::now();
    impl::Observation seen = device_.perform(step.call);
    impl::record(step, seen);
    // The panic is to come while this call is the last one told of.
    if (is_dying(seen.kernel_warning)) std::this_thread::sleep_for(std::chrono::seconds(1));
    if (!seen.disturbance.empty()) {
      disturbance_ = std::move(seen.disturbance);
      device_.mark_suspect();
      return false;
    }
    std::optional<DeviationName> trouble;
    if (seen.timed_out || !seen.kernel_warning.empty())
      trouble = property_tests::trouble_name(oracle, step);
    Judgement judgement = oracle.check(step, memory_);
    if (judgement.verdict == Verdict::deviates) {
      step.annotations.push_back(model::annotate(judgement, step));
      if (is_new(step.annotations.back()))
        step.remarks = specs::explain_deviation(oracle, step, judgement);
      learn(step.annotations.back());
    } else if (!seen.kernel_warning.empty() && judgement.verdict != Verdict::hang) {
      judgement.verdict = Verdict::kernel_warning;
    }
    if (judgement.verdict == Verdict::hang) add_lines(seen.kernel_warning, wake_of_hang());
    const bool troubled =
        judgement.verdict == Verdict::hang || judgement.verdict == Verdict::kernel_warning;
    if (troubled && trouble) avoid(*trouble);
    if (judgement.verdict != Verdict::deviates && needs_annotation(judgement))
      step.annotations.push_back(model::annotate(judgement, step));
    shown_ = plan_.until && (is_shown_by(step.annotations.front()) ||
                             (trouble && is_shown_by({*trouble, judgement.verdict})));
    finish(index, seen, judgement, start);
    const bool goes_on =
        !oracle.lost() && judgement.verdict != Verdict::kernel_warning && !shown_ && !seen.stray;
    if (!goes_on) device_.mark_suspect();
    return goes_on;
  }

  /// Destroys all that a call hung on: the kernel may tell by that why it did.
  std::string wake_of_hang() {
    device_.mark_suspect();
    device_.reset(setup_);
    return device_.late_warnings();
  }

  static void add_lines(std::string& text, const std::string& more) {
    if (!text.empty() && !more.empty()) text += '\n';
    text += more;
  }

  void begin_step(std::uint64_t index, const model::PlannedCall& planned) {
    model::Step& step = record_.step;
    static_cast<model::PlannedCall&>(step) = planned;
    step.result = {};
    step.observed = step.timed_out = false;
    step.bytes.clear();
    step.annotations.clear();
    step.remarks.clear();
    record_.kind = RecordKind::step_begin;
    record_.index = index;
    send(record_);
  }

  /// Whether the record's rule and verdict do not say all that is to be said.
  [[nodiscard]] bool needs_annotation(const Judgement& judgement) const {
    return plan_.until || judgement.rule == nullptr || !judgement.broken.empty();
  }

  void finish(std::uint64_t index, impl::Observation& seen, const Judgement& judgement,
              Clock::time_point start) {
    record_.kind = RecordKind::step_end;
    record_.index = index;
    record_.rule = judgement.rule == nullptr || judgement.verdict == Verdict::deviates
                       ? Record::kNoRule
                       : static_cast<std::uint16_t>(book_.index(*judgement.rule));
    record_.verdict = judgement.verdict;
    record_.inside_ns = seen.inside_ns;
    record_.rebuilt = seen.rebuilt;
    record_.process = seen.process;
    record_.kernel_warning = std::move(seen.kernel_warning);
    record_.elapsed_ns = nanoseconds_since(start);
    send(record_);
  }

  /// A hang costs the whole time limit, a complaint of the kernel often a minute: once is enough.
  void avoid(const DeviationName& trouble) {
    if (quiet_) return;
    if (trouble.broken.is_dash()) return;  // of no more than the verb: that has to be met again
    plan_.walk.known.push_back(property_tests::known_trouble(trouble));
  }

  /// Whether somebody may want to read about it: a run keeps the first of a name, a trial the one
  /// that is looked for.
  [[nodiscard]] bool is_new(const model::Annotation& a) const {
    return plan_.until ? a == *plan_.until : !times_.contains(model::print_annotation(a));
  }

  /// After the third time a deviation is known well enough; after the first where it would end a
  /// case of many objects.
  void learn(const model::Annotation& a) {
    if (quiet_) return;
    const int enough = plan_.walk.objects == 0 ? 3 : 1;
    if (++times_[model::print_annotation(a)] == enough) plan_.walk.known.push_back(a);
  }

  Channel& channel_;
  property_tests::Plan plan_;
  impl::Device& device_;
  impl::DeviceMemory memory_;
  const Rulebook& book_;
  Capabilities<Plain> can_;
  Clock::time_point begun_ = Clock::now();
  bool simulated_ = false;
  model::Setup setup_;                                ///< of this case
  std::uint64_t reset_ns_ = 0, reset_inside_ns_ = 0;  ///< of this case's reset, and calls in it
  bool left_out_ = false;        ///< the case ended before a call that is_left_out()
  bool shown_ = false;           ///< what the plan is to go on until
  bool quiet_ = false;           ///< calls are made that nobody is told of
  std::vector<Made> went_well_;  ///< that the kernel may keep memory of
  std::map<std::string, int> times_;
  property_tests::KnownDeviationIndex known_;             ///< what plan_.walk.known says
  std::unique_ptr<property_tests::SeriesTraces> traces_;  ///< of the series that was run last
  std::size_t in_series_ = 0;
  std::string skip_reason_;  ///< of this case
  std::string disturbance_;  ///< of the step that was made last; empty if none
  std::vector<std::byte> scratch_;
  Record record_;
};

void give_up(Channel& channel, const std::string& why) {
  Record record;
  record.kind = RecordKind::failure;
  record.text = why;
  std::vector<std::byte> bytes;
  encode(record, bytes);
  channel.write(bytes);
}

}  // namespace

void work_off(Channel& channel, property_tests::Plan plan, impl::Device& device,
              std::uint64_t first_case) {
  Worker worker(channel, std::move(plan), device);
  worker.hello();
  worker.run(first_case);
}

int run_worker(Channel& channel, const std::string& own_device) {
  try {
    std::unique_ptr<impl::Device> device;
    std::string opened;
    for (bool stays = true; stays;) {
      std::uint64_t first_case = 0;
      property_tests::Plan plan = property_tests::parse_request(channel.request(), first_case);
      if (plan.device.empty()) plan.device = own_device;
      stays = plan.until.has_value() || plan.more_to_come;
      const auto wanted = fmt::format("{} {} {}", plan.device, plan.dialect, plan.brisk);
      if (device == nullptr || opened != wanted) {
        device.reset();
        device = impl::open_device(plan.device, plan.dialect, plan.brisk);
        opened = wanted;
      }
      work_off(channel, std::move(plan), *device, first_case);
      if (stays) channel.wait(Wants::rest);
    }
    return 0;
  } catch (const std::exception& error) {
    give_up(channel, error.what());
    return 2;
  }
}

}  // namespace mrproof::conformance
