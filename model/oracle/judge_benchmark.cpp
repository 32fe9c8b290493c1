// How many steps a second the model judges and follows, bytes included, on one core.
//
// The steps are those of judge_benchmark.mrt with their results, over and over, so that nothing but
// the model is measured: no generator, no device. With a number: among so many live regions, of
// which the steps name ever others; and how many bytes an object takes.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <random>

#include "model/oracle/judge_trace.hpp"

namespace {

std::size_t g_allocations = 0;
std::size_t g_bytes = 0;  // of all allocations

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++g_allocations;
  g_bytes += size;
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

/// Judges steps and follows them, and counts.
class Judging {
 public:
  explicit Judging(State<Plain> state) : state_(std::move(state)) { begin(); }
  void begin() {
    allocations_ = g_allocations;
    judged_ = 0;
  }
  void step(const Pair& step) {
    const PlainView view{state_, step.call, step.result};
    const Judgement judgement = judge(book_, view);
    if (judgement.verdict != Verdict::conforms) fail(step, judgement);
    if (judgement.rule->transfer != nullptr) {
      auto transfer = judgement.rule->transfer(view);
      benchmark::DoNotOptimize(transfer);
      if (transfer.exact) memory_.move(transfer);
    }
    advance(*judgement.rule, view, state_);
    ++judged_;
  }
  void tell(benchmark::State& run) const {
    const auto judged = static_cast<double>(judged_);
    run.counters["steps/s"] = benchmark::Counter(judged, benchmark::Counter::kIsRate);
    run.counters["allocations/step"] = static_cast<double>(g_allocations - allocations_) / judged;
  }

 private:
  [[noreturn]] static void fail(const Pair& step, const Judgement& judgement) {
    std::fprintf(stderr, "%s: %s\n", kVerbNames.at(static_cast<std::size_t>(step.call.verb)).data(),
        judgement.rule == nullptr ? "no rule" : judgement.rule->name);
    std::abort();
  }
  const Rulebook& book_ = linux_rulebook();
  State<Plain> state_;
  Memory memory_;
  std::size_t allocations_ = 0;
  std::uint64_t judged_ = 0;
};

void judge_and_advance(benchmark::State& run) {
  const Rulebook& book = linux_rulebook();
  const Trace trace = judge_trace(load_trace(TRACE_FILE), book, TRACE_FILE);
  std::vector<Pair> steps;
  for (const Step& step : trace.steps) steps.push_back({step.call, step.result});
  Judging judging(initial_state(trace.setup, trace.can, book.defined_access()));
  for (auto _ : run)
    for (const Pair& step : steps) judging.step(step);
  judging.tell(run);
}
BENCHMARK(judge_and_advance);

/// Steps of the trace with other objects in them.
class Among {
 public:
  Among(const Trace& trace, std::uint32_t regions) : regions_(regions) {
    for (const Step& step : trace.steps) {
      if (step.result.outcome != Outcome::ok) continue;
      if (step.call.verb == Verb::reg_mr && step.call.mr == 1) make_ = {step.call, step.result};
      if (step.call.verb == Verb::rdma_write) write_ = {step.call, step.result};
      if (step.call.verb == Verb::rdma_read) read_ = {step.call, step.result};
      if (step.call.verb == Verb::post_bind_mw) bind_ = {step.call, step.result};
      if (step.call.verb == Verb::alloc_mw) window_ = {step.call, step.result};
    }
    for (Pair* step : {&write_, &read_}) {
      step->call.address = step->call.remote = make_.call.address;
      step->call.elements = 1;
    }
  }
  [[nodiscard]] Pair made(std::uint32_t region) const {
    Pair step = make_;
    step.call.mr = region;
    step.result.lkey = step.result.rkey = key(region);
    return step;
  }
  /// Sixteen steps that leave as many objects as there were.
  void visit(std::mt19937_64& random, auto&& step) const {
    const auto one = [&] { return static_cast<std::uint32_t>(random() % regions_); };
    const std::uint32_t old = one();
    step(of(Verb::dereg_mr, [&](auto& c) { c.mr = old; }));
    step(made(old));
    for (int i = 0; i < 10; ++i) {
      Pair moving = i % 2 == 0 ? write_ : read_;
      moving.call.lkey = key(one());
      moving.call.rkey = key(one());
      step(moving);
    }
    Pair window = window_;
    window.call.mw = 0;
    window.result.rkey = Plain::key(0x100);
    step(window);
    Pair bound = bind_;
    bound.call.mw = 0;
    bound.call.mr = one();
    bound.call.address = make_.call.address;
    bound.call.rkey = bound.result.rkey = Plain::key(0x101);
    step(bound);
    Pair through = write_;
    through.call.lkey = key(one());
    through.call.rkey = bound.call.rkey;
    through.call.remote = bound.call.address;
    step(through);
    step(of(Verb::dealloc_mw, [&](auto& c) { c.mw = 0; }));
  }

 private:
  static Plain::Key key(std::uint32_t region) { return Plain::key((region + 2) << 8U); }
  static Pair of(Verb verb, auto&& how) {
    Pair step;
    step.call.verb = verb;
    how(step.call);
    return step;
  }
  std::uint32_t regions_;
  Pair make_, write_, read_, window_, bind_;
};

void judge_and_advance_among(benchmark::State& run) {
  const Trace trace = judge_trace(load_trace(TRACE_FILE), linux_rulebook(), TRACE_FILE);
  const auto regions = static_cast<std::uint32_t>(run.range(0));
  const Among among(trace, regions);
  Judging judging(initial_state(trace.setup, trace.can, linux_rulebook().defined_access()));
  const std::size_t before = g_bytes;
  for (std::uint32_t i = 0; i < regions; ++i) judging.step(among.made(i));
  const auto bytes = static_cast<double>(g_bytes - before);
  std::mt19937_64 random(1);
  judging.begin();
  for (auto _ : run) among.visit(random, [&](const Pair& step) { judging.step(step); });
  judging.tell(run);
  run.counters["bytes/object"] = bytes / regions;
}
BENCHMARK(judge_and_advance_among)->RangeMultiplier(10)->Range(10, 1000000);

}  // namespace

BENCHMARK_MAIN();
// NOLINTEND(clang-analyzer-deadcode.DeadStores)
