// Tests of work requests: how they are made, and what becomes of them on a real device.
#include <stdexcept>

#include "impl/verbs/request.hpp"
#include "impl/verbs/test_on_device.hpp"

namespace mrproof::impl {
namespace {

Call two_elements(Verb verb) {
  Call call;
  call.verb = verb;
  call.elements = 2;
  call.lkey = Plain::key(1);
  call.address = Plain::address(2);
  call.length = Plain::address(3);
  call.second = {Plain::key(4), Plain::address(5), Plain::address(6)};
  call.rkey = Plain::key(7);
  call.remote = Plain::address(8);
  call.operand = Plain::address(9);
  call.swap = Plain::address(10);
  return call;
}

TEST(Request, HoldsWhatTheCallSays) {
  const Request write(two_elements(Verb::rdma_write), 1);
  EXPECT_EQ(write.work.num_sge, 2);
  EXPECT_EQ(write.work.sg_list, write.elements.data());
  EXPECT_EQ(write.elements[0].lkey, 1U);
  EXPECT_EQ(write.elements[1].lkey, 4U);
  EXPECT_EQ(write.elements[1].addr, 5U);
  EXPECT_EQ(write.elements[1].length, 6U);
  EXPECT_EQ(write.work.wr.rdma.rkey, 7U);
  EXPECT_EQ(write.work.wr.rdma.remote_addr, 8U);
  EXPECT_FALSE(write.delivers);

  const Request swap(two_elements(Verb::atomic_cmp_and_swp), 2);
  EXPECT_EQ(swap.work.wr.atomic.rkey, 7U);
  EXPECT_EQ(swap.work.wr.atomic.remote_addr, 8U);
  EXPECT_EQ(swap.work.wr.atomic.compare_add, 9U);
  EXPECT_EQ(swap.work.wr.atomic.swap, 10U);

  const Request invalidation(two_elements(Verb::local_inv), 3);
  EXPECT_EQ(invalidation.work.num_sge, 0);
  EXPECT_EQ(invalidation.work.invalidate_rkey, 7U);
}

TEST(Request, RefusesElementsThatNoProgramCanMake) {
  Call call = two_elements(Verb::send);
  call.second.length = Plain::address(1ULL << 32U);
  EXPECT_THROW(Request(call, 1), std::logic_error);
  call.elements = 1;
  EXPECT_NO_THROW(Request(call, 1));
  call.elements = 3;
  EXPECT_THROW(Request(call, 1), std::logic_error);
  // A window may be longer than an element can be.
  call.verb = Verb::post_bind_mw;
  call.length = Plain::address(1ULL << 40U);
  EXPECT_NO_THROW(Request(call, 1));
}

TEST(Delivery, ImmediateDataHasToArriveAsSent) {
  const Request first(two_elements(Verb::rdma_write_with_imm), 1);
  const Request second(two_elements(Verb::rdma_write_with_imm), 2);
  EXPECT_NE(first.delivery.value, second.delivery.value);
  ibv_wc completion{};
  completion.opcode = IBV_WC_RECV_RDMA_WITH_IMM;
  completion.wc_flags = IBV_WC_WITH_IMM | IBV_WC_GRH;
  completion.imm_data = first.work.imm_data;
  EXPECT_TRUE(first.delivery.matches(completion));
  EXPECT_FALSE(second.delivery.matches(completion));
  completion.wc_flags = IBV_WC_GRH;
  EXPECT_FALSE(first.delivery.matches(completion));
  completion.wc_flags = IBV_WC_WITH_IMM;
  completion.opcode = IBV_WC_RECV;
  EXPECT_FALSE(first.delivery.matches(completion));
}

TEST(Delivery, InvalidatedKeyHasToBeNamed) {
  const Request request(two_elements(Verb::send_with_inv), 1);
  ibv_wc completion{};
  completion.opcode = IBV_WC_RECV;
  completion.invalidated_rkey = 7;
  EXPECT_FALSE(request.delivery.matches(completion));
  EXPECT_TRUE(Delivery{}.matches(completion));
  completion.wc_flags = IBV_WC_WITH_INV;
  EXPECT_TRUE(request.delivery.matches(completion));
  EXPECT_FALSE(Delivery{}.matches(completion));
  completion.invalidated_rkey = 8;
  EXPECT_FALSE(request.delivery.matches(completion));
}

TEST_F(OnDevice, AtomicsGiveTheOldValue) {
  if (!claims(model::kAtomics)) GTEST_SKIP() << "no atomics";
  reg(0, kAll);
  reg(1, kAll | model::kRemoteAtomic);
  const std::uint64_t before = word(1);
  Call add = transfer(Verb::atomic_fetch_and_add, 8);
  add.operand = Plain::address(5);
  const Observation added = device_->perform(add);
  ASSERT_EQ(added.result.outcome, Outcome::ok);
  EXPECT_TRUE(added.result.completion_matches.truth());
  EXPECT_EQ(word(0), before);
  EXPECT_EQ(word(1), before + 5);

  Call swap = transfer(Verb::atomic_cmp_and_swp, 8);
  swap.operand = Plain::address(before + 5);
  swap.swap = Plain::address(77);
  const Observation swapped = device_->perform(swap);
  EXPECT_TRUE(swapped.result.completion_matches.truth());
  EXPECT_EQ(word(1), 77U);
  swap.swap = Plain::address(78);
  EXPECT_EQ(device_->perform(swap).result.outcome, Outcome::ok);
  EXPECT_EQ(word(1), 77U);
  EXPECT_EQ(word(0), 77U);
}

TEST_F(OnDevice, WriteWithImmediateDataConsumesAReceive) {
  reg(0, kAll);
  reg(1, kAll);
  for (const std::uint64_t length : {std::uint64_t{100}, model::kBufferSize, std::uint64_t{0}}) {
    ASSERT_EQ(receive(1, 0).result.outcome, Outcome::ok);
    const Observation wrote = device_->perform(transfer(Verb::rdma_write_with_imm, length));
    ASSERT_EQ(wrote.result.outcome, Outcome::ok);
    EXPECT_TRUE(wrote.result.completion_matches.truth());
    EXPECT_EQ(receive_outcome(wrote.result.peer_receive), Outcome::ok);
    EXPECT_EQ(wrote.result.received.value(), length);
    EXPECT_TRUE(same(1, 0, length));
  }
  EXPECT_EQ(device_->perform(transfer(Verb::rdma_write_with_imm, 8)).result.outcome,
            Outcome::rnr_retry_exc_err);
}

TEST_F(OnDevice, TwoElementsAreGatheredAndScattered) {
  reg(0, kAll);
  reg(1, kAll);
  Call gather = transfer(Verb::send, 100);
  gather.elements = 2;
  gather.second = {lkey_[0], Plain::address(model::buffer_address(0) + 100), Plain::address(50)};
  Call scatter = transfer(Verb::post_recv, 10);
  scatter.qp = 1;
  scatter.elements = 2;
  scatter.lkey = lkey_[1];
  scatter.address = Plain::address(model::buffer_address(1));
  scatter.second = {lkey_[1], Plain::address(model::buffer_address(1) + 10), Plain::address(1000)};
  ASSERT_EQ(device_->perform(scatter).result.outcome, Outcome::ok);
  const Observation sent = device_->perform(gather);
  ASSERT_EQ(sent.result.outcome, Outcome::ok);
  EXPECT_EQ(sent.result.received.value(), 150U);
  EXPECT_TRUE(same(1, 0, 150));
  gather.verb = Verb::rdma_read;
  gather.second.lkey = Plain::key(lkey_[0].value() ^ 1U);
  EXPECT_EQ(device_->perform(gather).result.outcome, Outcome::loc_prot_err);
}

TEST_F(OnDevice, SendInvalidatesTheWindowOfTheOtherEnd) {
  if (!claims(model::kMwType2B) || !claims(model::kMemoryExtensions))
    GTEST_SKIP() << "no windows of type 2B or no invalidation";
  reg(0, kAll);
  reg(1, kAll | model::kMwBind);
  const Observation made = alloc_window(0, model::kTypeTwo);
  const Plain::Key key = Plain::key(made.result.rkey.value() + 1);
  ASSERT_EQ(bind(Verb::post_bind_mw, 0, 128, key).result.outcome, Outcome::ok);
  receive(1, 4096);
  Call send = transfer(Verb::send_with_inv, 64);
  send.rkey = key;
  const Observation sent = device_->perform(send);
  EXPECT_EQ(sent.result.outcome, Outcome::ok);
  EXPECT_EQ(receive_outcome(sent.result.peer_receive), Outcome::ok);
  EXPECT_EQ(sent.result.received.value(), 64U);
  // Whether the receive tells of the invalidation is for a suite to judge: rxe's does not. It has
  // not cost the pair: it is as connected as before.
  EXPECT_EQ(state(on_pair(Verb::query_qp, 0).result.qp_state), QpState::rts);
  EXPECT_EQ(write_by(key).result.outcome, Outcome::rem_access_err);
}

TEST_F(OnDevice, KeyThatCannotBeInvalidatedFailsTheOtherEnd) {
  if (!claims(model::kMemoryExtensions)) GTEST_SKIP() << "no invalidation";
  reg(0, kAll);
  reg(1, kAll);
  receive(1, 4096);
  Call send = transfer(Verb::send_with_inv, 64);
  send.rkey = rkey_[1];  // of a region that ibv_reg_mr() made
  const Observation sent = device_->perform(send);
  EXPECT_NE(receive_outcome(sent.result.peer_receive), Outcome::ok);
  EXPECT_NE(receive_outcome(sent.result.peer_receive), Outcome::none);
  EXPECT_EQ(state(sent.result.peer_state), QpState::err);
  EXPECT_TRUE(on_pair(Verb::connect, 0).rebuilt);
  EXPECT_EQ(write_by(rkey_[1]).result.outcome, Outcome::ok);
}

TEST_F(OnDevice, OneEndOfAPairCanBeDestroyed) {
  reg(0, kAll);
  reg(1, kAll);
  receive(0, 64);
  ASSERT_EQ(on_pair(Verb::destroy_qp, 0).result.outcome, Outcome::ok);
  EXPECT_THROW(on_pair(Verb::destroy_qp, 0), std::logic_error);
  EXPECT_THROW(on_pair(Verb::connect, 1), std::logic_error);
  Call lonely = transfer(Verb::rdma_write, 64);
  lonely.qp = 1;
  const Observation seen = device_->perform(lonely);
  EXPECT_EQ(seen.result.outcome, Outcome::retry_exc_err);
  EXPECT_EQ(state(seen.result.qp_state), QpState::err);
  EXPECT_EQ(state(seen.result.peer_state), QpState::unknown);
  ASSERT_EQ(on_pair(Verb::destroy_qp, 1).result.outcome, Outcome::ok);
  device_->reset(model::standard_setup());
  reg(0, kAll);
  reg(1, kAll);
  EXPECT_EQ(device_->perform(transfer(Verb::rdma_write, 64)).result.outcome, Outcome::ok);
}

}  // namespace
}  // namespace mrproof::impl
