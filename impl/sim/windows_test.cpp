#include <gtest/gtest.h>

#include <cerrno>

#include "impl/sim/test_fixture.hpp"

namespace mrproof::impl::testing {
namespace {

constexpr std::uint32_t kBindable = kAllRights | model::kRemoteAtomic | model::kMwBind;
constexpr std::uint32_t kReadWrite = model::kRemoteWrite | model::kRemoteRead;

/// mr0 is a region of buffer 1 in pd0, mr1 one of buffer 0; mw0 is of type 1, mw1 of type 2.
class Windows : public SimTest {
 protected:
  void SetUp() override {
    SimTest::SetUp();
    under_ = region(0, 0, in_buffer(1, 64), 4096, kBindable);
    local_ = {region(1, 0, in_buffer(0), 4096), in_buffer(0), 8};
    one_ = perform(alloc_mw(0, 0, model::kTypeOne)).rkey.value();
    two_ = perform(alloc_mw(1, 0, model::kTypeTwo)).rkey.value();
  }

  static Range window(std::uint64_t offset, std::uint64_t length) {
    return {0, in_buffer(1, 64 + offset), length};
  }
  static PlainCall bind_one(const Range& range, std::uint32_t access = kReadWrite) {
    return bind(Verb::bind_mw, 0, 0, 0, range, access);
  }
  PlainCall bind_two(const Range& range, std::uint64_t key,
                     std::uint32_t access = kReadWrite) const {
    return bind(Verb::post_bind_mw, 0, 1, 0, range, access, key);
  }
  std::uint64_t bound(const PlainCall& call) {
    const Result result = perform(call);
    EXPECT_EQ(result.outcome, Outcome::ok);
    return result.rkey.value();
  }
  /// Window, region and queue pair are fresh after this.
  void expect_bind_error(const PlainCall& call) { expect_local_error(call, Outcome::mw_bind_err); }
  PlainCall write(std::uint64_t key, std::uint64_t remote, std::uint8_t qp = 1) const {
    return work(Verb::rdma_write, qp, local_, key, remote);
  }

