// How many steps a second the model judges and follows, bytes included, on one core.
//
// The steps are a fixed cycle of legal and illegal calls with their results, so that nothing but
// the model is measured: no generator, no device.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "model/access.hpp"
#include "model/judge.hpp"
#include "model/layout.hpp"
#include "model/memory.hpp"
#include "model/setup.hpp"

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

namespace {

using namespace mrproof::model;

struct Pair {
  Call<Plain> call;
  Result<Plain> result;
};

Result<Plain> with(Outcome outcome) {
  Result<Plain> result;
  result.outcome = outcome;
  result.completion_matches = Bit(true);
  result.own_receive = result.peer_receive = as_small<Plain>(Outcome::none);
  return result;
}

Pair registration(std::uint8_t slot, std::uint32_t access, std::uint32_t key) {
  Pair p;
  p.call.verb = Verb::reg_mr;
  p.call.mr = slot;
  p.call.address = Plain::address(buffer_address(slot));
  p.call.length = Plain::address(kPageSize);
  p.call.access = Plain::flags(access);
  p.result = with(Outcome::ok);
  p.result.lkey = p.result.rkey = Plain::key(key);
  return p;
}

Pair transfer(Verb verb, std::uint64_t length, std::uint32_t rkey, Outcome outcome) {
  Pair p;
  p.call.verb = verb;
  p.call.address = Plain::address(buffer_address(0));
  p.call.length = Plain::address(length);
  p.call.lkey = Plain::key(0x100);
  p.call.rkey = Plain::key(rkey);
  p.call.remote = Plain::address(buffer_address(1) + 64);
  p.result = with(outcome);
  return p;
}

Pair plain(Verb verb, std::uint8_t slot) {
  Pair p;
  p.call.verb = verb;
  p.call.mr = p.call.qp = slot;
  p.result = with(Outcome::ok);
  return p;
}

std::vector<Pair> cycle() {
  const std::uint32_t all = kLocalWrite | kRemoteWrite | kRemoteRead;
  std::vector<Pair> steps{registration(0, kLocalWrite, 0x100), registration(1, all, 0x200),
                          registration(2, kRemoteRead, 0x300)};
  for (int i = 0; i < 4; ++i) {
    steps.push_back(transfer(Verb::rdma_write, 64, 0x200, Outcome::ok));
    steps.push_back(transfer(Verb::rdma_read, 64, 0x200, Outcome::ok));
  }
  auto refused = transfer(Verb::rdma_write, 64, 0x201, Outcome::rem_access_err);
  refused.result.qp_state = refused.result.peer_state = as_small<Plain>(QpState::err);
  steps.push_back(refused);
  steps.push_back(plain(Verb::connect, 0));
  for (std::uint8_t slot = 0; slot < 3; ++slot) steps.push_back(plain(Verb::dereg_mr, slot));
  return steps;
}

void judge_and_advance(benchmark::State& run) {
  const Rulebook& book = linux_rulebook();
  const auto steps = cycle();
  auto state =
      initial_state(standard_setup(), {Plain::flags(kRemoteAtomic), Plain::address(1U << 30U)});
  Memory memory;
  std::uint64_t judged = 0;
  const std::size_t allocations = g_allocations;
  for (auto _ : run) {
    for (const auto& [call, result] : steps) {
      const PlainView view{state, call, result};
      const Judgement judgement = judge(book, view);
      if (judgement.verdict != Verdict::conforms) std::abort();
      if (judgement.rule->transfer != nullptr) memory.move(judgement.rule->transfer(view));
      advance(*judgement.rule, view, state);
    }
    judged += steps.size();
  }
  run.counters["steps/s"] =
      benchmark::Counter(static_cast<double>(judged), benchmark::Counter::kIsRate);
  run.counters["allocations"] = static_cast<double>(g_allocations - allocations);
}
BENCHMARK(judge_and_advance);

}  // namespace

BENCHMARK_MAIN();
