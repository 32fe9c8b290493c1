#include "impl/sim/faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "impl/device.hpp"
#include "impl/sim/sim_device.hpp"
#include "impl/sim/test_walk.hpp"

namespace mrproof::impl {

/// How GoogleTest names a row of the table.
static void PrintTo(const FaultInfo& info, std::ostream* out) { *out << info.id; }

namespace {

using testing::Plain;
using testing::PlainCall;
using testing::RandomCalls;

/// Steps of a walk, and walks until a fault has to have shown itself: many times what the rarest
/// needs. A new rule changes all that is seen after it, and must not cost other faults their
/// chance.
constexpr std::size_t kSteps = 20000;
constexpr std::uint64_t kWalks = 25;
/// Steps after which the walk starts anew.
constexpr std::size_t kCaseSteps = 80;

/// What the caller saw of a step, in one line; the buffers by their hash.
std::string seen(const model::Result<Plain>& result, const Device& device,
                 const RandomCalls& calls) {
  std::string line = std::to_string(static_cast<int>(result.outcome));
  for (const std::uint64_t value :
       {result.error.value(), result.reason.value(), result.lkey.value(), result.rkey.value(),
        result.qp_state.value(), result.peer_state.value(), result.own_receive.value(),
        result.peer_receive.value(), result.received.value(),
        std::uint64_t{result.completion_matches.truth()}})
    line += ' ' + std::to_string(value);
  for (std::size_t index = 0; index < kBufferCount; ++index) {
    const auto bytes = device.buffer(index);
    for (std::uint64_t page = 0; page < bytes.size() / kPageSize; ++page) {
      if (!calls.mapped(index, page)) continue;
      const auto part = bytes.subspan(page * kPageSize, kPageSize);
      const std::string_view text(reinterpret_cast<const char*>(part.data()), part.size());
      line += ' ' + std::to_string(std::hash<std::string_view>{}(text));
    }
  }
  return line;
}

/// The lines of the walk with that seed, up to and including the first that differs from `correct`.
std::vector<std::string> walk(const SimOptions& options, std::uint64_t seed,
                              const std::vector<std::string>* correct = nullptr) {
  SimDevice device(options);
  RandomCalls calls(seed);
  std::vector<std::string> lines;
  while (lines.size() < kSteps) {
    if (lines.size() % kCaseSteps == 0) {
      device.reset(standard_setup());
      calls.restart();
    }
    const PlainCall call = calls.next();
    const auto result = device.perform(call).result;
    calls.note(call, result);
    lines.push_back(seen(result, device, calls));
    if (correct != nullptr && lines.back() != correct->at(lines.size() - 1)) break;
  }
  return lines;
}

const std::vector<std::string>& correct_walk(std::uint64_t seed) {
  static std::map<std::uint64_t, std::vector<std::string>> walks;
  const auto [at, is_new] = walks.try_emplace(seed);
  if (is_new) at->second = walk({}, seed);
  return at->second;
}

/// After how many steps, in one walk after another, the device first shows something else than the
/// correct one; nothing if it never does.
std::optional<std::size_t> first_difference(const SimOptions& options) {
  for (std::uint64_t seed = 1; seed <= kWalks; ++seed) {
    const auto& correct = correct_walk(seed);
    const auto lines = walk(options, seed, &correct);
    if (lines.back() != correct.at(lines.size() - 1)) return (seed - 1) * kSteps + lines.size();
  }
  return std::nullopt;
}

TEST(Faults, IdsAreUniqueAndNameTheirFault) {
  std::set<std::string_view> ids;
  std::uint8_t value = 0;
  for (const FaultInfo& info : faults()) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_EQ(fault_by_name(info.id), info.fault);
    EXPECT_FALSE(info.breaks.empty() || info.clause.empty()) << info.id;
    EXPECT_NE(info.expected.rule.empty(), info.why_allowed.empty()) << info.id;
    EXPECT_EQ(static_cast<std::uint8_t>(info.fault), ++value) << "out of order: " << info.id;
  }
  EXPECT_GE(ids.size(), 160U);
  EXPECT_FALSE(fault_by_name("none"));
  EXPECT_THROW(SimDevice({.fault = "no-such-fault"}), DeviceError);
}

TEST(Faults, TheCorrectDeviceRepeatsItself) { EXPECT_EQ(walk({}, 1), correct_walk(1)); }

class EachFault : public ::testing::TestWithParam<FaultInfo> {};

TEST_P(EachFault, ChangesWhatTheCallerSees) {
  const SimOptions options{.fault = std::string(GetParam().id)};
  const auto step = first_difference(options);
  ASSERT_TRUE(step) << GetParam().breaks;
  RecordProperty("first_difference", std::to_string(*step));
}

std::string test_name(const ::testing::TestParamInfo<FaultInfo>& info) {
  std::string name(info.param.id);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Sim, EachFault, ::testing::ValuesIn(faults()), test_name);

}  // namespace
}  // namespace mrproof::impl