  std::uint64_t under_ = 0;
  Range local_;
  std::uint64_t one_ = 0;
  std::uint64_t two_ = 0;
};

TEST_F(Windows, KeysAreAllUnlike) {
  EXPECT_NE(one_ >> 8U, two_ >> 8U);
  EXPECT_NE(one_ >> 8U, under_ >> 8U);
  EXPECT_NE(two_ >> 8U, under_ >> 8U);
  expect_remote_error(write(one_, in_buffer(1, 64)));
  PlainCall other = alloc_mw(2, 0, model::kTypeOne);
  other.option = 3;
  EXPECT_EQ(refusal(other), EINVAL);
}

TEST_F(Windows, TypeOneGivesAccessToItsRangeOnly) {
  const std::uint64_t key = bound(bind_one(window(100, 64)));
  EXPECT_NE(key, one_);
  const std::uint64_t first = in_buffer(1, 164);
  const auto expected = with_copy(bytes(1), 164, 0, 0, 8);
  expect_ok(write(key, first));
  EXPECT_EQ(bytes(1), expected);
  expect_ok(write(key, first + 56, 0));
  for (const std::uint64_t bad : {first - 1, first + 57, in_buffer(1, 64), kNearTheTop})
    expect_remote_error(write(key, bad));
  expect_remote_error(write(key, first, 2));  // the responder, qp3, is in pd1
  expect_local_error(work(Verb::send, 0, {key, first, 8}), Outcome::loc_prot_err);
}

TEST_F(Windows, RightsAreTheWindows) {
  const std::uint64_t read_only = bound(bind_one(window(0, 64), model::kRemoteRead));
  expect_remote_error(write(read_only, in_buffer(1, 64)));
  expect_ok(work(Verb::rdma_read, 1, local_, read_only, in_buffer(1, 64)));
  const std::uint64_t write_only = bound(bind_one(window(0, 64), model::kRemoteWrite));
  expect_remote_error(work(Verb::rdma_read, 1, local_, write_only, in_buffer(1, 64)));
  expect_remote_error(
      atomic(Verb::atomic_fetch_and_add, 1, local_, write_only, in_buffer(1, 64), 1));
  expect_ok(write(write_only, in_buffer(1, 64)));
}

TEST_F(Windows, BindingAnewEndsTheOldBinding) {
  const std::uint64_t old = bound(bind_one(window(0, 64)));
  const std::uint64_t fresh = bound(bind_one(window(64, 64)));
  EXPECT_NE(old, fresh);
  expect_remote_error(write(old, in_buffer(1, 64)));
  expect_ok(write(fresh, in_buffer(1, 128)));
  const std::uint64_t unbound = bound(bind_one({0, 0, 0}));
  for (const std::uint64_t key : {fresh, unbound})
    expect_remote_error(write(key, in_buffer(1, 128)));
  EXPECT_EQ(perform(dereg_mr(0)).outcome, Outcome::ok);
}

TEST_F(Windows, BindsAreChecked) {
  const std::uint64_t last = 4096 - 8;
  const std::uint64_t wanted = two_ ^ 1;
  for (const Range& bad : {window(last, 9), window(last + 9, 1), Range{0, in_buffer(1, 63), 8},
                           Range{0, kNearTheTop, 8}, window(0, kFourGiB)}) {
    expect_bind_error(bind_one(bad));
    expect_bind_error(bind_two(bad, wanted));
  }
  for (const std::uint32_t bad : {model::kLocalWrite, model::kMwBind, model::kZeroBased})
    expect_bind_error(bind_one(window(0, 64), bad));
  expect_bind_error(bind_two(window(0, 0), wanted));
  expect_bind_error(bind_two(window(0, 8), two_));
  expect_bind_error(bind_two(window(0, 8), wanted ^ 0x100));
  expect_bind_error(bind(Verb::bind_mw, 0, 0, 1, {0, in_buffer(0), 8}, model::kRemoteRead));
  region(2, 0, in_buffer(2), 64, model::kMwBind);
  expect_bind_error(bind(Verb::bind_mw, 0, 0, 2, {0, in_buffer(2), 8}, model::kRemoteWrite));
  expect_ok(bind(Verb::bind_mw, 0, 0, 2, {0, in_buffer(2), 8}, model::kRemoteRead));
  region(3, 1, in_buffer(2), 64, kBindable);
  expect_bind_error(bind(Verb::bind_mw, 0, 0, 3, {0, in_buffer(2), 8}, model::kRemoteRead));
  expect(bind(Verb::bind_mw, 3, 0, 0, window(0, 8), kReadWrite), Outcome::mw_bind_err, QpState::err,
         QpState::rts);
  perform(null_mr(4, 0));
  expect_bind_error(bind(Verb::bind_mw, 0, 0, 4, {0, in_buffer(2), 8}, model::kRemoteRead));
}

TEST_F(Windows, EachTypeHasItsOwnVerb) {
  EXPECT_EQ(refusal(bind(Verb::bind_mw, 0, 1, 0, window(0, 8), kReadWrite)), EINVAL);
  EXPECT_EQ(refusal(bind(Verb::post_bind_mw, 0, 0, 0, window(0, 8), kReadWrite, one_ ^ 1)), EINVAL);
}

TEST_F(Windows, TypeTwoIsUsedThroughTheQueuePairItWasBoundThrough) {
  const std::uint64_t key = bound(bind_two(window(0, 64), two_ ^ 1));
  EXPECT_EQ(key, two_ ^ 1);
  expect_ok(write(key, in_buffer(1, 64)));
  expect_bind_error(bind(Verb::post_bind_mw, 2, 1, 0, window(0, 8), kReadWrite, two_ ^ 2));
  expect_ok(write(key, in_buffer(1, 64)));
  expect_remote_error(write(key, in_buffer(1, 64), 0));  // the responder is qp1
}

TEST_F(Windows, TypeTwoIsFreeAfterItsQueuePairFailed) {
  const std::uint64_t key = bound(bind_two(window(0, 64), two_ ^ 1));
  EXPECT_EQ(refusal(dereg_mr(0)), EBUSY);
  expect_local_error(work(Verb::send, 0, {0, 0, 1}), Outcome::loc_prot_err);
  expect_remote_error(write(key, in_buffer(1, 64)));
  EXPECT_EQ(bound(bind_two(window(0, 64), key ^ 1)), key ^ 1);
  perform(qp_call(Verb::connect, 0));
  EXPECT_EQ(bound(bind_two(window(0, 64), key)), key);
  EXPECT_EQ(perform(qp_call(Verb::destroy_qp, 0)).outcome, Outcome::ok);
  EXPECT_EQ(perform(dereg_mr(0)).outcome, Outcome::ok);
}

TEST_F(Windows, ZeroBasedWindowsAreAddressedByOffsets) {
  const std::uint64_t key =
      bound(bind_two(window(100, 64), two_ ^ 1, kReadWrite | model::kZeroBased));
  const auto expected = with_copy(bytes(1), 164 + 56, 0, 0, 8);
  expect_ok(write(key, 56));
  EXPECT_EQ(bytes(1), expected);
  expect_remote_error(write(key, 57));
}

TEST_F(Windows, LocalInvalidationEndsTypeTwo) {
  std::uint64_t key = bound(bind_two(window(0, 64), two_ ^ 1));
  expect_ok(local_inv(0, key));
  expect_remote_error(write(key, in_buffer(1, 64)));
  expect_local_error(local_inv(0, key), Outcome::mw_bind_err);
  key = bound(bind_two(window(0, 64), two_ ^ 2));
  expect_local_error(local_inv(2, key), Outcome::mw_bind_err);
  expect_local_error(local_inv(0, under_), Outcome::mw_bind_err);
  const std::uint64_t one = bound(bind_one(window(0, 64)));
  expect_local_error(local_inv(0, one), Outcome::mw_bind_err);
  expect_ok(write(one, in_buffer(1, 64)));
}

TEST_F(Windows, SendsInvalidateAtTheReceiver) {
  const Range receive{local_.key, in_buffer(0, 512), 64};
  const std::uint64_t key = bound(bind_two(window(0, 64), two_ ^ 1));
  PlainCall send = work(Verb::send_with_inv, 1, local_);
  send.rkey = Plain::key(key);
  expect_local_error(send, Outcome::rnr_retry_exc_err);
  const std::uint64_t again = bound(bind_two(window(0, 64), two_ ^ 3));
  send.rkey = Plain::key(again);
  perform(work(Verb::post_recv, 0, receive));
  expect_ok(send, Outcome::ok);
  EXPECT_EQ(perform(local_inv(0, again)).outcome, Outcome::mw_bind_err);
  perform(qp_call(Verb::connect, 0));
  perform(fill(in_buffer(0), 8, 1));
  const auto before = bytes(0);
  perform(work(Verb::post_recv, 0, receive));
  expect(send, Outcome::rem_access_err, QpState::err, QpState::err, Outcome::none,
         Outcome::loc_access_err);
  EXPECT_EQ(bytes(0), before);
}

TEST_F(Windows, FailedQueuePairsFlushBinds) {
  perform(work(Verb::send, 0, {0, 0, 1}));
  for (const PlainCall& call :
       {bind_one(window(0, 8)), bind_two(window(0, 8), two_ ^ 1), local_inv(0, two_)})
    expect(call, Outcome::wr_flush_err, QpState::err, QpState::rts);
}

TEST_F(Windows, BoundWindowsKeepWhatTheyNeed) {
  bound(bind_one(window(0, 8)));
  EXPECT_EQ(refusal(dereg_mr(0)), EBUSY);
  EXPECT_EQ(perform(dealloc_mw(0)).outcome, Outcome::ok);
  EXPECT_EQ(perform(dereg_mr(0)).outcome, Outcome::ok);
  perform(pd_call(Verb::alloc_pd, 2));
  perform(alloc_mw(0, 2, model::kTypeOne));
  EXPECT_EQ(refusal(pd_call(Verb::dealloc_pd, 2)), EBUSY);
  perform(dealloc_mw(0));
  EXPECT_EQ(perform(pd_call(Verb::dealloc_pd, 2)).outcome, Outcome::ok);
}

}  // namespace
}  // namespace mrproof::impl::testing
