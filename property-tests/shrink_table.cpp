// Measures finding and shrinking: every seeded fault of the simulated device, by several seeds.
//   shrink_table [SEEDS [FAULT...]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "conformance/shrink.hpp"
#include "conformance/test_walk.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof {
namespace {

constexpr std::uint64_t kSteps = 40000;

struct Row {
  std::vector<std::uint64_t> operations;  ///< to the deviation, one for each seed that found it
  std::map<std::string, int> traces;      ///< shrunk, and how many seeds led there
  std::vector<std::size_t> lengths;
  std::uint64_t tried = 0;
  double seconds = 0;
};

/// The walk up to the deviation that the table of faults expects, by the very rule; as in a run,
/// what was seen three times is avoided from then on.
std::optional<Trace> find(impl::Device& device, const impl::FaultInfo& info, std::uint64_t seed,
                          std::uint64_t& operations) {
  Plan plan = testing::plan_of(kSteps, seed);
  std::map<std::string, int> times;
  const auto look = [&](const Step& step, const Oracle& /*oracle*/) {
    const Annotation& a = step.annotations.front();
    if (a.verdict != model::Verdict::deviates) return;
    if (++times[print_annotation(a)] == 3) plan.walk.known.push_back({a.rule, a.kind, a.broken});
  };
  for (std::uint64_t index = 0; index < plan.cases(); ++index) {
    Trace trace = testing::walk_case(device, plan, index, look, true);
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      ++operations;
      const Annotation& a = trace.steps[i].annotations.front();
      if (a.verdict != model::Verdict::deviates || a.rule != info.expected.rule ||
          a.broken != info.expected.condition)
        continue;
      trace.steps.resize(i + 1);
      return trace;
    }
  }
  return std::nullopt;
}

Row measure(const impl::FaultInfo& info, std::uint64_t seeds) {
  Row row;
  impl::SimDevice device({.fault = std::string(info.id)});
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::uint64_t operations = 0;
    const auto trace = find(device, info, seed, operations);
    if (!trace) continue;
    row.operations.push_back(operations);
    const auto start = std::chrono::steady_clock::now();
    DeviceTrials trials(device);
    Shrinker shrinker(trials, trace->steps.back().annotations.front());
    const auto shrunk = shrinker.run(*trace);
    row.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!shrunk) {
      fmt::print(stderr, "{} seed {}: not shown again\n", info.id, seed);
      continue;
    }
    row.tried += shrunk->tried;
    row.lengths.push_back(shrunk->trace.steps.size());
    ++row.traces[calls_text(shrunk->trace)];
  }
  return row;
}

}  // namespace
}  // namespace mrproof

int main(int argc, char** argv) {
  using namespace mrproof;
  const std::uint64_t seeds = argc > 1 ? std::stoul(argv[1]) : 5;
  const std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  std::size_t same = 0;
  std::size_t rows = 0;
  for (const auto& info : impl::faults()) {
    if (info.expected.rule.empty()) continue;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), info.id) == wanted.end())
      continue;
    const Row row = measure(info, seeds);
    ++rows;
    same += row.traces.size() == 1 ? 1 : 0;
    std::string lengths;
    for (const auto length : row.lengths) lengths += fmt::format(" {}", length);
    fmt::print("{} found {}/{} lengths{} different {} tried {} seconds {:.2f}\n", info.id,
               row.operations.size(), seeds, lengths, row.traces.size(), row.tried, row.seconds);
    if (!wanted.empty() || row.traces.size() > 1)
      for (const auto& [text, times] : row.traces) fmt::print("--- {}x\n{}\n", times, text);
    std::fflush(stdout);
  }
  fmt::print("same {} of {}\n", same, rows);
  return 0;
}
