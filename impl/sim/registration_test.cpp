// Registrations beyond plain reg_mr, and the pages behind regions.
#include <gtest/gtest.h>

#include <cerrno>

#include "impl/sim/test_fixture.hpp"

namespace mrproof::impl::testing {
namespace {

using Registration = SimTest;

TEST_F(Registration, KeysAddressTheIova) {
  const std::uint64_t mine = region(0, 0, in_buffer(0), 64);
  for (const Verb verb : {Verb::reg_mr_iova, Verb::reg_mr_ex}) {
    const Range range{0, in_buffer(1, 100), 50};
    for (const std::uint64_t iova : {0x7000000064ULL, 0ULL, 0ULL - model::kPageSize + 100}) {
      const Result made = perform(reg_at(verb, 1, 0, range, iova, kAllRights));
      ASSERT_EQ(made.outcome, Outcome::ok) << iova;
      const std::uint64_t key = made.rkey.value();
      const auto expected = with_copy(bytes(1), 142, 0, 0, 8);
      expect_ok(work(Verb::rdma_write, 0, {mine, in_buffer(0), 8}, key, iova + 42));
      EXPECT_EQ(bytes(1), expected);
      expect_remote_error(work(Verb::rdma_write, 0, {mine, in_buffer(0), 8}, key, iova + 43));
      expect_remote_error(
          work(Verb::rdma_write, 0, {mine, in_buffer(0), 8}, key, in_buffer(1, 100)));
      perform(dereg_mr(1));
      perform(fill(in_buffer(0), 64, 5));
    }
  }
}

TEST_F(Registration, IovaMustSuitTheMemory) {
  const auto error = [&](std::uint64_t offset, std::uint64_t length, std::uint64_t iova) {
    return refusal(reg_at(Verb::reg_mr_iova, 0, 0, {0, in_buffer(1, offset), length}, iova, 0));
  };
  EXPECT_EQ(error(100, 50, 0x10000), EINVAL);
  EXPECT_EQ(error(0, 4097, 0 - model::kPageSize), EINVAL);
  EXPECT_EQ(error(0, 8193, 0x10000), EFAULT);
  // The last byte of the address space may be one of a region's.
  const PlainCall top =
      reg_at(Verb::reg_mr_iova, 0, 0, {0, in_buffer(1), 4096}, 0 - model::kPageSize, 0);
  EXPECT_EQ(perform(top).outcome, Outcome::ok);
}

TEST_F(Registration, DmaBufsAreCheckedStrictly) {
  const auto reg = [](std::uint64_t offset, std::uint64_t length, std::uint64_t iova,
                      std::uint32_t access) {
    return reg_at(Verb::reg_dmabuf_mr, 0, 0, {0, offset, length}, iova, access);
  };
  EXPECT_EQ(refusal(reg(0, 0, 0, 0)), EINVAL);
  EXPECT_EQ(refusal(reg(4096, 4097, 0, 0)), EINVAL);
  EXPECT_EQ(refusal(reg(~0ULL, 2, 0, 0)), EINVAL);
  EXPECT_EQ(refusal(reg(8, 64, 0, 0)), EINVAL);
  EXPECT_EQ(refusal(reg(8, 64, 8, model::kMwBind)), EINVAL);
  EXPECT_EQ(refusal(reg(8, 64, 8, model::kRemoteWrite)), EINVAL);
  const Result made = perform(reg(8, 64, 0x10008, kAllRights | model::kRelaxedOrdering));
  ASSERT_EQ(made.outcome, Outcome::ok);
  const std::uint64_t mine = region(1, 0, in_buffer(0), 64);
  expect_ok(work(Verb::rdma_write, 0, {mine, in_buffer(0), 8}, made.rkey.value(), 0x10040));
  expect_remote_error(
      work(Verb::rdma_write, 0, {mine, in_buffer(0), 8}, made.rkey.value(), 0x10041));
}

TEST_F(Registration, NullRegionsDiscardAndGiveZeros) {
  const Result made = perform(null_mr(0, 0));
  ASSERT_EQ(made.outcome, Outcome::ok);
  EXPECT_EQ(made.rkey.value(), 0U);
  const std::uint64_t null = made.lkey.value();
  const std::uint64_t key = region(1, 0, in_buffer(1), 64);
  const auto before = bytes(0);
  expect_ok(work(Verb::rdma_read, 0, {null, in_buffer(0), 64}, key, in_buffer(1)));
  EXPECT_EQ(bytes(0), before);
  expect_ok(work(Verb::rdma_write, 0, {null, kNearTheTop, 64}, key, in_buffer(1)));
  auto zeros = bytes(1);
  std::fill_n(zeros.begin(), 64, std::byte{0});
  EXPECT_EQ(bytes(1), zeros);
  const Range local{key, in_buffer(1), 8};
  expect_remote_error(work(Verb::rdma_write, 0, local, null, in_buffer(0)));
  perform(work(Verb::post_recv, 1, {null, 0, 1 << 20}));
  expect_ok(work(Verb::send, 0, {null, 0, 1 << 20}), Outcome::ok);
}

TEST_F(Registration, MemoryMustBeThere) {
  const Range range{0, in_buffer(3), 3 * model::kPageSize};
  perform(protect(in_buffer(3, model::kPageSize), model::kPageSize, model::kReadPages));
  EXPECT_EQ(refusal(reg_mr(0, 0, range, kAllRights)), EFAULT);
  EXPECT_EQ(perform(reg_mr(0, 0, range, model::kRemoteRead)).outcome, Outcome::ok);
  perform(protect(in_buffer(3, model::kPageSize), model::kPageSize, model::kNoPages));
  EXPECT_EQ(refusal(reg_mr(1, 0, range, model::kRemoteRead)), EFAULT);
  EXPECT_EQ(perform(reg_mr(1, 0, range, kAllRights | model::kOnDemand)).outcome, Outcome::ok);
}

TEST_F(Registration, PinnedPagesStayWithTheRegion) {
  const std::uint64_t key = region(0, 0, in_buffer(3), 4 * model::kPageSize);
  const std::uint64_t mine = region(1, 0, in_buffer(0), 64);
  const std::uint64_t second = in_buffer(3, model::kPageSize);
  const Range local{mine, in_buffer(0), 8};
  perform(protect(second, model::kPageSize, model::kReadPages));
  const auto expected = with_copy(bytes(3), model::kPageSize, 0, 0, 8);
  expect_ok(work(Verb::rdma_write, 0, local, key, second));
  EXPECT_EQ(bytes(3), expected);
  perform(protect(second, model::kPageSize, model::kNoPages));
  expect_ok(work(Verb::rdma_write, 0, local, key, second));
  perform(protect(second, model::kPageSize, model::kWritePages));
  expect_ok(work(Verb::rdma_write, 0, local, key, second));
  EXPECT_EQ(bytes(3).at(model::kPageSize), std::byte{0});
}

TEST_F(Registration, OnDemandRegionsSeeThePagesOfTheMoment) {
  const std::uint64_t key =
      region(0, 0, in_buffer(3), 4 * model::kPageSize, kAllRights | model::kOnDemand);
  const std::uint64_t mine = region(1, 0, in_buffer(0), 64);
  const std::uint64_t second = in_buffer(3, model::kPageSize);
  const Range local{mine, in_buffer(0), 8};
  const Range there{key, second - 4, 8};
  perform(protect(second, model::kPageSize, model::kReadPages));
  expect_remote_error(work(Verb::rdma_write, 0, local, key, second));
  expect_ok(work(Verb::rdma_read, 0, local, key, second));
  expect_local_error(work(Verb::rdma_read, 0, there, mine, in_buffer(0)), Outcome::loc_prot_err);
  expect_ok(work(Verb::rdma_write, 0, there, mine, in_buffer(0)));
  perform(protect(second, model::kPageSize, model::kNoPages));
  expect_remote_error(work(Verb::rdma_read, 0, local, key, second));
  expect_local_error(work(Verb::rdma_write, 0, there, mine, in_buffer(0)), Outcome::loc_prot_err);
  perform(work(Verb::post_recv, 1, there));
  expect(work(Verb::send, 0, local), Outcome::rem_op_err, QpState::err, QpState::err, Outcome::none,
         Outcome::loc_prot_err);
  perform(qp_call(Verb::connect, 0));
  perform(protect(second, model::kPageSize, model::kWritePages));
  expect_ok(work(Verb::rdma_write, 0, local, key, second));
  EXPECT_EQ(bytes(3).at(model::kPageSize), bytes(0).at(0));
}

TEST_F(Registration, HugePagesThatWerePromisedAreNotThere) {
  const Range mine{region(0, 0, in_buffer(0), 64), in_buffer(0), 8};
  const std::uint32_t huge = kAllRights | model::kOnDemand | model::kHugetlb;
  const std::uint64_t key = region(1, 0, in_buffer(3), model::kPageSize, huge);
  expect_remote_error(work(Verb::rdma_write, 0, mine, key, in_buffer(3)));
  expect_local_error(work(Verb::send, 0, {key, in_buffer(3), 8}), Outcome::loc_prot_err);
  const Range all{key, in_buffer(3), 8};
  EXPECT_EQ(perform(advise_mr(0, model::kPrefetch, 0, all)).outcome, Outcome::ok);
  EXPECT_EQ(refusal(advise_mr(0, model::kPrefetch, model::kAdviseFlush, all)), EFAULT);
}

TEST_F(Registration, ImplicitOnDemandIsAllOfMemory) {
  const std::uint64_t key = region(0, 0, 0, ~0ULL, kAllRights | model::kOnDemand);
  const std::uint64_t mine = region(1, 0, in_buffer(0), 64);
  expect_ok(work(Verb::rdma_write, 0, {mine, in_buffer(0), 8}, key, in_buffer(2, 77)));
  EXPECT_EQ(bytes(2).at(77), bytes(0).at(0));
  expect_remote_error(work(Verb::rdma_read, 0, {mine, in_buffer(0), 8}, key, in_buffer(2, 8190)));
  const Range all{0, 0, ~0ULL};
  EXPECT_EQ(refusal(reg_mr(2, 0, all, 0)), EFAULT);
  EXPECT_EQ(refusal(reg_mr(2, 0, all, model::kOnDemand | model::kHugetlb)), EINVAL);
  EXPECT_EQ(refusal(reg_mr(2, 0, {0, in_buffer(0), 64}, model::kHugetlb)), EINVAL);
}

}  // namespace
}  // namespace mrproof::impl::testing
