#include "conformance/test_walk.hpp"

#include <algorithm>
#include <cstring>

#include "model/layout.hpp"

namespace mrproof::testing {

using namespace model;

namespace {

/// A device's buffers, byte by byte.
class Bytes : public MemorySource {
 public:
  explicit Bytes(const impl::Device& device) : device_(device) {}
  void differences(const Memory& expected, std::vector<ByteRun>& runs) override {
    for (std::size_t index = 0; index < kBufferCount; ++index) {
      const auto seen = device_.buffer(index);
      const auto wanted = expected.buffer(index);
      if (std::memcmp(seen.data(), wanted.data(), kBufferSize) == 0) continue;
      auto at = std::mismatch(seen.begin(), seen.end(), wanted.begin()).first;
      while (at != seen.end()) {
        ByteRun run;
        run.address = buffer_address(index) + offset(seen, at);
        while (at != seen.end() && *at != wanted[offset(seen, at)]) run.bytes.push_back(*at++);
        runs.push_back(std::move(run));
        at = std::mismatch(at, seen.end(), wanted.subspan(offset(seen, at)).begin()).first;
      }
    }
  }

 private:
  template <class Iterator>
  static std::size_t offset(std::span<const std::byte> bytes, Iterator at) {
    return static_cast<std::size_t>(at - bytes.begin());
  }
  const impl::Device& device_;
};

}  // namespace

Plan plan_of(std::uint64_t steps, std::uint64_t seed) {
  Plan plan;
  plan.steps = steps;
  plan.seed = seed;
  return plan;
}

Trace walk_case(impl::Device& device, const Plan& plan, std::uint64_t index, const Look& look) {
  Trace trace;
  trace.setup = standard_setup();
  trace.can = device.capabilities();
  device.reset(trace.setup);
  Bytes memory(device);
  Oracle oracle(linux_rulebook(), trace.setup, trace.can);
  Walk walk(plan.case_seed(index), plan.walk);
  for (std::uint64_t i = 0; i < plan.case_length(index); ++i) {
    Step step = walk.next(oracle);
    const impl::Observation seen = device.perform(step.call);
    step.result = seen.result;
    step.observed = step.keys_seen = true;
    step.timed_out = seen.timed_out;
    const Judgement judgement = oracle.check(step, memory);
    step.annotations.push_back(annotate(judgement, step));
    const bool over = judgement.verdict == Verdict::deviates || judgement.verdict == Verdict::hang;
    if (over) step.remarks = oracle.explain(step, judgement);
    trace.steps.push_back(step);
    if (look) look(step, oracle);
    if (over) break;
  }
  return trace;
}

}  // namespace mrproof::testing
