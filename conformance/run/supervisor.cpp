#include "conformance/run/supervisor.hpp"

#include "conformance/run/stop.hpp"
#include "model/oracle/recorded_case.hpp"
#include "property-tests/series/series.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace mrproof::conformance {

using namespace model;

namespace {

/// How often one case may be interrupted from outside before the run gives up.
constexpr int kMostInterruptions = 3;
/// So often the kernel may die of a call of which nothing is known but its verb.
constexpr int kMostDeaths = 3;

/// At least one, and no more than a thousand years.
std::uint64_t milliseconds(double seconds) {
  return static_cast<std::uint64_t>(std::clamp(seconds * 1e3, 1.0, 3e13));
}
}  // namespace

Supervisor::Supervisor(SupervisorOptions options, property_tests::Plan plan, Channel& channel,
                       Host& host, Tally& tally, Journal& journal)
    : options_(std::move(options)),
      plan_(std::move(plan)),
      channel_(channel),
      host_(host),
      tally_(tally),
      journal_(journal) {
  plan_.lossless = host.guest() && host.guest()->wire.empty();
}

void Supervisor::run() {
  next_case_ = options_.first_case;
  while (!done_ && !shown_ && plan_.next_selected(next_case_) < plan_.cases() && !cut_short_) {
    if (options_.fresh && !host_.renew())
      throw model::ToolError("--fresh is for virtual machines; name one with --target");
    try {
      start_worker();
    } catch (const Stopped&) {
      cut_short_ = true;
      break;
    }
    follow_worker();
    if (!failure_.empty()) throw model::ToolError(failure_);
  }
  journal_.flush();
}

/// The plan with its next case alone.
property_tests::Plan Supervisor::only_next() const {
  property_tests::Plan only = plan_;
  only.shard = plan_.next_selected(next_case_);
  only.shards = plan_.cases();
  return only;
}

void Supervisor::start_worker() {
  channel_.forget_records();
  channel_.set_request(
      property_tests::print_request(options_.fresh ? only_next() : plan_, next_case_));
  auto& header = channel_.header();
  header.step_limit.store(milliseconds(options_.step_limit));
  header.time_limit.store(options_.seconds > 0 ? milliseconds(options_.seconds - taken_) : 0);
  in_case_ = open_step_ = finished_ = false;
  host_.start();
}

void Supervisor::follow_worker() {
  for (;;) {
    const bool busy = drain();
    if (progress_) progress_(tally_, plan_);
    if (stop_requested()) channel_.header().stop.store(1);
    if (busy) continue;
    if (const auto ended = host_.ended()) {
      drain();
      worker_ended(*ended);
      return;
    }
    usleep(500);
  }
}

bool Supervisor::drain() {
  bool any = false;
  // In portions, so that progress and time limits are looked at while records keep coming.
  for (int i = 0; i < 4096 && channel_.read(bytes_); ++i) {
    take(decode(bytes_));
    any = true;
  }
  return any;
}

void Supervisor::take(Record&& record) {
  switch (record.kind) {
    case RecordKind::hello:
      if (const auto begin = std::exchange(begin_, nullptr)) begin();
      tally_.device = parse_description(record.text);
      tally_.can = record.can;
      property_tests::fit_series(plan_, record.can);
      journal_.hello(record);
      break;
    case RecordKind::case_begin:
      in_case_ = true;
      next_case_ = record.index;
      case_name_ = plan_.case_name(record.index);
      before_ = std::exchange(case_, {});
      case_.setup = record.setup;
      case_.can = tally_.can;
      case_.dialect = plan_.dialect;
      case_.guest = host_.guest();
      case_.rounds = static_cast<std::uint32_t>(plan_.rounds);
      tally_.begin_case(case_name_);
      record.index += options_.numbered_from;
      journal_.begin_case(case_name_, record);
      break;
    case RecordKind::step_begin:
      case_.steps.push_back(record.step);
      open_step_ = true;
      break;
    case RecordKind::step_end: end_step(std::move(record)); break;
    case RecordKind::disturbed:
      add_incident(Verdict::inconclusive, record.text);
      open_step_ = false;
      break;
    case RecordKind::complaint: add_complaint(record); break;
    case RecordKind::alive: break;
    case RecordKind::case_end:
      in_case_ = false;
      next_case_ = record.index + 1;
      tally_.add_case(record);
      record.index += options_.numbered_from;
      journal_.end_case(record);
      interruptions_ = 0;
      break;
    case RecordKind::failure: failure_ = record.text; break;
    case RecordKind::done:
      finished_ = true;
      done_ = shown_ || plan_.next_selected(next_case_) >= plan_.cases();
      break;
  }
}

