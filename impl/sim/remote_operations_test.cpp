#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "impl/sim/test_fixture.hpp"

namespace mrproof::impl::testing {
namespace {

constexpr std::uint32_t kAtomicRights = model::kLocalWrite | model::kRemoteAtomic;

/// mr0 is a region of buffer 0, mr1 one of buffer 1 for atomic operations, both in pd0.
class RemoteOperations : public SimTest {
 protected:
  void SetUp() override {
    SimTest::SetUp();
    mine_ = region(0, 0, in_buffer(0), 8192);
    theirs_ = region(1, 0, in_buffer(1), 4096, kAtomicRights);
  }
  std::uint64_t number(std::size_t buffer, std::size_t offset) const {
    std::uint64_t value = 0;
    std::memcpy(&value, device.buffer(buffer).subspan(offset, sizeof value).data(), sizeof value);
    return value;
  }
  Range result() const { return {mine_, in_buffer(0, 32), 8}; }

  std::uint64_t mine_ = 0;
  std::uint64_t theirs_ = 0;
};

TEST_F(RemoteOperations, FetchAndAddAddsAllSixtyFourBits) {
  const std::uint64_t old = number(1, 8);
  expect_ok(atomic(Verb::atomic_fetch_and_add, 0, result(), theirs_, in_buffer(1, 8), ~old + 6));
  EXPECT_EQ(number(1, 8), 5U);
  EXPECT_EQ(number(0, 32), old);
}

TEST_F(RemoteOperations, CompareAndSwapSwapsWhatIsEqual) {
  const std::uint64_t old = number(1, 8);
  const auto swap = [&](std::uint64_t compare) {
    return atomic(Verb::atomic_cmp_and_swp, 0, result(), theirs_, in_buffer(1, 8), compare, 77);
  };
  expect_ok(swap(old + 1));
  EXPECT_EQ(number(1, 8), old);
  expect_ok(swap(old));
  EXPECT_EQ(number(1, 8), 77U);
  EXPECT_EQ(number(0, 32), old);
}

TEST_F(RemoteOperations, AtomicsAreChecked) {
  const std::uint64_t plain = region(2, 0, in_buffer(2), 64);
  const std::uint64_t read_only = region(3, 0, in_buffer(2), 64, 0);
  for (const Verb verb : {Verb::atomic_fetch_and_add, Verb::atomic_cmp_and_swp}) {
    expect_remote_error(atomic(verb, 0, result(), theirs_, in_buffer(1, 12), 1),
                        Outcome::rem_inv_req_err);
    expect_remote_error(atomic(verb, 0, result(), theirs_, in_buffer(1, 4096), 1));
    expect_remote_error(atomic(verb, 0, result(), plain, in_buffer(2), 1));
    expect_local_error(atomic(verb, 0, {read_only, in_buffer(2), 8}, theirs_, in_buffer(1), 1),
                       Outcome::loc_prot_err);
    expect_local_error(atomic(verb, 0, {mine_, in_buffer(0), 16}, theirs_, in_buffer(1), 1),
                       Outcome::loc_len_err);
  }
}

TEST_F(RemoteOperations, ImmediateDataConsumesAReceive) {
  const std::uint64_t there = region(2, 0, in_buffer(2), 64);
  const PlainCall write =
      work(Verb::rdma_write_with_imm, 0, {mine_, in_buffer(0), 24}, there, in_buffer(2));
  const auto before = bytes(2);
  expect_local_error(write, Outcome::rnr_retry_exc_err);
  EXPECT_EQ(bytes(2), before);
  perform(work(Verb::post_recv, 1, {0, 0, 0}));  // its elements are not looked at
  const auto expected = with_copy(before, 0, 0, 0, 24);
  const Result result = perform(write);
  EXPECT_EQ(result.outcome, Outcome::ok);
  EXPECT_EQ(result.peer_receive.value(), static_cast<std::uint64_t>(Outcome::ok));
  EXPECT_EQ(result.received.value(), 24U);
  EXPECT_EQ(bytes(2), expected);
  expect_local_error(write, Outcome::rnr_retry_exc_err);
  perform(work(Verb::post_recv, 1, {0, 0, 0}));
  PlainCall bad = write;
  bad.rkey = Plain::key(0);
  expect(bad, Outcome::rem_access_err, QpState::err, QpState::err, Outcome::none,
         Outcome::wr_flush_err);
}

TEST_F(RemoteOperations, ElementsAreGatheredAndScatteredInOrder) {
  const std::uint64_t there = region(2, 0, in_buffer(2), 64);
  const auto both = [&](Verb verb, std::uint64_t length) {
    return with_second(work(verb, 0, {mine_, in_buffer(0, 100), 5}, there, in_buffer(2)),
                       {mine_, in_buffer(0, 50), length});
  };
  auto expected = with_copy(with_copy(bytes(2), 0, 0, 100, 5), 5, 0, 50, 7);
  expect_ok(both(Verb::rdma_write, 7));
  EXPECT_EQ(bytes(2), expected);
  perform(fill(in_buffer(2), 64, 3));
  expected = with_copy(with_copy(bytes(0), 100, 2, 0, 5), 50, 2, 5, 7);
  expect_ok(both(Verb::rdma_read, 7));
  EXPECT_EQ(bytes(0), expected);
  expect_remote_error(both(Verb::rdma_write, 60));
  PlainCall bad = both(Verb::rdma_write, 7);
  bad.second.lkey = Plain::key(1);
  expect_local_error(bad, Outcome::loc_prot_err);
  expect_local_error(both(Verb::rdma_write, 0xffffffffULL), Outcome::loc_len_err);
}

TEST_F(RemoteOperations, ReceivesMayHaveTwoElements) {
  const std::uint64_t there = region(2, 0, in_buffer(2), 64);
  const PlainCall receive =
      with_second(work(Verb::post_recv, 1, {there, in_buffer(2), 3}), {there, in_buffer(2, 32), 8});
  perform(receive);
  const auto expected = with_copy(with_copy(bytes(2), 0, 0, 0, 3), 32, 0, 3, 6);
  const Result result = perform(work(Verb::send, 0, {mine_, in_buffer(0), 9}));
  EXPECT_EQ(result.received.value(), 9U);
  EXPECT_EQ(bytes(2), expected);
  perform(receive);
  expect(work(Verb::send, 0, {mine_, in_buffer(0), 12}), Outcome::rem_inv_req_err, QpState::err,
         QpState::err, Outcome::none, Outcome::loc_len_err);
}

TEST_F(RemoteOperations, NobodyAnswersForADestroyedQueuePair) {
  perform(qp_call(Verb::destroy_qp, 1));
  expect(work(Verb::rdma_write, 0, {}), Outcome::retry_exc_err, QpState::err, QpState::unknown);
  EXPECT_THROW(perform(qp_call(Verb::connect, 0)), std::logic_error);
  perform(qp_call(Verb::destroy_qp, 3));
  EXPECT_EQ(perform(pd_call(Verb::dealloc_pd, 1)).outcome, Outcome::ok);
}

TEST(CapabilitySets, LackWhatTheirNamesSay) {
  for (const auto& [name, options] : capability_sets()) {
    // One at a time: the buffers' addresses are fixed.
    SimDevice device(options);
    device.reset(model::standard_setup());
    const auto refuses = [&](const PlainCall& call) {
      const Result result = device.perform(call).result;
      return result.outcome == Outcome::refused && result.error.value() == EOPNOTSUPP;
    };
    const bool bare = name == "minimal";
    const bool iwarp = name == "iwarp";
    EXPECT_EQ(refuses(alloc_mw(0, 0, model::kTypeOne)), bare || iwarp || name == "no-windows")
        << name;
    EXPECT_EQ(refuses(alloc_mw(1, 0, model::kTypeTwo)),
              bare || iwarp || name == "no-windows" || name == "type-1-only")
        << name;
    EXPECT_EQ(refuses(atomic(Verb::atomic_fetch_and_add, 0, {}, 0, 0, 1)),
              bare || iwarp || name == "no-atomics")
        << name;
    EXPECT_EQ(refuses(reg_mr(0, 0, {0, 0, ~0ULL}, model::kOnDemand)), bare || name == "no-odp")
        << name;
    EXPECT_EQ(refuses(advise_mr(0, 0, 2, {})), bare || name == "no-advise") << name;
    EXPECT_EQ(refuses(null_mr(2, 0)), bare) << name;
    const std::uint64_t features = device.capabilities().features.value();
    const std::uint64_t on_demand =
        name == "odp-write" || name == "odp-messages" ? features & model::kOnDemandMissing : 0U;
    EXPECT_EQ(features & ~0x3fULL, (iwarp ? model::kIwarp : 0U) | on_demand) << name;
    EXPECT_NE(features & model::kMwType2A & model::kMwType2B, model::kMwType2A) << name;
  }
  SimOptions unknown;
  unknown.dialect = "klingon";
  EXPECT_THROW(SimDevice{unknown}, DeviceError);
}

/// A device that does only RDMA write on demand.
class WritesOnDemand : public SimTest {
 protected:
  WritesOnDemand() : SimTest(set_named("odp-write")) {}
  static const SimOptions& set_named(std::string_view wanted) {
    for (const auto& [name, options] : capability_sets())
      if (name == wanted) return options;
    throw std::logic_error("no such set");
  }
};

TEST_F(WritesOnDemand, NothingElseFindsItsPages) {
  const std::uint64_t held = region(0, 0, in_buffer(0), 64, kAllRights | model::kRemoteAtomic);
  const std::uint64_t paged =
      region(1, 0, in_buffer(1), 64, kAllRights | model::kRemoteAtomic | model::kOnDemand);
  const Range mine{held, in_buffer(0), 8}, theirs{paged, in_buffer(1), 8};
  expect_ok(work(Verb::rdma_write, 0, mine, paged, in_buffer(1)));
  expect_ok(work(Verb::rdma_write, 0, theirs, held, in_buffer(0)));
  expect_ok(work(Verb::rdma_read, 0, mine, held, in_buffer(0, 8)));
  expect_remote_error(work(Verb::rdma_read, 0, mine, paged, in_buffer(1)));
  expect_local_error(work(Verb::rdma_read, 0, theirs, held, in_buffer(0)), Outcome::loc_prot_err);
  expect_remote_error(atomic(Verb::atomic_fetch_and_add, 0, mine, paged, in_buffer(1), 1));
  expect_local_error(work(Verb::send, 0, theirs), Outcome::loc_prot_err);
  perform(work(Verb::post_recv, 1, theirs));
  expect(work(Verb::send, 0, mine), Outcome::rem_op_err, QpState::err, QpState::err, Outcome::none,
         Outcome::loc_prot_err);
}

}  // namespace
}  // namespace mrproof::impl::testing
