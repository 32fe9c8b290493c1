// How many steps a second the model judges and follows, bytes included, on one core.
//
// The steps are those of judge_benchmark.mrt with their results, over and over, so that nothing but
// the model is measured: no generator, no device.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <new>

#include "model/oracle/judge_trace.hpp"

namespace {

std::size_t g_allocations = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

// NOLINTBEGIN(clang-analyzer-deadcode.DeadStores): the variable of the benchmark library's loop
namespace {

using namespace mrproof;
using namespace mrproof::model;

/// A call and its result, without what only printers and parsers need.
struct Pair {
  Call<Plain> call;
  Result<Plain> result;
};

void judge_and_advance(benchmark::State& run) {
  const Rulebook& book = linux_rulebook();
  const Trace trace = judge_trace(load_trace(TRACE_FILE), book, TRACE_FILE);
  std::vector<Pair> steps;
  for (const Step& step : trace.steps) steps.push_back({step.call, step.result});
  auto state = initial_state(trace.setup, trace.can, book.defined_access());
  Memory memory;
  std::uint64_t judged = 0;
  const std::size_t allocations = g_allocations;
  for (auto _ : run) {
    for (const auto& [call, result] : steps) {
      const PlainView view{state, call, result};
      const Judgement judgement = judge(book, view);
      if (judgement.verdict != Verdict::conforms) std::abort();
      if (judgement.rule->transfer != nullptr) {
        auto transfer = judgement.rule->transfer(view);
        benchmark::DoNotOptimize(transfer);
        if (transfer.exact) memory.move(transfer);
      }
      advance(*judgement.rule, view, state);
    }
    judged += steps.size();
  }
  const auto per_step = static_cast<double>(g_allocations - allocations);
  run.counters["steps/s"] =
      benchmark::Counter(static_cast<double>(judged), benchmark::Counter::kIsRate);
  run.counters["allocations/step"] = per_step / static_cast<double>(judged);
}
BENCHMARK(judge_and_advance);

}  // namespace

BENCHMARK_MAIN();
// NOLINTEND(clang-analyzer-deadcode.DeadStores)
