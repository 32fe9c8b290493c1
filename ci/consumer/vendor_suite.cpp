// A vendor's own suite: walks a device 1,000 steps, each judged by the oracle, and counts verdicts.
//
// Here the device is the simulated one; a vendor derives from impl::Device instead. Exit status: 0
// when calls conformed and nothing deviated, 1 otherwise, 2 when the device cannot be used.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "impl/device.hpp"
#include "impl/device_case.hpp"
#include "impl/sim/sim_device.hpp"
#include "model/judge/judge.hpp"
#include "model/judge/rulebook.hpp"
#include "model/oracle/oracle.hpp"
#include "model/trace/setup.hpp"
#include "property-tests/walk/walk.hpp"
#include "specs/explain/explain_deviation.hpp"

namespace {

using namespace mrproof;

constexpr std::uint64_t kSteps = 1000;
constexpr std::uint64_t kCaseSteps = 200;

using Counts = std::array<std::uint64_t, model::kVerdicts>;

std::uint64_t& count(Counts& counts, model::Verdict verdict) {
  return counts.at(static_cast<std::size_t>(verdict));
}

void explain(const model::Oracle& oracle, const model::Step& step,
             const model::Judgement& judgement) {
  std::cout << model::print_call(step) << " -> " << model::print_result(step) << '\n';
  for (const std::string& line : specs::explain_deviation(oracle, step, judgement))
    std::cout << "  " << line << '\n';
}

/// Makes one case, up to the step after which the device's state is no longer known.
std::uint64_t walk_case(impl::Device& device, std::uint64_t seed, std::uint64_t most,
                        Counts& counts) {
  const model::Setup setup = model::standard_setup();
  impl::DeviceCase suite_case(device, model::linux_rulebook(), setup);
  const model::Oracle& oracle = suite_case.oracle();
  const property_tests::WalkOptions options;
  property_tests::Walk walk(seed, options);
  for (std::uint64_t made = 1; made <= most; ++made) {
    model::Step step = walk.next(oracle);
    const model::Judgement judgement = suite_case.make(step);
    ++count(counts, judgement.verdict);
    if (!suite_case.seen().kernel_warning.empty()) ++count(counts, model::Verdict::kernel_warning);
    if (judgement.verdict != model::Verdict::deviates && judgement.verdict != model::Verdict::hang)
      continue;
    explain(oracle, step, judgement);
    if (oracle.lost()) return made;
  }
  return most;
}

Counts walk(impl::Device& device) {
  Counts counts{};
  std::uint64_t seed = 1;
  for (std::uint64_t made = 0; made < kSteps; ++seed)
    made += walk_case(device, seed, std::min(kCaseSteps, kSteps - made), counts);
  return counts;
}

bool passed(Counts& counts) {
  using model::Verdict;
  return count(counts, Verdict::conforms) > 0 && count(counts, Verdict::deviates) == 0 &&
         count(counts, Verdict::hang) == 0 && count(counts, Verdict::kernel_warning) == 0;
}

}  // namespace

int main() {
  try {
    impl::SimDevice device;
    Counts counts = walk(device);
    for (std::size_t i = 0; i < counts.size(); ++i)
      std::cout << model::kVerdictNames.at(i) << ' ' << counts.at(i) << '\n';
    return passed(counts) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::cerr << "vendor_suite: " << error.what() << '\n';
    return 2;
  }
}
