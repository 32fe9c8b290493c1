#include "model/oracle/judge_trace.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mrproof::model {

namespace {

void append(std::uint64_t address, std::byte value, std::vector<ByteRun>& runs) {
  if (runs.empty() || runs.back().address + runs.back().bytes.size() != address)
    runs.push_back({address, {}});
  runs.back().bytes.push_back(value);
}

/// All but the low byte, which binds change: what tells objects apart.
std::uint64_t index_of_key(const Plain::Key& key) { return key.value() >> 8U; }

/// As ibv_inc_rkey(3) makes it: the low byte goes on by one, the others stay.
Plain::Key next_of(const Plain::Key& key) {
  const auto low = Plain::key(0xff);
  return (key & ~low) | ((key + Plain::key(1)) & low);
}

/// Whether the program does it by itself, so that there is nothing to be seen.
bool needs_no_result(Verb verb) { return verb == Verb::fill || verb == Verb::protect; }

}  // namespace

void RecordedMemory::differences(const Memory& expected, std::vector<ByteRun>& runs) {
  for (const auto& run : recorded_)
    for (std::size_t i = 0; i < run.bytes.size(); ++i)
      if (Memory::contains(run.address + i, 1) && expected.at(run.address + i) != run.bytes[i])
        append(run.address + i, run.bytes[i], runs);
}

KeyGiver::KeyGiver(const Trace& trace) {
  for (const auto& step : trace.steps) {
    if (!step.keys_seen) continue;
    told_.push_back(index_of_key(step.result.lkey));
    told_.push_back(index_of_key(step.result.rkey));
  }
}

void KeyGiver::give(Step& step, const State<Plain>& state) {
  const Verb verb = step.call.verb;
  auto& r = step.result;
  if (step.keys_seen || !tells_keys(verb, r)) return;
  if (verb == Verb::rereg_mr) {
    r.lkey = state.regions.at(step.call.mr).lkey;
    r.rkey = state.regions.at(step.call.mr).rkey;
  } else if (is_bind(verb)) {
    const auto& window = state.windows.at(step.call.mw);
    r.rkey = window.two.truth() ? step.call.rkey : next_of(window.rkey);
  } else {
    r.rkey = fresh();
    if (tells_lkey(verb)) r.lkey = r.rkey;
  }
}

Plain::Key KeyGiver::fresh() {
  do ++next_;
  while (std::find(told_.begin(), told_.end(), next_) != told_.end());
  return Plain::key(next_ << 8U);
}

Trace judge_trace(
    const Trace& trace, const Rulebook& book, const std::string& file, const Explain& explain) {
  Trace judged = trace;
  judged.steps.clear();
  Oracle oracle(book, trace.setup, trace.can);
  KeyGiver keys(trace);
  for (Step step : trace.steps) {
    const auto fail = [&](const std::string& what) {
      throw TraceError(fmt::format("{}:{}:1: {}", file, step.line, what));
    };
    if (!step.observed && !needs_no_result(step.call.verb))
      fail("the step has no result; write '-> ok', or use replay");
    oracle.resolve(step);
    keys.give(step, oracle.state());
    if (const auto* precondition = oracle.forbids(step))
      fail(fmt::format("this call may not be made here, since it does not hold that {}",
          precondition->sentence));
    RecordedMemory memory(step);
    step.bytes.clear();
    step.remarks.clear();
    step.annotations.clear();
    const Judgement judgement = oracle.check(step, memory);
    step.annotations.push_back(annotate(judgement, step));
    const bool over = judgement.verdict == Verdict::deviates || judgement.verdict == Verdict::hang;
    if (explain && judgement.verdict == Verdict::deviates)
      step.remarks = explain(oracle, step, judgement);
    judged.steps.push_back(std::move(step));
    if (over) break;
  }
  return judged;
}

Oracle oracle_before(const Trace& trace, const Rulebook& book, std::size_t count) {
  Oracle oracle(book, trace.setup, trace.can);
  for (std::size_t i = 0; i < count && i < trace.steps.size(); ++i) {
    Step step = trace.steps[i];
    oracle.resolve(step);
    RecordedMemory memory(step);
    step.bytes.clear();
    const Judgement judgement = oracle.check(step, memory);
    if (judgement.verdict == Verdict::deviates && !oracle.recover(step, judgement)) break;
  }
  return oracle;
}

}  // namespace mrproof::model
