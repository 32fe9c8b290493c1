// What the tests of the simulated device share: a device in the standard setup, and expectations.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "impl/sim/sim_device.hpp"
#include "impl/test_calls.hpp"

namespace mrproof::impl::testing {

using model::Outcome;
using model::QpState;
using Result = model::Result<Plain>;

/// What a truncation to 32 bits loses.
inline constexpr std::uint64_t kFourGiB = 1ULL << 32;
/// Four bytes below the end of the address space: what begins here soon wraps around.
inline constexpr std::uint64_t kNearTheTop = 0 - std::uint64_t{4};
/// Every right that a transfer may need.
inline constexpr std::uint32_t kAllRights =
    model::kLocalWrite | model::kRemoteWrite | model::kRemoteRead;

/// The standard setup: qp0 and qp1 in pd0, qp2 in pd0, its peer qp3 in pd1; pd2 and pd3 absent.
class SimTest : public ::testing::Test {
 protected:
  explicit SimTest(const SimOptions& options = {}) : device(options) {}
  void SetUp() override { device.reset(model::standard_setup()); }

  /// Makes the call.
  Result perform(const PlainCall& call) { return device.perform(call).result; }

  /// Registers and expects success. Returns the key.
  std::uint64_t region(std::uint8_t mr, std::uint8_t pd, std::uint64_t address,
                       std::uint64_t length, std::uint32_t access = kAllRights) {
    const Result result = perform(reg_mr(mr, pd, {0, address, length}, access));
    EXPECT_EQ(result.outcome, Outcome::ok);
    return result.lkey.value();
  }

  /// Makes the call and expects a refusal. Returns its errno.
  std::uint64_t refusal(const PlainCall& call) {
    const Result result = perform(call);
    EXPECT_EQ(result.outcome, Outcome::refused);
    return result.error.value();
  }

  /// Makes the call and expects its completion, both states, and how posted receives ended.
  void expect(const PlainCall& call, Outcome outcome, QpState own, QpState peer,
              Outcome own_receive = Outcome::none, Outcome peer_receive = Outcome::none) {
    const Result result = perform(call);
    EXPECT_EQ(result.outcome, outcome);
    EXPECT_TRUE(result.completion_matches.truth());
    EXPECT_EQ(result.qp_state.value(), static_cast<std::uint64_t>(own));
    EXPECT_EQ(result.peer_state.value(), static_cast<std::uint64_t>(peer));
    EXPECT_EQ(result.own_receive.value(), static_cast<std::uint64_t>(own_receive));
    EXPECT_EQ(result.peer_receive.value(), static_cast<std::uint64_t>(peer_receive));
  }

  /// Expects success, and both ends well.
  void expect_ok(const PlainCall& call, Outcome peer_receive = Outcome::none) {
    expect(call, Outcome::ok, QpState::rts, QpState::rts, Outcome::none, peer_receive);
  }

  /// Expects an error at the requester only, on a fresh pair, and connects the pair again.
  void expect_local_error(const PlainCall& call, Outcome outcome) {
    expect(call, outcome, QpState::err, QpState::rts);
    perform(qp_call(Verb::connect, call.qp));
  }

  /// The same for an error that takes both ends to ERR.
  void expect_remote_error(const PlainCall& call, Outcome outcome = Outcome::rem_access_err) {
    expect(call, outcome, QpState::err, QpState::err);
    perform(qp_call(Verb::connect, call.qp));
  }

  /// A copy of a buffer.
  std::vector<std::byte> bytes(std::size_t index) const {
    const auto all = device.buffer(index);
    return {all.begin(), all.end()};
  }

  /// The bytes `to` after the `length` ones at offset `from` of buffer `index` went to offset `at`.
  std::vector<std::byte> with_copy(std::vector<std::byte> to, std::size_t at, std::size_t index,
                                   std::size_t from, std::size_t length) const {
    const auto source = device.buffer(index).subspan(from, length);
    std::copy(source.begin(), source.end(), std::next(to.begin(), static_cast<long>(at)));
    return to;
  }

  SimDevice device;
};

}  // namespace mrproof::impl::testing
