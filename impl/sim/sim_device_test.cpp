#include "impl/sim/sim_device.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>

#include "impl/test_calls.hpp"

namespace mrproof::impl::testing {
namespace {

/// The standard setup: qp0 and qp1 in pd0, qp2 in pd0, its peer qp3 in pd1; pd2 and pd3 absent.
class SimDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override { device.reset(model::standard_setup()); }

  /// Makes the call.
  model::Result<Plain> perform(const PlainCall& call) { return device.perform(call).result; }

  /// Registers and expects success. Returns the key.
  std::uint64_t region(std::uint32_t mr, std::uint32_t pd, std::uint64_t address,
                       std::uint64_t length, std::uint32_t access = model::kLocalWrite) {
    const auto result = perform(reg_mr(mr, pd, {0, address, length}, access));
    EXPECT_EQ(result.outcome, model::Outcome::ok);
    return result.lkey.value();
  }

  /// A copy of a buffer.
  std::vector<std::byte> bytes(std::size_t index) const {
    const auto all = device.buffer(index);
    return {all.begin(), all.end()};
  }

  SimDevice device;
};

TEST_F(SimDeviceTest, ResetStartsAnew) {
  const auto pristine = bytes(2);
  const std::uint64_t key = region(0, 0, in_buffer(2), 64);
  perform(fill(in_buffer(2, 1), 77, 9));
  EXPECT_NE(bytes(2), pristine);
  EXPECT_EQ(bytes(2).at(1), std::byte{model::pattern_byte(9, 0)});
  perform(work(Verb::send, 0, {0, 0, 1}));
  device.reset(model::standard_setup());
  EXPECT_EQ(bytes(2), pristine);
  EXPECT_EQ(perform(qp_call(Verb::query_qp, 0)).qp_state.value(),
            static_cast<std::uint64_t>(model::QpState::rts));
  EXPECT_EQ(region(0, 0, in_buffer(2), 64), key);
}

TEST_F(SimDeviceTest, MistakesOfTheHarnessAreNotBehaviour) {
  EXPECT_THROW(perform(dereg_mr(0)), std::logic_error);
  EXPECT_THROW(perform(pd_call(Verb::dealloc_pd, 3)), std::logic_error);
  EXPECT_THROW(perform(pd_call(Verb::alloc_pd, 0)), std::logic_error);
  EXPECT_THROW(perform(qp_call(Verb::query_qp, 4)), std::logic_error);
  EXPECT_THROW(perform(fill(in_buffer(0, 8190), 3, 1)), std::logic_error);
  EXPECT_THROW(device.reset({{9, 0, 0, 1}, {true, true, false, false}}), DeviceError);
  EXPECT_THROW(device.reset({{0, 0, model::Setup::kAbsent, 0}, {true}}), DeviceError);
}

TEST(SimDeviceInTwoProcesses, TakesNoCallWithObjectsOfBoth) {
  SimOptions options;
  options.processes = 2;
  SimDevice device(options);
  EXPECT_EQ(device.description().device, "sim0@two-processes");
  device.reset(model::standard_setup(device.processes()));
  const Range range{0, in_buffer(0), 64};
  const auto outcome = [&](const PlainCall& call) { return device.perform(call).result.outcome; };
  EXPECT_EQ(outcome(reg_mr(0, 0, range, model::kMwBind)), model::Outcome::ok);
  EXPECT_EQ(outcome(reg_mr(1, 1, range, model::kMwBind)), model::Outcome::ok);
  EXPECT_EQ(outcome(alloc_mw(0, 0, model::kTypeOne)), model::Outcome::ok);
  const PlainCall move = rereg_mr(1, model::kChangePd, 0, {}, 0);
  EXPECT_THROW(device.perform(move), std::logic_error);
  PlainCall bind{.verb = Verb::bind_mw, .mr = 1};
  EXPECT_THROW(device.perform(bind), std::logic_error);
  bind.mr = 0;
  bind.qp = 1;
  EXPECT_THROW(device.perform(bind), std::logic_error);
  // The same in one process is the device's to refuse.
  device.reset(mrproof::model::Setup{{0, 1, 0, 1}, {true, true}, {}});
  EXPECT_EQ(outcome(reg_mr(1, 1, range, model::kMwBind)), model::Outcome::ok);
  EXPECT_EQ(outcome(move), model::Outcome::ok);
}

}  // namespace
}  // namespace mrproof::impl::testing
