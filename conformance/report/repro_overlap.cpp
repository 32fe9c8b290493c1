// Calls that overlap each other in the program of repro.hpp: each is a function of its own.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conformance/report/observation_checks.hpp"
#include "conformance/report/repro_writer.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

/// What the call gave as the trace has it, in C.
std::string ended_as_seen(const Step& step) {
  if (step.result.outcome == Outcome::none)
    return fmt::format("ended[{}] == NOT_MADE", step.call.label);
  const bool ok = step.result.outcome == Outcome::ok;
  return fmt::format("ended[{}] {} 0", step.call.label, ok ? "==" : "!=");
}

}  // namespace

bool overlaps(const Trace& trace) {
  return std::any_of(trace.steps.begin(), trace.steps.end(),
                     [](const Step& step) { return is_overlapping(step.call); });
}

/// The step at which the call that begins at `begin` returns; null if the trace ends before.
const Step* ReproWriter::return_of(std::size_t begin) const {
  const auto& steps = evidence_.trace.steps;
  const auto end = std::find_if(
      steps.begin() + static_cast<std::ptrdiff_t>(begin) + 1, steps.end(),
      [&](const Step& s) { return s.call.label == steps[begin].call.label; });
  return end == steps.end() ? nullptr : &*end;
}

/// Name of the function for the call that the thread makes behind this one; "" if there is none.
std::string ReproWriter::function_behind(std::size_t begin) const {
  const auto& steps = evidence_.trace.steps;
  for (std::size_t i = begin + 1; i < steps.size() && is_overlapping(steps[i].call); ++i)
    if (steps[i].call.follows == steps[begin].call.label) return fmt::format("call_{}", i + 1);
  return "";
}

/// A function that makes the call when it is time, and main() or the one before has it begun.
void ReproWriter::begin_overlapping(const Step& step) {
  need(ReproPart::overlap);
  if (const Step* end = return_of(now_)) save_keys(*end);
  std::string rest;
  std::swap(rest, body_);
  in_thread_ = step.call.label;
  const bool follows = step.call.follows != 0;
  line(fmt::format("wait_for({}, {}, {});", in_thread_, step.call.verb != Verb::destroy_qp ? 1 : 0,
                   follows ? 0 : step.call.delay));
  if (follows && step.call.delay != 0) line(fmt::format("usleep({});", step.call.delay));
  write_call_itself(step);
  const auto behind = function_behind(now_);
  if (!behind.empty()) {
    functions_ += fmt::format("\nstatic void *{}(void *unused);\n", behind);
    line(fmt::format("if (!ended[{}])", in_thread_));
    line(fmt::format("return {}(NULL);", behind), 8);
  }
  in_thread_ = 0;
  std::swap(rest, body_);
  const auto name = fmt::format("call_{}", now_ + 1);
  functions_ += fmt::format("\nstatic void *{}(void *unused)\n{{\n    (void)unused;\n{}"
                            "    return NULL;\n}}\n",
                            name, rest);
  line(follows ? fmt::format("ended[{}] = NOT_MADE;", step.call.label)
               : fmt::format("begun[{}].call = {};", step.call.label, name));
  waits_ = true;
}

/// What is posted beside a call that has begun starts when that does.
void ReproWriter::go_on() {
  if (!std::exchange(waits_, false)) return;
  line("go();");
  line("wait_for(0, 0, 0);");
}

/// Results of calls that overlap are looked at together, when the last one has returned.
void ReproWriter::return_overlapping(const Step& step) {
  waits_ = false;
  const auto value = fmt::format("returned({})", step.call.label);
  if (is_decisive()) return set_got(fmt::format("(errno = {}) ? REFUSED : 0", value));
  line(value + ";");
  std::size_t last = now_;
  while (last + 1 < evidence_.trace.steps.size() && is_overlapping(step_at(last + 1).call) &&
         step_at(last + 1).call.part == Part::completion)
    ++last;
  if (last + 1 == evidence_.trace.steps.size() || last != now_) return;
  for (const auto& seen : returns_before(last)) line(fmt::format("NEED({});", seen));
}

/// What was seen of all calls that have returned together, up to this step.
std::vector<std::string> ReproWriter::returns_before(std::size_t last) const {
  std::vector<std::string> all;
  for (std::size_t i = last + 1; i > 0 && is_overlapping(step_at(i - 1).call) &&
                                 step_at(i - 1).call.part == Part::completion;
       --i)
    all.insert(all.begin(), ended_as_seen(step_at(i - 1)));
  return all;
}

/// No order of the calls explains what the trace has seen of them: whether it is so again.
void ReproWriter::check_overlapping() {
  auto seen = returns_before(now_);
  const auto& steps = evidence_.trace.steps;
  // Keys that were the same.
  for (std::size_t i = now_ + 1; i > 0 && is_overlapping(steps[i - 1].call); --i) {
    const Step& one = steps[i - 1];
    if (one.call.part != Part::completion || !makes_region(one.call.verb)) continue;
    for (std::size_t j = 0; j + 1 < i; ++j) {
      const Step& other = steps[j];
      if (other.call.part == Part::posted || !makes_region(other.call.verb) ||
          other.call.mr == one.call.mr || one.result.outcome != Outcome::ok ||
          other.result.outcome != Outcome::ok ||
          !(other.result.lkey == one.result.lkey).truth())
        continue;
      seen.push_back(fmt::format("{}->lkey == {}->lkey", names_.mr(one.call.mr),
                                 names_.mr(other.call.mr)));
    }
  }
  line(fmt::format("return verdict(!({}), got);", all_in_c(seen)));
}

}  // namespace mrproof::conformance
