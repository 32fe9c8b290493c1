#include "impl/sim/faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "impl/device.hpp"
#include "impl/sim/sim_device.hpp"
#include "impl/sim/test_calls.hpp"

namespace mrproof::impl {

/// How GoogleTest names a row of the table.
static void PrintTo(const FaultInfo& info, std::ostream* out) { *out << info.id; }

namespace {

using model::Outcome;
using testing::in_buffer;
using testing::Plain;
using testing::PlainCall;
using testing::Range;
using testing::Verb;

constexpr std::size_t kSteps = 20000;
/// Steps after which the walk starts anew.
constexpr std::size_t kCaseSteps = 40;

/// Calls as a program with many mistakes makes them: no better than needed to reach every fault.
class Walk {
 public:
  PlainCall next() {
    // Without these two, most calls would meet dead keys and failed queue pairs.
    if (failed_ != kNone && below(8) != 0) return testing::qp_call(Verb::connect, failed_);
    if (below(2) == 0)
      for (const Slot& slot : regions_)
        if (!slot.live) return register_at(slot.slot);
    switch (below(16)) {
      case 0: return end_or_start(pds_[below(2) + 2], Verb::alloc_pd, Verb::dealloc_pd);
      case 1: return testing::pd_call(Verb::dealloc_pd, 0);
      case 2: {
        const Slot& slot = regions_[below(regions_.size())];
        return slot.live ? testing::dereg_mr(slot.slot) : register_at(slot.slot);
      }
      case 3: return testing::qp_call(Verb::query_qp, any_qp());
      case 4:
      case 5:
      case 6:
      case 7: return post_recv();
      default: return transfer();
    }
  }

  /// Takes note of what the device made of the call.
  void note(const PlainCall& call, const model::Result<Plain>& result) {
    if (call.verb == Verb::connect) failed_ = kNone;
    if (result.qp_state.value() == static_cast<std::uint64_t>(model::QpState::err))
      failed_ = call.qp;
    if (result.outcome != Outcome::ok) return;
    if (call.verb == Verb::alloc_pd || call.verb == Verb::dealloc_pd)
      pds_[call.pd].live = call.verb == Verb::alloc_pd;
    if (call.verb == Verb::dereg_mr) regions_[call.mr].live = false;
    if (call.verb == Verb::reg_mr) {
      const bool zero_based = (call.access.value() & model::kZeroBased) != 0;
      const std::uint64_t first = zero_based ? 0 : call.address.value();
      regions_[call.mr] = {call.mr, true, {result.lkey.value(), first, call.length.value()}};
    }
  }

  /// Forgets all objects but those of the standard setup; goes on with the random numbers.
  void restart() {
    pds_ = {{0, true, {}}, {1, true, {}}, {2, false, {}}, {3, false, {}}};
    failed_ = kNone;
    regions_.clear();
    for (std::uint8_t slot = 0; slot < 4; ++slot) regions_.push_back({slot, false, {}});
  }

 private:
  struct Slot {
    std::uint8_t slot = 0;
    bool live = false;
    Range range;
  };

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint8_t any_qp() { return static_cast<std::uint8_t>(below(4)); }

  static PlainCall end_or_start(const Slot& slot, Verb start, Verb end) {
    return testing::pd_call(slot.live ? end : start, slot.slot);
  }

  PlainCall register_at(std::uint8_t slot) {
    static constexpr std::uint32_t kRights =
        model::kLocalWrite | model::kRemoteWrite | model::kRemoteRead;
    std::uint32_t access = below(2) == 0 ? kRights : static_cast<std::uint32_t>(below(16));
    if (below(6) == 0) access |= model::kZeroBased;
    if (below(10) == 0) access |= below(2) == 0 ? model::kRelaxedOrdering : 1U << 12;
    const std::size_t buffer = below(4);
    Range range{0, in_buffer(buffer, below(3) * 64), 64 + below(2) * 5000};
    if (below(12) == 0) range.length += below(2) == 0 ? 1ULL << 32 : model::kBufferSize;
    return testing::reg_mr(slot, static_cast<std::uint8_t>(below(2)), range, access);
  }

