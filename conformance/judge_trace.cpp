#include "conformance/judge_trace.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mrproof {

using namespace model;

namespace {

/// Memory as the trace tells it: what is predicted, but for the recorded differences.
class RecordedMemory : public MemorySource {
 public:
  explicit RecordedMemory(const Step& step) : recorded_(step.bytes) {}
  void differences(const Memory& expected, std::vector<ByteRun>& runs) override {
    for (const auto& run : recorded_)
      for (std::size_t i = 0; i < run.bytes.size(); ++i)
        if (Memory::contains(run.address + i, 1) && expected.at(run.address + i) != run.bytes[i])
          append(run.address + i, run.bytes[i], runs);
  }

 private:
  static void append(std::uint64_t address, std::byte value, std::vector<ByteRun>& runs) {
    if (runs.empty() || runs.back().address + runs.back().bytes.size() != address)
      runs.push_back({address, {}});
    runs.back().bytes.push_back(value);
  }
  std::vector<ByteRun> recorded_;
};

}  // namespace

Trace judge_trace(const Trace& trace, const Rulebook& book, const std::string& file) {
  Trace judged = trace;
  judged.steps.clear();
  Oracle oracle(book, trace.setup, trace.can);
  std::uint32_t next_key = 0x100;
  const auto told = [&](std::uint32_t key) {
    return std::any_of(trace.steps.begin(), trace.steps.end(), [&](const Step& step) {
      return step.keys_seen && (step.result.lkey.value() == key || step.result.rkey.value() == key);
    });
  };
  for (Step step : trace.steps) {
    const auto fail = [&](const std::string& what) {
      throw TraceError(fmt::format("{}:{}:1: {}", file, step.line, what));
    };
    if (!step.observed && step.call.verb != Verb::fill)
      fail("the step has no result; write '-> ok', or use replay");
    if (step.call.verb == Verb::reg_mr && !step.keys_seen) {
      do next_key += 0x100;
      while (told(next_key));
      step.result.lkey = step.result.rkey = Plain::key(next_key);
    }
    oracle.resolve(step);
    if (const auto* duty = oracle.forbids(step))
      fail(fmt::format("this call may not be made here, since it does not hold that {}",
                       duty->sentence));
    RecordedMemory memory(step);
    step.bytes.clear();
    step.remarks.clear();
    step.annotations.clear();
    const Judgement judgement = oracle.check(step, memory);
    step.annotations.push_back(annotate(judgement, step));
    const bool over = judgement.verdict == Verdict::deviates || judgement.verdict == Verdict::hang;
    if (judgement.verdict == Verdict::deviates) step.remarks = oracle.explain(step, judgement);
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

}  // namespace mrproof