void Supervisor::end_step(Record&& record) {
  model::Step& step = case_.steps.back();
  open_step_ = false;
  static_cast<model::PlannedCall&>(record.step) = step;
  step = std::move(record.step);
  step.keys_seen = true;
  if (step.annotations.empty() && record.rule != Record::kNoRule)
    step.annotations.push_back({{tally_.book->rules()[record.rule]->id, {}, {}}, record.verdict});
  journal_.step(case_name_, record, step);
  if (Finding* finding = tally_.add(record, step, case_name_)) {
    finding->trace = case_;
    finding->trace_file = write_trace(trace_name(tally_.findings.size(), finding->name), "", case_);
  }
  const Verdict verdict =
      step.annotations.empty() ? Verdict::conforms : step.annotations.front().verdict;
  if (verdict == Verdict::hang)
    add_incident(verdict,
                 "a completion did not come in its time" +
                     (record.kernel_warning.empty()
                          ? ""
                          : "; then, or when all was destroyed, the kernel complained:\n" +
                                record.kernel_warning),
                 trouble_of_last_step());
  if (verdict == Verdict::kernel_warning)
    add_incident(verdict, record.kernel_warning, trouble_of_last_step());
  if (plan_.until && !step.annotations.empty() && step.annotations.front() == *plan_.until)
    shown_ = true;
  if (watch_) watch_(step, record);
}

void Supervisor::worker_ended(const Ended& ended) {
  taken_ += static_cast<double>(channel_.header().time_taken.load()) / 1000;
  const bool stopped = channel_.header().stop.load() != 0;
  cut_short_ = stopped && !shown_ && !done_;
  if (!failure_.empty() || finished_) return;
  const std::string kernel = host_.kernel_trouble();
  if (ended.how == Ended::How::hung) {
    ++tally_.counts.at(static_cast<std::size_t>(Verdict::hang));
    add_incident(Verdict::hang,
                 fmt::format("no sign of life for {:.0f} seconds", options_.step_limit),
                 open_step_ ? trouble_of_last_step() : std::nullopt);
    next_case_ += in_case_ ? 1 : 0;
  } else if (ended.how == Ended::How::panic || ended.how == Ended::How::crashed ||
             (ended.how == Ended::How::killed && !kernel.empty())) {
    ++tally_.counts.at(static_cast<std::size_t>(Verdict::crash));
    const auto name = open_step_ ? trouble_of_last_step() : std::nullopt;
    // The next worker is to leave such calls out: each costs a boot.
    const bool of_verb = name && name->broken.is_dash();
    const bool enough = name && (!of_verb || ++deaths_[name->verb()] == kMostDeaths);
    if (enough) plan_.walk.known.push_back(property_tests::known_trouble(*name));
    std::string text = kernel.empty() ? ended.text : ended.text + "; " + kernel;
    if (enough && of_verb)
      text += fmt::format("; that is {} times: where nothing is special about {}, it is left out "
                          "from now on",
                          kMostDeaths, name->verb());
    add_incident(Verdict::crash, text, name);
    next_case_ += in_case_ ? 1 : 0;
    if (!in_case_ && ++interruptions_ >= kMostInterruptions)
      throw model::ToolError("the worker dies between cases again and again: " + ended.text);
  } else if (ended.how == Ended::How::killed || ended.how == Ended::How::lost) {
    interrupted(ended);
  } else if (!stopped) {
    failure_ = "the worker ended without a word: " + ended.text;
  }
  // After an oops the kernel is not to be trusted with another case.
  if (!kernel.empty() && ended.how != Ended::How::panic) host_.renew();
}

