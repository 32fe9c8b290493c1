// Tests of the verbs device as a whole, and of its helpers.
#include "impl/verbs/verbs_device.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "impl/verbs/identity.hpp"
#include "impl/verbs/kernel_log.hpp"
#include "impl/verbs/test_on_device.hpp"

namespace mrproof::impl {
namespace {

std::string message_of_opening(const std::string& name) {
  try {
    open_verbs_device(name);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return {};
}

TEST(VerbsDevice, UnknownDeviceIsReportedWithWhatIsPresent) {
  const std::string message = message_of_opening("no_such_device");
  EXPECT_EQ(message.rfind("no RDMA device 'no_such_device'; present: ", 0), 0U) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(VerbsDevice, ListingNeverThrowsAndNamesEachDevice) {
  for (const DeviceListing& listing : list_verbs_devices()) {
    EXPECT_FALSE(listing.name.empty());
    EXPECT_FALSE(listing.driver.empty());
    EXPECT_EQ(listing.unusable.find('\n'), std::string::npos);
  }
}

TEST(Identity, VersionIsReadOffTheLibrarysFileName) {
  EXPECT_EQ(version_in_name("libibverbs.so.1.14.44.0"), "44.0");
  EXPECT_EQ(version_in_name("libibverbs.so.1.15.56.1"), "56.1");
  EXPECT_EQ(version_in_name("libibverbs.so.1"), "unknown");
  EXPECT_EQ(version_in_name("program"), "unknown");
}

TEST(Identity, DriverOfNothingIsUnknown) {
  EXPECT_EQ(driver_of("no_such_device"), "unknown");
  EXPECT_FALSE(kernel_release().empty());
}

LogLine kind_of(std::string_view record) {
  std::string_view text;
  return classify_record(record, text);
}

TEST(KernelLog, TellsFaultsFromChatter) {
  EXPECT_EQ(kind_of("4,940,9881,-;WARNING: CPU: 0 PID: 7 at rxe_mr.c:9\n"), LogLine::fault);
  EXPECT_EQ(kind_of("1,941,9882,-;BUG: kernel NULL pointer dereference\n"), LogLine::fault);
  EXPECT_EQ(kind_of("4,942,9883,-;general protection fault: 0000 [#1]\n"), LogLine::fault);
  EXPECT_EQ(kind_of("4,943,9884,-;Call Trace:\n"), LogLine::call_trace);
  EXPECT_EQ(kind_of("4,943,9884,-; rxe_destroy_qp+0x26/0x30 [rdma_rxe]\n"), LogLine::frame);
  EXPECT_EQ(kind_of("4,943,9884,-; ? complete+0x18/0x80\n"), LogLine::ordinary) << "may be old";
  EXPECT_EQ(kind_of("0,944,9885,-;watchdog: BUG: soft lockup - CPU#0 stuck\n"), LogLine::stall);
  EXPECT_EQ(kind_of("4,945,9886,-;rdma_rxe: Unable to pin memory\n"), LogLine::ordinary);
  EXPECT_EQ(kind_of("6,946,9887,-;WARNING: in a notice\n"), LogLine::ordinary);
  EXPECT_EQ(kind_of("12,947,9888,-;WARNING: says a program\n"), LogLine::ordinary);
  EXPECT_EQ(kind_of("no record"), LogLine::ordinary);
}

TEST(KernelLog, TellsWhoHadWhatASanitizerFinds) {
  EXPECT_EQ(kind_of("3,940,9881,-;BUG: KASAN: use-after-free in __rxe_put+0x18/0x60\n"),
            LogLine::fault);
  EXPECT_EQ(kind_of("3,941,9882,-; dump_stack_lvl+0x4c/0x5f\n"), LogLine::ordinary);
  EXPECT_EQ(kind_of("3,942,9883,-; kasan_report+0xd7/0x190\n"), LogLine::ordinary);
  EXPECT_EQ(kind_of("3,943,9884,-; rxe_mw_cleanup+0xd2/0x1e0 [rdma_rxe]\n"), LogLine::frame);
  EXPECT_EQ(kind_of("3,944,9885,-;Freed by task 125:\n"), LogLine::call_trace);
  EXPECT_EQ(kind_of("4,945,9886,-; __kasan_slab_free+0xf6/0x140\n"), LogLine::ordinary);
  EXPECT_EQ(kind_of("4,946,9887,-; ib_destroy_qp_user+0x28e/0x3c0 [ib_core]\n"), LogLine::frame);
}

TEST(KernelLog, TextIsTheFirstLineOfTheRecord) {
  std::string_view text;
  classify_record("4,940,9881,-;BUG: x\n SUBSYSTEM=infiniband\n", text);
  EXPECT_EQ(text, "BUG: x");
}

TEST(KernelLog, DisabledIsSilent) {
  KernelLog log(false);
  EXPECT_FALSE(log.watching());
  EXPECT_EQ(log.take(), "");
}

TEST_F(OnDevice, DescribesItself) {
  const Description description = device_->description();
  EXPECT_EQ(description.device, std::getenv("MRPROOF_DEVICE"));
  EXPECT_NE(description.driver, "");
  EXPECT_EQ(description.kernel, kernel_release());
  EXPECT_GT(device_->capabilities().max_message.value(), 0U);
  bool listed = false;
  for (const DeviceListing& listing : list_verbs_devices())
    listed |= listing.name == description.device && listing.unusable.empty();
  EXPECT_TRUE(listed);
}

TEST_F(OnDevice, RegistersAndDeregisters) {
  const Observation made = reg(0, kAll);
  ASSERT_EQ(made.result.outcome, Outcome::ok);
  EXPECT_GT(made.inside_ns, 0U);
  EXPECT_EQ(dereg(0).result.outcome, Outcome::ok);
}

TEST_F(OnDevice, RefusalCarriesErrno) {
  const Observation seen = reg(0, model::kRemoteWrite);
  EXPECT_EQ(seen.result.outcome, Outcome::refused);
  EXPECT_EQ(seen.result.error.value(), static_cast<unsigned>(EINVAL));
}

TEST_F(OnDevice, WritesAndReads) {
  reg(0, kAll);
  reg(1, kAll);
  EXPECT_FALSE(same(1, 0, model::kBufferSize));
  const Observation wrote = device_->perform(transfer(Verb::rdma_write, model::kBufferSize));
  ASSERT_EQ(wrote.result.outcome, Outcome::ok);
  EXPECT_TRUE(wrote.result.completion_matches.truth());
  EXPECT_EQ(receive_outcome(wrote.result.peer_receive), Outcome::none);
  EXPECT_EQ(state(wrote.result.qp_state), QpState::unknown);
  EXPECT_TRUE(same(1, 0, model::kBufferSize));

  device_->perform(testing::fill(model::buffer_address(1), 100, 9));
  const Observation got = device_->perform(transfer(Verb::rdma_read, 100));
  ASSERT_EQ(got.result.outcome, Outcome::ok);
  EXPECT_TRUE(same(0, 1, 100));
}

TEST_F(OnDevice, SendEndsWithBothCompletions) {
  reg(0, kAll);
  reg(1, kAll);
  ASSERT_EQ(receive(1, 4096).result.outcome, Outcome::ok);
  const Observation sent = device_->perform(transfer(Verb::send, 100));
  ASSERT_EQ(sent.result.outcome, Outcome::ok);
  EXPECT_TRUE(sent.result.completion_matches.truth());
  EXPECT_EQ(receive_outcome(sent.result.peer_receive), Outcome::ok);
  EXPECT_EQ(sent.result.received.value(), 100U);
  EXPECT_TRUE(same(1, 0, 100));
}

TEST_F(OnDevice, RemoteErrorFailsBothEndsAndFlushesReceives) {
  reg(0, kAll);
  reg(1, kAll);
  receive(0, 64);
  receive(1, 64);
  dereg(1);
  const Observation seen = device_->perform(transfer(Verb::rdma_write, 64));
  EXPECT_EQ(seen.result.outcome, Outcome::rem_access_err);
  EXPECT_TRUE(seen.result.completion_matches.truth());
  EXPECT_EQ(state(seen.result.qp_state), QpState::err);
  EXPECT_EQ(state(seen.result.peer_state), QpState::err);
  EXPECT_EQ(receive_outcome(seen.result.own_receive), Outcome::wr_flush_err);
  EXPECT_EQ(receive_outcome(seen.result.peer_receive), Outcome::wr_flush_err);
  EXPECT_EQ(device_->perform(transfer(Verb::rdma_write, 64)).result.outcome, Outcome::wr_flush_err);
  EXPECT_EQ(state(on_pair(Verb::query_qp, 1).result.qp_state), QpState::err);
}

TEST_F(OnDevice, ConnectMakesAFailedPairUsableAgain) {
  reg(0, kAll);
  reg(1, kAll);
  Call bad = transfer(Verb::rdma_read, 64);
  bad.address = Plain::address(model::buffer_address(2));
  EXPECT_EQ(device_->perform(bad).result.outcome, Outcome::loc_prot_err);
  receive(0, 64);  // on a failed queue pair: must not be heard of again
  const Observation connected = on_pair(Verb::connect, 0);
  EXPECT_EQ(connected.result.outcome, Outcome::ok);
  EXPECT_TRUE(connected.rebuilt);
  const Observation wrote = device_->perform(transfer(Verb::rdma_write, 64));
  EXPECT_EQ(wrote.result.outcome, Outcome::ok);
  EXPECT_EQ(receive_outcome(wrote.result.own_receive), Outcome::none);
}

TEST_F(OnDevice, ResetLeavesNothingOfTheCaseBefore) {
  reg(0, kAll);
  reg(1, kAll);
  receive(1, 64);
  device_->perform(transfer(Verb::rdma_write, 64));
  device_->reset(model::standard_setup());
  EXPECT_FALSE(same(1, 0, 64));
  ASSERT_EQ(reg(0, kAll).result.outcome, Outcome::ok);
  EXPECT_EQ(device_->perform(transfer(Verb::send, 64)).result.outcome, Outcome::rnr_retry_exc_err);
  mrproof::model::Setup bare;
  device_->reset(bare);
  EXPECT_THROW(reg(0, kAll), std::logic_error);
  device_->reset(model::standard_setup());
  EXPECT_EQ(state(on_pair(Verb::query_qp, 3).result.qp_state), QpState::rts);
}

TEST_F(OnDevice, DomainsComeAndGo) {
  const Call call = testing::pd_call(Verb::alloc_pd, 2);
  ASSERT_EQ(device_->perform(call).result.outcome, Outcome::ok);
  EXPECT_THROW(device_->perform(call), std::logic_error);
  ASSERT_EQ(reg(3, kAll, 2).result.outcome, Outcome::ok);
  ASSERT_EQ(dereg(3).result.outcome, Outcome::ok);
  EXPECT_EQ(device_->perform(testing::pd_call(Verb::dealloc_pd, 2)).result.outcome, Outcome::ok);
}

/// A case may end between the beginning of a call and its return.
TEST_F(OnDevice, ResetKnowsWhatACallHasMadeWhoseReturnNobodyAskedFor) {
  Call call = testing::pd_call(Verb::alloc_pd, 2);
  for (int round = 0; round < 2; ++round) {
    call.label = 1;
    call.part = model::Part::posted;
    EXPECT_EQ(device_->perform(call).result.outcome, Outcome::none);
    device_->reset(model::standard_setup());
  }
  EXPECT_EQ(device_->perform(testing::pd_call(Verb::alloc_pd, 2)).result.outcome, Outcome::ok);
}

TEST_F(OnDevice, CallsThatNoProgramCanMakeThrow) {
  EXPECT_THROW(dereg(5), std::logic_error);
  EXPECT_THROW(device_->perform(transfer(Verb::rdma_write, 1ULL << 32U)), std::logic_error);
  mrproof::model::Setup half;
  half.pd[0] = true;
  half.qp_pd[0] = 0;
  EXPECT_THROW(device_->reset(half), DeviceError);
}

}  // namespace
}  // namespace mrproof::impl