  /// The whole of some region, live or dead, or a part, or now and then something near it.
  Range range() {
    Range range = regions_[below(regions_.size())].range;
    switch (below(24)) {
      case 0: ++range.length; break;
      case 1: --range.address; break;
      case 2: range.address += 1ULL << 32; break;
      case 3: range.address = 0 - std::uint64_t{4}; break;
      case 4: range.length = 0; break;
      case 5: range.key ^= 0x40; break;
      case 6:
      case 7:
      case 8: range.length = std::min<std::uint64_t>(range.length, 48); break;
      default: break;
    }
    return range;
  }

  // One random number a statement: the order of evaluation of arguments is the compiler's.

  PlainCall post_recv() {
    const std::uint8_t qp = any_qp();
    return testing::work(Verb::post_recv, qp, range());
  }

  PlainCall transfer() {
    static constexpr Verb kVerbs[] = {Verb::send, Verb::rdma_write, Verb::rdma_read};
    const Verb verb = kVerbs[below(3)];
    const std::uint8_t qp = any_qp();
    Range local = range();
    const Range remote = range();
    if (below(8) != 0) local.length = std::min(local.length, remote.length);
    return testing::work(verb, qp, local, remote.key, remote.address);
  }

  static constexpr std::uint8_t kNone = 0xff;
  std::mt19937_64 random_{20240229};
  std::uint8_t failed_ = kNone;  ///< a QP that was seen in ERR
  std::vector<Slot> pds_;
  std::vector<Slot> regions_;
};

/// What the caller saw of a step, in one line; the buffers by their hash.
std::string seen(const model::Result<Plain>& result, const Device& device) {
  std::string line = std::to_string(static_cast<int>(result.outcome));
  for (const std::uint64_t value :
       {result.error.value(), result.lkey.value(), result.rkey.value(), result.qp_state.value(),
        result.peer_state.value(), result.own_receive.value(), result.peer_receive.value(),
        result.received.value(), std::uint64_t{result.completion_matches.truth()}})
    line += ' ' + std::to_string(value);
  for (std::size_t index = 0; index < model::kBufferCount; ++index) {
    const auto bytes = device.buffer(index);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    line += ' ' + std::to_string(std::hash<std::string_view>{}(text));
  }
  return line;
}

/// The lines of a walk, up to and including the first that differs from `correct`.
std::vector<std::string> walk(const SimOptions& options,
                              const std::vector<std::string>* correct = nullptr) {
  SimDevice device(options);
  Walk calls;
  std::vector<std::string> lines;
  while (lines.size() < kSteps) {
    if (lines.size() % kCaseSteps == 0) {
      device.reset(model::standard_setup());
      calls.restart();
    }
    const PlainCall call = calls.next();
    const auto result = device.perform(call).result;
    calls.note(call, result);
    lines.push_back(seen(result, device));
    if (correct != nullptr && lines.back() != correct->at(lines.size() - 1)) break;
  }
  return lines;
}

const std::vector<std::string>& correct_walk() {
  static const std::vector<std::string> lines = walk({});
  return lines;
}

TEST(Faults, IdsAreUniqueAndNameTheirFault) {
  std::set<std::string_view> ids;
  std::uint8_t value = 0;
  for (const FaultInfo& info : faults()) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_EQ(fault_by_name(info.id), info.fault);
    EXPECT_EQ(static_cast<std::uint8_t>(info.fault), ++value) << "out of order: " << info.id;
  }
  EXPECT_GE(ids.size(), 30U);
  EXPECT_FALSE(fault_by_name("none"));
  EXPECT_THROW(SimDevice({.fault = "no-such-fault"}), DeviceError);
}

TEST(Faults, TheCorrectDeviceRepeatsItself) { EXPECT_EQ(walk({}), correct_walk()); }

class EachFault : public ::testing::TestWithParam<FaultInfo> {};

TEST_P(EachFault, ChangesWhatTheCallerSees) {
  const SimOptions options{.fault = std::string(GetParam().id)};
  const auto lines = walk(options, &correct_walk());
  EXPECT_NE(lines.back(), correct_walk().at(lines.size() - 1)) << GetParam().breaks;
  RecordProperty("first_difference", std::to_string(lines.size()));
}

std::string test_name(const ::testing::TestParamInfo<FaultInfo>& info) {
  std::string name(info.param.id);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Sim, EachFault, ::testing::ValuesIn(faults()), test_name);

}  // namespace
}  // namespace mrproof::impl