void Supervisor::interrupted(const Ended& ended) {
  add_incident(Verdict::inconclusive,
               fmt::format("interrupted from outside: {}; the case is repeated", ended.text));
  if (++interruptions_ >= kMostInterruptions)
    throw model::ToolError(
        fmt::format("{} was interrupted {} times: {}", case_name_, interruptions_, ended.text));
}

/// The name of trouble with the last step.
std::optional<model::DeviationName> Supervisor::trouble_of_last_step() const {
  if (case_.steps.empty()) return std::nullopt;
  try {
    const model::Oracle oracle = model::oracle_before(case_, *tally_.book, case_.steps.size() - 1);
    model::Step step = case_.steps.back();
    oracle.resolve(step);
    return property_tests::trouble_name(oracle, step);
  } catch (const std::exception&) {
    return std::nullopt;  // the case went on after a deviation that no trace can follow
  }
}

void Supervisor::add_incident(Verdict verdict, const std::string& text,
                              const std::optional<model::DeviationName>& known_as) {
  Incident incident;
  incident.name = known_as;
  incident.verdict = verdict;
  incident.case_name = in_case_ ? case_name_ : "";
  incident.step = case_.steps.empty() ? 0 : case_.steps.size() - 1;
  if (in_case_ && !case_.steps.empty()) incident.call = model::print_call(case_.steps.back());
  incident.text = text;
  incident.trace = case_;
  if (const auto told = incident.annotation(); told && open_step_)
    incident.trace.steps.back().annotations = {*told};
  const auto name = kVerdictNames.at(static_cast<std::size_t>(verdict));
  incident.trace_file = write_trace(
      fmt::format("{}-{:02}.mrt", verdict == Verdict::inconclusive ? "interruption" : name,
                  tally_.incidents.size() + 1),
      fmt::format("{} {}: {}", name, open_step_ ? "in the last step" : "after the last step", text),
      incident.trace);
  // The worker sees that, too, and ends by itself: when a stop would reach it, nobody could tell.
  if (plan_.until && incident.is(*plan_.until)) shown_ = true;
  journal_.incident(incident);
  tally_.add(incident);
}

/// Of what the case before left, or of the setup of the one that begins, of no step of either; or
/// of a case that the record names.
void Supervisor::add_complaint(const Record& record) {
  const auto& told = record.step.annotations.front();
  ++tally_.counts.at(static_cast<std::size_t>(told.verdict));
  const bool begins = std::exchange(in_case_, false);  // else it is the plan's end
  model::Trace about = case_;
  std::string name = case_name_;
  if (record.index > 0 && !plan_.is_replay()) {
    const auto& scenario = plan_.scenarios.at(record.index - 1);
    name = plan_.case_name(record.index - 1);
    about = model::parse_trace(scenario.text, scenario.name);
    about.can = case_.can;
    about.guest = case_.guest;
  } else if (record.index == 0 && begins) {
    about.steps = before_.steps;
  }
  std::swap(about, case_);
  std::swap(name, case_name_);
  in_case_ = record.index > 0;
  add_incident(told.verdict, record.text, told);
  std::swap(about, case_);
  std::swap(name, case_name_);
  in_case_ = begins;
}

std::string Supervisor::write_trace(const std::string& name, const std::string& note,
                                    model::Trace trace) const {
  if (options_.out.empty()) return "";
  const auto& d = tally_.device;
  trace.comments = {fmt::format(" device {}  driver {}  kernel {}  rdma-core {}", d.device,
                                d.driver, d.kernel, d.rdma_core),
                    fmt::format(" from {}", case_name_)};
  if (!note.empty()) trace.comments.push_back(" " + note);
  for (auto& step : trace.steps)
    if (!step.annotations.empty() && step.annotations.front().verdict == Verdict::conforms)
      step.annotations.clear();
  std::string file = options_.prefix + name;
  std::ofstream out(options_.out + "/" + file);
  out << model::print_trace(trace);
  out.close();
  if (!out) throw model::ToolError(fmt::format("{}/{}: cannot be written", options_.out, file));
  return file;
}

}  // namespace mrproof::conformance
