// The implementation under test is work_requests.cpp, a part of SimDevice.
#include <gtest/gtest.h>

#include "impl/sim/test_fixture.hpp"

namespace mrproof::impl::testing {
namespace {

using WorkRequests = SimTest;

TEST_F(WorkRequests, SendCopiesIntoTheReceive) {
  const std::uint64_t from = region(0, 0, in_buffer(0, 100), 5000, 0);
  const std::uint64_t to = region(1, 0, in_buffer(1), 8192, model::kLocalWrite);
  auto expected = with_copy(bytes(1), 7, 0, 101, 4500);
  EXPECT_EQ(perform(work(Verb::post_recv, 1, {to, in_buffer(1, 7), 5000})).outcome, Outcome::ok);
  const Result result = perform(work(Verb::send, 0, {from, in_buffer(0, 101), 4500}));
  EXPECT_EQ(result.outcome, Outcome::ok);
  EXPECT_EQ(result.received.value(), 4500U);
  EXPECT_EQ(result.peer_receive.value(), static_cast<std::uint64_t>(Outcome::ok));
  EXPECT_EQ(bytes(1), expected);
  expect_local_error(work(Verb::send, 0, {from, in_buffer(0, 101), 1}), Outcome::rnr_retry_exc_err);
}

TEST_F(WorkRequests, LocalKeyIsCheckedFirst) {
  const std::uint64_t mine = region(0, 0, in_buffer(0, 64), 64);
  const std::uint64_t foreign = region(1, 1, in_buffer(1), 64);
  const std::uint64_t first = in_buffer(0, 64);
  // No receive is posted and no remote key given: what comes first is the local error.
  for (const Range& bad :
       {Range{foreign, in_buffer(1), 8}, Range{0, first, 8}, Range{mine, first - 1, 8},
        Range{mine, first + 57, 8}, Range{mine, first, 65}, Range{mine, kNearTheTop, 8},
        Range{mine, first + kFourGiB, 8}}) {
    for (const Verb verb : {Verb::send, Verb::rdma_write, Verb::rdma_read})
      expect_local_error(work(verb, 0, bad), Outcome::loc_prot_err);
  }
}

TEST_F(WorkRequests, LocalErrorFlushesOwnReceiveOnly) {
  perform(work(Verb::post_recv, 0, {1, 2, 3}));
  perform(work(Verb::post_recv, 1, {1, 2, 3}));
  expect(work(Verb::send, 0, {0, 0, 1}), Outcome::loc_prot_err, QpState::err, QpState::rts,
         Outcome::wr_flush_err);
  // In ERR everything is flushed, and posting is allowed but leaves nothing posted.
  EXPECT_EQ(perform(work(Verb::post_recv, 0, {1, 2, 3})).outcome, Outcome::ok);
  expect(work(Verb::send, 0, {0, 0, 0}), Outcome::wr_flush_err, QpState::err, QpState::rts);
  EXPECT_EQ(perform(qp_call(Verb::query_qp, 0)).qp_state.value(),
            static_cast<std::uint64_t>(QpState::err));
  // The peer finds nobody at the other end, and fails with its receive.
  expect(work(Verb::send, 1, {0, 0, 0}), Outcome::retry_exc_err, QpState::err, QpState::err,
         Outcome::wr_flush_err);
  EXPECT_EQ(perform(qp_call(Verb::connect, 1)).outcome, Outcome::ok);
  expect_local_error(work(Verb::send, 0, {0, 0, 0}), Outcome::rnr_retry_exc_err);
}

TEST_F(WorkRequests, ReceiveKeyIsCheckedOnArrival) {
  const std::uint64_t from = region(0, 0, in_buffer(0), 64);
  const std::uint64_t small = region(1, 1, in_buffer(1), 16);
  const std::uint64_t read_only = region(2, 1, in_buffer(2), 16, 0);
  const auto before = bytes(1);
  for (const Range& bad : {Range{from, in_buffer(0), 32}, Range{small, in_buffer(1), 32},
                           Range{read_only, in_buffer(2), 32}, Range{0, 0, 32}}) {
    perform(work(Verb::post_recv, 3, bad));
    perform(work(Verb::post_recv, 2, bad));
    expect(work(Verb::send, 2, {from, in_buffer(0), 17}), Outcome::rem_op_err, QpState::err,
           QpState::err, Outcome::wr_flush_err, Outcome::loc_prot_err);
    perform(qp_call(Verb::connect, 2));
  }
  // Only the bytes of the message count, not all that the receive asks for.
  perform(work(Verb::post_recv, 3, {small, in_buffer(1), 32}));
  EXPECT_EQ(bytes(1), before);
  expect_ok(work(Verb::send, 2, {from, in_buffer(0), 16}), Outcome::ok);
  EXPECT_NE(bytes(1), before);
  perform(work(Verb::post_recv, 3, {small, in_buffer(1), 8}));
  expect(work(Verb::send, 2, {from, in_buffer(0), 9}), Outcome::rem_inv_req_err, QpState::err,
         QpState::err, Outcome::none, Outcome::loc_len_err);
}

TEST_F(WorkRequests, WriteAndReadMoveBytes) {
  const std::uint64_t mine = region(0, 0, in_buffer(0), 8192);
  const std::uint64_t theirs = region(1, 1, in_buffer(1, 10), 6000);
  auto expected = with_copy(bytes(1), 10, 0, 3, 6000);
  expect_ok(work(Verb::rdma_write, 2, {mine, in_buffer(0, 3), 6000}, theirs, in_buffer(1, 10)));
  EXPECT_EQ(bytes(1), expected);
  expected = with_copy(bytes(0), 4000, 1, 6005, 5);
  expect_ok(work(Verb::rdma_read, 2, {mine, in_buffer(0, 4000), 5}, theirs, in_buffer(1, 6005)));
  EXPECT_EQ(bytes(0), expected);
}

TEST_F(WorkRequests, RemoteAccessIsChecked) {
  const std::uint64_t mine = region(0, 0, in_buffer(0), 64);
  const std::uint64_t theirs = region(1, 1, in_buffer(1, 64), 64);
  const std::uint64_t write_only =
      region(2, 1, in_buffer(2), 64, model::kLocalWrite | model::kRemoteWrite);
  const std::uint64_t read_only = region(3, 1, in_buffer(2), 64, model::kRemoteRead);
  const Range local{mine, in_buffer(0), 8};
  const std::uint64_t first = in_buffer(1, 64);
  for (const Verb verb : {Verb::rdma_write, Verb::rdma_read}) {
    for (const std::uint64_t bad : {first - 1, first + 57, kNearTheTop, first + kFourGiB})
      expect_remote_error(work(verb, 2, local, theirs, bad));
    expect_remote_error(work(verb, 2, local, mine, in_buffer(0)));  // the requester's PD
    expect_remote_error(work(verb, 2, local, theirs + 1, first));
  }
  expect_remote_error(work(Verb::rdma_write, 2, local, read_only, in_buffer(2)));
  expect_remote_error(work(Verb::rdma_read, 2, local, write_only, in_buffer(2)));
  expect_ok(work(Verb::rdma_read, 2, local, read_only, in_buffer(2)));
  expect_ok(work(Verb::rdma_write, 2, local, write_only, in_buffer(2)));
  // Both posted receives are flushed.
  perform(work(Verb::post_recv, 2, {}));
  perform(work(Verb::post_recv, 3, {}));
  expect(work(Verb::rdma_write, 2, local, 0, first), Outcome::rem_access_err, QpState::err,
         QpState::err, Outcome::wr_flush_err, Outcome::wr_flush_err);
}

TEST_F(WorkRequests, ReadNeedsLocalWrite) {
  const std::uint64_t theirs = region(0, 0, in_buffer(0), 64);
  const std::uint64_t read_only = region(1, 0, in_buffer(1), 64, 0);
  const auto before = bytes(1);
  expect_local_error(work(Verb::rdma_read, 0, {read_only, in_buffer(1), 8}, theirs, in_buffer(0)),
                     Outcome::loc_prot_err);
  EXPECT_EQ(bytes(1), before);
  expect_ok(work(Verb::rdma_write, 0, {read_only, in_buffer(1), 8}, theirs, in_buffer(0)));
}

TEST_F(WorkRequests, ZeroLengthNeedsNoKeys) {
  const Range nowhere{0xdead, 0xbeef, 0};
  expect_ok(work(Verb::rdma_write, 0, nowhere, 0xdead, 0xbeef));
  expect_ok(work(Verb::rdma_read, 0, nowhere, 0xdead, 0xbeef));
  perform(work(Verb::post_recv, 1, nowhere));
  expect_ok(work(Verb::send, 0, nowhere), Outcome::ok);
}

TEST_F(WorkRequests, MessagesOverTheMaximumAreLocalLengthErrors) {
  const std::uint64_t longest = device.capabilities().max_message.value();
  EXPECT_EQ(longest, 1ULL << 30);
  for (const Verb verb : {Verb::send, Verb::rdma_write, Verb::rdma_read}) {
    expect_local_error(work(verb, 0, {0, 0, longest + 1}), Outcome::loc_len_err);
    expect_local_error(work(verb, 0, {0, 0, longest}), Outcome::loc_prot_err);
  }
}

TEST_F(WorkRequests, ZeroBasedKeysAddressOffsets) {
  const std::uint64_t mine = region(0, 0, in_buffer(0, 100), 50, kAllRights | model::kZeroBased);
  const std::uint64_t theirs = region(1, 0, in_buffer(1, 300), 50, kAllRights | model::kZeroBased);
  auto expected = with_copy(bytes(1), 302, 0, 101, 48);
  expect_ok(work(Verb::rdma_write, 0, {mine, 1, 48}, theirs, 2));
  EXPECT_EQ(bytes(1), expected);
  for (const std::uint64_t bad : {3ULL, ~0ULL, ~0ULL - 47, 0ULL + in_buffer(1, 300)})
    expect_remote_error(work(Verb::rdma_write, 0, {mine, 1, 48}, theirs, bad));
  expect_local_error(work(Verb::rdma_write, 0, {mine, in_buffer(0, 100), 8}, theirs, 0),
                     Outcome::loc_prot_err);
}

}  // namespace
}  // namespace mrproof::impl::testing
