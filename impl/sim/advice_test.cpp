#include <gtest/gtest.h>

#include <cerrno>

#include "impl/sim/test_fixture.hpp"

namespace mrproof::impl::testing {
namespace {

using model::kAdviseFlush;
using model::kPrefetch;
using model::kPrefetchNoFault;
using model::kPrefetchWrite;

/// mr0 is on demand in pd0, mr1 as well but without LOCAL_WRITE.
class Advice : public SimTest {
 protected:
  void SetUp() override {
    SimTest::SetUp();
    all_ = {region(0, 0, in_buffer(3), 4 * model::kPageSize, kAllRights | model::kOnDemand),
            in_buffer(3), 4 * model::kPageSize};
    read_ = {region(1, 0, in_buffer(2), 64, model::kOnDemand), in_buffer(2), 64};
  }
  Range all_;
  Range read_;
};

TEST_F(Advice, IsTakenAndChangesNothing) {
  const auto before = bytes(3);
  for (const std::uint8_t advice : {kPrefetch, kPrefetchWrite, kPrefetchNoFault})
    for (const std::uint32_t flags : {0U, kAdviseFlush})
      EXPECT_EQ(perform(advise_mr(0, advice, flags, all_)).outcome, Outcome::ok);
  EXPECT_EQ(perform(advise_mr(0, kPrefetch, 0, read_)).outcome, Outcome::ok);
  EXPECT_EQ(perform(with_second(advise_mr(0, kPrefetch, 0, all_), read_)).outcome, Outcome::ok);
  EXPECT_EQ(bytes(3), before);
}

TEST_F(Advice, ErrorsAreThoseOfThePage) {
  const std::uint64_t pinned = region(2, 0, in_buffer(0), 64);
  const std::uint64_t window = perform(alloc_mw(0, 0, model::kTypeOne)).rkey.value();
  EXPECT_EQ(refusal(advise_mr(0, 3, 0, all_)), ENOTSUP);
  EXPECT_EQ(refusal(advise_mr(0, kPrefetch, 2, all_)), EINVAL);
  EXPECT_EQ(refusal(advise_mr(0, kPrefetch, 0, {all_.key ^ 1, in_buffer(3), 8})), EFAULT);
  EXPECT_EQ(refusal(advise_mr(0, kPrefetch, 0, {window, in_buffer(3), 8})), EINVAL);
  EXPECT_EQ(refusal(advise_mr(0, kPrefetch, 0, {pinned, in_buffer(0), 8})), EINVAL);
  EXPECT_EQ(refusal(advise_mr(1, kPrefetch, 0, all_)), EPERM);
  EXPECT_EQ(refusal(advise_mr(0, kPrefetchWrite, 0, read_)), EPERM);
  EXPECT_EQ(refusal(advise_mr(0, kPrefetch, 0, {read_.key, in_buffer(2), 65})), EFAULT);
  EXPECT_EQ(refusal(advise_mr(0, kPrefetch, 0, {read_.key, in_buffer(2) - 1, 2})), EFAULT);
  EXPECT_EQ(refusal(with_second(advise_mr(0, kPrefetch, 0, all_), {0, 0, 1})), EFAULT);
}

TEST_F(Advice, MissingPagesMatterToWhoWaits) {
  perform(protect(in_buffer(3, model::kPageSize), model::kPageSize, model::kNoPages));
  EXPECT_EQ(perform(advise_mr(0, kPrefetch, 0, all_)).outcome, Outcome::ok);
  EXPECT_EQ(perform(advise_mr(0, kPrefetchNoFault, kAdviseFlush, all_)).outcome, Outcome::ok);
  EXPECT_EQ(refusal(advise_mr(0, kPrefetch, kAdviseFlush, all_)), EFAULT);
  perform(protect(in_buffer(3), 2 * model::kPageSize, model::kWritePages));
  perform(protect(in_buffer(3), model::kPageSize, model::kReadPages));
  EXPECT_EQ(perform(advise_mr(0, kPrefetch, kAdviseFlush, all_)).outcome, Outcome::ok);
  EXPECT_EQ(refusal(advise_mr(0, kPrefetchWrite, kAdviseFlush, all_)), EFAULT);
}

}  // namespace
}  // namespace mrproof::impl::testing
