// How the parts around the model grow: proposing calls and judging with the regions that are live,
// printing, parsing and judging traces with their length. bench.py draws it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "impl/sim/sim_device.hpp"
#include "model/oracle/judge_trace.hpp"
#include "property-tests/walk/test_walk.hpp"
#include "property-tests/walk/walk.hpp"

// NOLINTBEGIN(clang-analyzer-deadcode.DeadStores): the variable of the benchmark library's loop
namespace {

using namespace mrproof;
using namespace mrproof::model;
using namespace mrproof::property_tests;

/// So many regions, and a write from the first to the last.
std::string text_with(std::int64_t regions) {
  std::string text =
      "# mrproof trace v1\n"
      "given capabilities(REMOTE_ATOMIC|MW_BIND, 1073741824, MW_TYPE_1|MW_TYPE_2B|ATOMICS)\n"
      "given pd0\ngiven pd1\ngiven qp0(pd0) <-> qp1(pd0)\ngiven qp2(pd0) <-> qp3(pd1)\n";
  for (std::int64_t i = 0; i < regions; ++i)
    text += fmt::format(
        "mr{} = reg_mr(pd0, buf{}+0, 4096, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ) -> ok\n", i,
        i % 4);
  return text +
         fmt::format("rdma_write(qp0, mr0.lkey, buf0+0, 64, mr{}.rkey, buf{}+64) -> SUCCESS\n",
                     regions - 1, (regions - 1) % 4);
}

model::Trace trace_with(std::int64_t regions) {
  return model::judge_trace(model::parse_trace(text_with(regions), ""), linux_rulebook(), "");
}

void rate(benchmark::State& run, const char* what, std::int64_t each = 1) {
  run.counters[what] =
      benchmark::Counter(static_cast<double>(run.iterations() * each), benchmark::Counter::kIsRate);
}

/// A walk's next call where so many regions are live. With fewer a walk registers, nearly always;
/// with all there can be it does not.
void propose_a_call(benchmark::State& run) {
  const model::Trace trace = trace_with(run.range(0));
  const model::Oracle oracle = model::oracle_before(trace, linux_rulebook(), trace.steps.size());
  const WalkOptions options;
  Walk walk(1, options);
  for (auto _ : run) benchmark::DoNotOptimize(walk.next_call(oracle));
  rate(run, "steps/s");
}
BENCHMARK(propose_a_call)->DenseRange(3, 7, 2);

/// A write's judgement where so many regions are live.
void judge_a_write(benchmark::State& run) {
  const model::Trace trace = trace_with(run.range(0));
  const model::Oracle oracle =
      model::oracle_before(trace, linux_rulebook(), trace.steps.size() - 1);
  const model::Step& write = trace.steps.back();
  for (auto _ : run) {
    const Judgement judgement = judge(linux_rulebook(), {oracle.state(), write.call, write.result});
    if (judgement.verdict != Verdict::conforms) std::abort();
  }
  rate(run, "steps/s");
}
BENCHMARK(judge_a_write)->DenseRange(2, 8, 2);

/// What a walk on the simulated device did, as one case of so many steps.
model::Trace walked(std::int64_t steps) {
  impl::SimDevice device;
  Plan plan = testing::plan_of(static_cast<std::uint64_t>(steps), 3);
  plan.case_steps = static_cast<std::uint64_t>(steps);
  model::Trace trace = testing::walk_case(device, plan, 0);
  if (trace.steps.size() != static_cast<std::size_t>(steps)) std::abort();
  return trace;
}

void print_a_trace(benchmark::State& run) {
  const model::Trace trace = walked(run.range(0));
  for (auto _ : run) benchmark::DoNotOptimize(model::print_trace(trace));
  rate(run, "steps/s", run.range(0));
}
BENCHMARK(print_a_trace)->RangeMultiplier(10)->Range(10, 10000);

void parse_a_trace(benchmark::State& run) {
  const std::string text = model::print_trace(walked(run.range(0)));
  for (auto _ : run) benchmark::DoNotOptimize(model::parse_trace(text, ""));
  rate(run, "steps/s", run.range(0));
}
BENCHMARK(parse_a_trace)->RangeMultiplier(10)->Range(10, 10000);

/// As `mrproof judge` does, memory and keys included.
void judge_a_trace(benchmark::State& run) {
  const model::Trace trace = walked(run.range(0));
  for (auto _ : run) benchmark::DoNotOptimize(model::judge_trace(trace, linux_rulebook(), ""));
  rate(run, "steps/s", run.range(0));
}
BENCHMARK(judge_a_trace)->RangeMultiplier(10)->Range(10, 10000);

}  // namespace

BENCHMARK_MAIN();
// NOLINTEND(clang-analyzer-deadcode.DeadStores)
