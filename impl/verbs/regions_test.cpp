// Tests of memory regions and memory windows on a real device.
#include <cerrno>
#include <stdexcept>

#include "impl/verbs/dma_buf.hpp"
#include "impl/verbs/test_on_device.hpp"

namespace mrproof::impl {
namespace {

constexpr std::uint32_t kBindable = kAll | model::kMwBind;

TEST(DmaBuf, IsMadeOnceOrNotAtAll) {
  DmaBuf memory;
  const int descriptor = memory.descriptor();
  EXPECT_GE(descriptor, -1);
  EXPECT_EQ(memory.descriptor(), descriptor);
}

TEST_F(OnDevice, RegionsWithAddressesOfTheirOwn) {
  reg(0, kAll);
  const Call call =
      testing::reg_at(Verb::reg_mr_iova, 1, 0, start_of(1, model::kPageSize), 0x10000, kAll);
  const Observation made = device_->perform(call);
  ASSERT_EQ(made.result.outcome, Outcome::ok);
  Call write = transfer(Verb::rdma_write, 64);
  write.rkey = made.result.rkey;
  write.remote = call.iova;
  EXPECT_EQ(device_->perform(write).result.outcome, Outcome::ok);
  EXPECT_TRUE(same(1, 0, 64));
  write.remote = call.address;
  EXPECT_EQ(device_->perform(write).result.outcome, Outcome::rem_access_err);
}

TEST_F(OnDevice, OptionalRegistrationsAreMadeOrRefusedWithAReason) {
  for (const Verb verb : {Verb::reg_mr_ex, Verb::reg_dmabuf_mr, Verb::alloc_null_mr}) {
    Call call;
    call.verb = verb;
    call.length = Plain::address(model::kPageSize);
    if (verb == Verb::reg_mr_ex) call.address = Plain::address(model::buffer_address(0));
    call.iova = call.address;
    call.access = Plain::flags(model::kLocalWrite);
    const Observation made = device_->perform(call);
    if (made.result.outcome == Outcome::ok)
      EXPECT_EQ(dereg(0).result.outcome, Outcome::ok);
    else
      EXPECT_NE(made.result.error.value(), 0U);
  }
  EXPECT_EQ(device_->perform({.verb = Verb::reg_shared_mr}).result.error.value(),
            static_cast<unsigned>(EOPNOTSUPP));
}

/// What is stored in a region after its deregistration has returned, the next step shows; for other
/// memory, and once another call overlaps, there is no such look.
TEST_F(OnDevice, DeregistrationInAThreadShowsTheRegionAsItWasWhenItReturned) {
  for (const bool alone : {true, false}) {
    reg(1, kAll);
    auto& byte = *reinterpret_cast<std::byte*>(model::buffer_address(1) + 5);
    auto& elsewhere = *reinterpret_cast<std::byte*>(model::buffer_address(2));
    Call call = testing::dereg_mr(1);
    call.label = 1;
    call.part = model::Part::posted;
    EXPECT_EQ(device_->perform(call).result.outcome, Outcome::none);
    Call other = testing::qp_call(Verb::query_qp, 0);
    other.label = 2;
    other.part = model::Part::posted;
    if (!alone) device_->perform(other);
    const std::byte before = byte;
    call.part = other.part = model::Part::completion;
    EXPECT_EQ(device_->perform(call).result.outcome, Outcome::ok);
    byte = elsewhere = ~before;
    EXPECT_EQ(device_->buffer(1)[5], alone ? before : ~before);
    EXPECT_EQ(device_->buffer(2)[0], ~before);
    if (!alone) device_->perform(other);
    on_pair(Verb::query_qp, 0);
    EXPECT_EQ(device_->buffer(1)[5], ~before);
  }
}

TEST_F(OnDevice, RegionCanBeDeregisteredWhateverBecameOfIt) {
  reg(0, kAll);
  const Call change = testing::rereg_mr(0, model::kChangeAccess, 0, {}, model::kLocalWrite);
  const Observation changed = device_->perform(change);
  if (changed.result.outcome == Outcome::ok) {
    EXPECT_NE(changed.result.lkey.value(), 0U);
  } else {
    EXPECT_GE(changed.result.error.value(), std::uint64_t{model::kErrCmdAndDoForkNew});
    EXPECT_NE(changed.result.reason.value(), 0U);
  }
  EXPECT_EQ(dereg(0).result.outcome, Outcome::ok);
  EXPECT_THROW(device_->perform(change), std::logic_error);
}

TEST_F(OnDevice, ReregistrationWithBadFlagsIsRefusedByTheLibrary) {
  reg(0, kAll);
  const Observation changed = device_->perform(testing::rereg_mr(0, model::kChanges + 1, 0, {}, 0));
  EXPECT_EQ(changed.result.outcome, Outcome::refused);
  EXPECT_EQ(changed.result.error.value(), std::uint64_t{model::kErrInput});
  EXPECT_EQ(changed.result.reason.value(), static_cast<unsigned>(EINVAL));
  reg(1, kAll);
  EXPECT_EQ(device_->perform(transfer(Verb::rdma_write, 64)).result.outcome, Outcome::ok);
}

TEST_F(OnDevice, ReregistrationBelowTheLibraryIsTheKernels) {
  device_.reset();
  VerbsOptions below;
  below.rereg_by_uverbs = true;
  const char* name = std::getenv("MRPROOF_DEVICE");
  ASSERT_NE(name, nullptr);
  device_ = open_verbs_device(name, below);
  EXPECT_TRUE(device_->description().device.ends_with("@uverbs"));
  device_->reset(model::standard_setup());
  reg(0, kAll);
  reg(1, kAll);
  Call change = testing::rereg_mr(1, model::kChangeAccess, 0, {}, model::kLocalWrite);
  const Observation changed = device_->perform(change);
  const Observation written = device_->perform(transfer(Verb::rdma_write, 64));
  if (changed.result.outcome == Outcome::ok) {
    EXPECT_NE(changed.result.lkey.value(), 0U);
    EXPECT_NE(written.result.outcome, Outcome::ok);
  } else {
    EXPECT_EQ(changed.result.error.value(), std::uint64_t{model::kErrCmd});
    EXPECT_NE(changed.result.reason.value(), 0U);
    EXPECT_EQ(written.result.outcome, Outcome::ok);
  }
  change.flags = Plain::flags(model::kChanges + 1);
  EXPECT_EQ(device_->perform(change).result.error.value(), std::uint64_t{model::kErrInput});
}

TEST_F(OnDevice, AdviceIsTakenOrRefusedWithAReason) {
  reg(0, kAll);
  Call advice = transfer(Verb::advise_mr, 64);
  const Observation advised = device_->perform(advice);
  EXPECT_EQ(advised.result.outcome == Outcome::ok, advised.result.error.value() == 0);
  EXPECT_TRUE(advised.result.outcome == Outcome::ok || advised.result.outcome == Outcome::refused);
}

TEST_F(OnDevice, WindowOfTypeOneGivesAccessWhileItIsBound) {
  if (!claims(model::kMwType1)) GTEST_SKIP() << "no windows of type 1";
  reg(0, kAll);
  reg(1, kBindable);
  const Observation made = alloc_window(0, model::kTypeOne);
  ASSERT_EQ(made.result.outcome, Outcome::ok);
  EXPECT_THROW(alloc_window(0, model::kTypeOne), std::logic_error);
  const Observation bound = bind(Verb::bind_mw, 0, 128);
  ASSERT_EQ(bound.result.outcome, Outcome::ok);
  EXPECT_TRUE(bound.result.completion_matches.truth());
  EXPECT_NE(bound.result.rkey.value(), made.result.rkey.value());
  EXPECT_EQ(write_by(bound.result.rkey).result.outcome, Outcome::ok);
  EXPECT_TRUE(same(1, 0, 64));

  // The key before the bind does not, nor does the last one once the window is unbound.
  EXPECT_EQ(write_by(made.result.rkey).result.outcome, Outcome::rem_access_err);
  on_pair(Verb::connect, 0);
  EXPECT_EQ(bind(Verb::bind_mw, 0, 0).result.outcome, Outcome::ok);
  EXPECT_EQ(write_by(bound.result.rkey).result.outcome, Outcome::rem_access_err);
}

TEST_F(OnDevice, FailedBindLeavesTheKey) {
  if (!claims(model::kMwType1)) GTEST_SKIP() << "no windows of type 1";
  reg(0, kAll);
  reg(1, kBindable);
  alloc_window(0, model::kTypeOne);
  const Observation bound = bind(Verb::bind_mw, 0, 128);
  const Observation failed = bind(Verb::bind_mw, 0, 2 * model::kBufferSize);
  EXPECT_EQ(failed.result.outcome, Outcome::mw_bind_err);
  EXPECT_TRUE(failed.result.completion_matches.truth());
  EXPECT_EQ(state(failed.result.qp_state), QpState::err);
  on_pair(Verb::connect, 0);
  EXPECT_EQ(write_by(bound.result.rkey).result.outcome, Outcome::ok);
  // The structure holds the key that counts, or this bind would name a window of another key.
  EXPECT_EQ(bind(Verb::bind_mw, 0, 128).result.outcome, Outcome::ok);
}

TEST_F(OnDevice, WindowHoldsItsRegion) {
  if (!claims(model::kMwType1)) GTEST_SKIP() << "no windows of type 1";
  reg(1, kBindable);
  alloc_window(0, model::kTypeOne);
  ASSERT_EQ(bind(Verb::bind_mw, 0, 128).result.outcome, Outcome::ok);
  EXPECT_EQ(dereg(1).result.outcome, Outcome::refused);
  const Call end = testing::dealloc_mw(0);
  EXPECT_EQ(device_->perform(end).result.outcome, Outcome::ok);
  EXPECT_THROW(device_->perform(end), std::logic_error);
  EXPECT_EQ(dereg(1).result.outcome, Outcome::ok);
}

TEST_F(OnDevice, WindowOfTypeTwoIsBoundByARequestAndInvalidated) {
  if (!claims(model::kMwType2B)) GTEST_SKIP() << "no windows of type 2B";
  reg(0, kAll);
  reg(1, kBindable);
  const Observation made = alloc_window(0, model::kTypeTwo);
  ASSERT_EQ(made.result.outcome, Outcome::ok);
  EXPECT_EQ(bind(Verb::bind_mw, 0, 128).result.outcome, Outcome::refused);
  const Plain::Key key = Plain::key(made.result.rkey.value() + 1);
  const Observation bound = bind(Verb::post_bind_mw, 0, 128, key);
  ASSERT_EQ(bound.result.outcome, Outcome::ok);
  EXPECT_TRUE(bound.result.completion_matches.truth());
  EXPECT_EQ(bound.result.rkey.value(), key.value());
  EXPECT_EQ(write_by(key).result.outcome, Outcome::ok);

  const Observation ended = device_->perform(testing::local_inv(1, key.value()));
  EXPECT_EQ(ended.result.outcome, Outcome::ok);
  EXPECT_TRUE(ended.result.completion_matches.truth());
  EXPECT_EQ(write_by(key).result.outcome, Outcome::rem_access_err);
  EXPECT_EQ(dereg(1).result.outcome, Outcome::ok);
}

TEST_F(OnDevice, ResetLetsBoundWindowsGo) {
  if (!claims(model::kMwType2B)) GTEST_SKIP() << "no windows of type 2B";
  const Observation made = alloc_window(0, model::kTypeTwo);
  reg(1, kBindable);
  const Plain::Key key = Plain::key(made.result.rkey.value() + 1);
  ASSERT_EQ(bind(Verb::post_bind_mw, 0, 128, key).result.outcome, Outcome::ok);
  // Without the queue pairs too: destroyed before the window, one makes rxe wait and complain.
  device_->reset(mrproof::model::Setup{});
  device_->reset(model::standard_setup());
  EXPECT_EQ(reg(0, kAll).kernel_warning, "");
  reg(1, kBindable);
  EXPECT_EQ(write_by(key).result.outcome, Outcome::rem_access_err);
}

TEST_F(OnDevice, PagesThatAreNotThereAreNotRegistered) {
  Call pages =
      testing::protect(testing::in_buffer(3, model::kPageSize), model::kPageSize, model::kNoPages);
  ASSERT_EQ(device_->perform(pages).result.outcome, Outcome::ok);
  EXPECT_EQ(reg(3, kAll).result.outcome, Outcome::refused);
  pages.option = model::kWritePages;
  device_->perform(pages);
  ASSERT_EQ(reg(3, kAll).result.outcome, Outcome::ok);
  EXPECT_EQ(dereg(3).result.outcome, Outcome::ok);
  pages.option = model::kReadPages;
  device_->perform(pages);
  EXPECT_EQ(reg(3, kAll).result.outcome, Outcome::refused);
  EXPECT_EQ(reg(3, model::kRemoteRead).result.outcome, Outcome::ok);
  device_->reset(model::standard_setup());
  EXPECT_EQ(reg(3, kAll).result.outcome, Outcome::ok);
}

}  // namespace
}  // namespace mrproof::impl
