#include "impl/sim/sim_device.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>

#include "impl/sim/test_fixture.hpp"

namespace mrproof::impl::testing {
namespace {

using SimDeviceTest = SimTest;

TEST_F(SimDeviceTest, ProtectionDomainsAreBusyWhileUsed) {
  EXPECT_EQ(refusal(pd_call(Verb::dealloc_pd, 0)), EBUSY);
  EXPECT_EQ(refusal(pd_call(Verb::dealloc_pd, 1)), EBUSY);
  EXPECT_EQ(perform(pd_call(Verb::alloc_pd, 2)).outcome, Outcome::ok);
  region(0, 2, in_buffer(0), 64);
  EXPECT_EQ(refusal(pd_call(Verb::dealloc_pd, 2)), EBUSY);
  EXPECT_EQ(perform(dereg_mr(0)).outcome, Outcome::ok);
  EXPECT_EQ(perform(pd_call(Verb::dealloc_pd, 2)).outcome, Outcome::ok);
}

TEST_F(SimDeviceTest, RegistrationChecksAccess) {
  const Range range{0, in_buffer(0, 5), 100};
  for (const std::uint32_t lone : {model::kRemoteWrite, model::kRemoteAtomic})
    EXPECT_EQ(refusal(reg_mr(0, 0, range, lone)), EINVAL);
  for (const std::uint32_t bit : {1U << 10, 1U << 19, 1U << 30, 1U << 31})
    EXPECT_EQ(refusal(reg_mr(0, 0, range, bit)), EINVAL);
  for (const std::uint32_t bit : {model::kFlushPersistent, model::kFlushGlobal})
    EXPECT_EQ(refusal(reg_mr(0, 0, range, bit)), EOPNOTSUPP);
  const std::uint32_t all = kAllRights | model::kRemoteAtomic | model::kMwBind;
  for (const std::uint32_t good : {0U, 0U + model::kRemoteRead, all, model::kOptionalRange}) {
    EXPECT_EQ(perform(reg_mr(0, 0, range, good)).outcome, Outcome::ok) << good;
    perform(dereg_mr(0));
  }
}

TEST_F(SimDeviceTest, RegistrationChecksTheRange) {
  const std::uint64_t size = model::kBufferSize;
  const auto error = [&](std::uint64_t address, std::uint64_t length) {
    return refusal(reg_mr(0, 0, {0, address, length}, kAllRights));
  };
  EXPECT_EQ(error(in_buffer(0), 0), EINVAL);
  EXPECT_EQ(error(in_buffer(0), size + 1), EFAULT);
  EXPECT_EQ(error(in_buffer(0, size), 1), EFAULT);
  EXPECT_EQ(error(in_buffer(0) - 1, 2), EFAULT);
  EXPECT_EQ(error(in_buffer(0), model::kBufferStride + 1), EFAULT);
  EXPECT_EQ(error(in_buffer(4), 1), EFAULT);
  EXPECT_EQ(error(0, 1), EFAULT);
  EXPECT_EQ(error(in_buffer(0, 8), ~0ULL), EINVAL);
  EXPECT_EQ(error(in_buffer(0), kFourGiB + 8), EFAULT);
  region(0, 0, in_buffer(0), size);
  region(1, 0, in_buffer(3, model::buffer_size(3) - 1), 1);
}

TEST_F(SimDeviceTest, KeysAreFreshAndStaleOnesDead) {
  std::uint64_t last = region(0, 0, in_buffer(0), 64);
  for (int round = 0; round < 1000; ++round) {
    perform(dereg_mr(0));
    const std::uint64_t stale = last;
    last = region(0, 0, in_buffer(0), 64);
    ASSERT_NE(last, stale);
    expect_remote_error(work(Verb::rdma_write, 0, {last, in_buffer(0), 8}, stale, in_buffer(0)));
    expect_local_error(work(Verb::rdma_write, 0, {stale, in_buffer(0), 8}, last, in_buffer(0)),
                       Outcome::loc_prot_err);
  }
  const std::uint64_t guessed = last ^ 1;
  expect_remote_error(work(Verb::rdma_read, 0, {last, in_buffer(0), 8}, guessed, in_buffer(0)));
}

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
            static_cast<std::uint64_t>(QpState::rts));
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
  EXPECT_EQ(outcome(reg_mr(0, 0, range, model::kMwBind)), Outcome::ok);
  EXPECT_EQ(outcome(reg_mr(1, 1, range, model::kMwBind)), Outcome::ok);
  EXPECT_EQ(outcome(alloc_mw(0, 0, model::kTypeOne)), Outcome::ok);
  const PlainCall move = rereg_mr(1, model::kChangePd, 0, {}, 0);
  EXPECT_THROW(device.perform(move), std::logic_error);
  PlainCall bind{.verb = Verb::bind_mw, .mr = 1};
  EXPECT_THROW(device.perform(bind), std::logic_error);
  bind.mr = 0;
  bind.qp = 1;
  EXPECT_THROW(device.perform(bind), std::logic_error);
  // The same in one process is the device's to refuse.
  device.reset(mrproof::model::Setup{{0, 1, 0, 1}, {true, true}, {}});
  EXPECT_EQ(outcome(reg_mr(1, 1, range, model::kMwBind)), Outcome::ok);
  EXPECT_EQ(outcome(move), Outcome::ok);
}

}  // namespace
}  // namespace mrproof::impl::testing
