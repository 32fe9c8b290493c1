#include <gtest/gtest.h>

#include <cerrno>

#include "impl/sim/test_fixture.hpp"

namespace mrproof::impl::testing {
namespace {

using model::kChangeAccess;
using model::kChangePd;
using model::kChangeTranslation;

/// mr0 is a region of buffer 1 in pd0, mr1 one of buffer 0.
class Reregistration : public SimTest {
 protected:
  explicit Reregistration(const SimOptions& options = {}) : SimTest(options) {}
  void SetUp() override {
    SimTest::SetUp();
    key_ = region(0, 0, in_buffer(1), 64);
    local_ = {region(1, 0, in_buffer(0), 64), in_buffer(0), 8};
  }

  /// Expects that the region may only be deregistered.
  void expect_unusable() {
    expect_remote_error(write(key_, in_buffer(1)));
    expect_local_error(work(Verb::send, 0, {key_, in_buffer(1), 8}), Outcome::loc_prot_err);
    EXPECT_EQ(perform(dereg_mr(0)).outcome, Outcome::ok);
    key_ = region(0, 0, in_buffer(1), 64);
  }
  void expect_code(const PlainCall& call, std::uint32_t code, int reason) {
    const Result result = perform(call);
    EXPECT_EQ(result.outcome, Outcome::refused);
    EXPECT_EQ(result.error.value(), code);
    EXPECT_EQ(result.reason.value(), static_cast<std::uint64_t>(reason));
  }
  PlainCall write(std::uint64_t key, std::uint64_t remote, std::uint8_t qp = 0) const {
    return work(Verb::rdma_write, qp, local_, key, remote);
  }

  std::uint64_t key_ = 0;
  Range local_;
};

TEST_F(Reregistration, TranslationChangesRangeAndKeys) {
  const Result result = perform(rereg_mr(0, kChangeTranslation, 9, {0, in_buffer(2, 100), 32}, 0));
  ASSERT_EQ(result.outcome, Outcome::ok);
  EXPECT_NE(result.rkey.value(), key_);
  const auto expected = with_copy(bytes(2), 124, 0, 0, 8);
  expect_ok(write(result.rkey.value(), in_buffer(2, 124)));
  EXPECT_EQ(bytes(2), expected);
  expect_remote_error(write(result.rkey.value(), in_buffer(2, 125)));
  expect_remote_error(write(result.rkey.value(), in_buffer(1)));
  expect_remote_error(write(key_, in_buffer(1)));
}

TEST_F(Reregistration, DomainAndAccessChangeAlone) {
  Result result = perform(rereg_mr(0, kChangeAccess, 9, {}, model::kRemoteRead));
  ASSERT_EQ(result.outcome, Outcome::ok);
  EXPECT_EQ(result.rkey.value(), key_);
  expect_remote_error(write(key_, in_buffer(1)));
  expect_ok(work(Verb::rdma_read, 0, local_, key_, in_buffer(1)));
  result = perform(rereg_mr(0, kChangePd | kChangeAccess, 1, {}, kAllRights));
  ASSERT_EQ(result.outcome, Outcome::ok);
  expect_remote_error(write(key_, in_buffer(1)));
  expect_ok(write(key_, in_buffer(1), 2));
}

TEST_F(Reregistration, UsersOfDomainsMoveAlong) {
  perform(pd_call(Verb::alloc_pd, 2));
  perform(pd_call(Verb::alloc_pd, 3));
  region(2, 2, in_buffer(2), 64);
  perform(rereg_mr(2, kChangePd, 3, {}, 0));
  EXPECT_EQ(perform(pd_call(Verb::dealloc_pd, 2)).outcome, Outcome::ok);
  EXPECT_EQ(refusal(pd_call(Verb::dealloc_pd, 3)), EBUSY);
}

TEST_F(Reregistration, InputErrorsKeepTheRegion) {
  const Range good{0, in_buffer(2), 64};
  for (const PlainCall& call : {rereg_mr(0, 0, 0, good, 0), rereg_mr(0, 8 | kChangePd, 0, good, 0),
                                rereg_mr(0, kChangeTranslation, 0, {0, 0, 64}, 0),
                                rereg_mr(0, kChangeTranslation, 0, {0, in_buffer(2), 0}, 0),
                                rereg_mr(0, kChangeTranslation, 0, good, model::kRemoteRead)})
    expect_code(call, model::kErrInput, EINVAL);
  expect_ok(write(key_, in_buffer(1)));
  perform(null_mr(2, 0));
  expect_code(rereg_mr(2, kChangeAccess, 0, {}, 0), model::kErrInput, EINVAL);
}

TEST_F(Reregistration, RefusedCommandsEndTheRegion) {
  const auto translate = [](const Range& range) {
    return rereg_mr(0, kChangeTranslation, 0, range, 0);
  };
  expect_code(translate({0, in_buffer(2), 8193}), model::kErrCmd, EFAULT);
  expect_unusable();
  expect_code(translate({0, 5, 8}), model::kErrCmd, EFAULT);
  expect_unusable();
  expect_code(rereg_mr(0, kChangeAccess, 0, {}, model::kRemoteWrite), model::kErrCmd, EINVAL);
  expect_unusable();
  expect_code(rereg_mr(0, kChangeAccess, 0, {}, 1U << 12), model::kErrCmd, EINVAL);
  expect_unusable();
  expect_code(rereg_mr(0, kChangeAccess, 0, {}, model::kFlushGlobal), model::kErrCmd, EOPNOTSUPP);
  expect_unusable();
}

TEST_F(Reregistration, BoundWindowsAreInTheWay) {
  perform(rereg_mr(0, kChangeAccess, 0, {}, kAllRights | model::kMwBind));
  perform(alloc_mw(0, 0, model::kTypeOne));
  perform(bind(Verb::bind_mw, 0, 0, 0, {0, in_buffer(1), 8}, model::kRemoteRead));
  expect_code(rereg_mr(0, kChangePd, 1, {}, 0), model::kErrCmd, EBUSY);
  EXPECT_EQ(refusal(dereg_mr(0)), EBUSY);
  perform(dealloc_mw(0));
  EXPECT_EQ(perform(dereg_mr(0)).outcome, Outcome::ok);
}

TEST_F(Reregistration, GainingWriteAccessNeedsWritableMemory) {
  perform(rereg_mr(0, kChangeAccess, 0, {}, model::kRemoteRead));
  perform(protect(in_buffer(1), model::kPageSize, model::kReadPages));
  expect_code(rereg_mr(0, kChangeAccess, 0, {}, kAllRights), model::kErrCmd, EFAULT);
  perform(protect(in_buffer(1), model::kPageSize, model::kWritePages));
  expect_unusable();
}

/// The codes of a device whose regions are kept from the children of a fork.
class ForkProtection : public Reregistration {
 protected:
  static SimOptions options() {
    SimOptions options;
    options.fork_protection = true;
    return options;
  }
  ForkProtection() : Reregistration(options()) {}

  /// Takes the memory of mr0, or of the buffer, away.
  void lose(std::size_t buffer) {
    perform(protect(in_buffer(buffer), model::kPageSize, model::kNoPages));
  }
  Result translate(std::uint64_t address) {
    return perform(rereg_mr(0, kChangeTranslation, 0, {0, address, 64}, 0));
  }
};

TEST_F(ForkProtection, NewRangeThatIsNotThereKeepsTheRegion) {
  lose(2);
  expect_code(rereg_mr(0, kChangeTranslation, 0, {0, in_buffer(2), 64}, 0), model::kErrDontForkNew,
              ENOMEM);
  expect_ok(write(key_, in_buffer(1)));
}

TEST_F(ForkProtection, NewRangeThatAnotherRegionHeldEndsTheRegion) {
  region(2, 0, in_buffer(2), 64);
  lose(2);
  expect_code(rereg_mr(0, kChangeTranslation, 0, {0, in_buffer(2), 64}, 0),
              model::kErrCmdAndDoForkNew, EFAULT);
  expect_unusable();
}

TEST_F(ForkProtection, OldRangeThatIsGoneGivesANewRegion) {
  lose(1);
  const Result result = translate(in_buffer(2));
  EXPECT_EQ(result.outcome, Outcome::refused);
  EXPECT_EQ(result.error.value(), std::uint64_t{model::kErrDoForkOld});
  EXPECT_EQ(result.reason.value(), static_cast<std::uint64_t>(ENOMEM));
  EXPECT_NE(result.rkey.value(), key_);
  expect_ok(write(result.rkey.value(), in_buffer(2)));
  EXPECT_EQ(translate(in_buffer(0)).outcome, Outcome::ok);
}

TEST_F(ForkProtection, OldRangeThatAnotherRegionHoldsStaysAsItIs) {
  region(2, 0, in_buffer(1), 128);
  lose(1);
  EXPECT_EQ(translate(in_buffer(2)).outcome, Outcome::ok);
}

/// The same verb as the vendor's experimental page has it.
class ExperimentalVerbs : public ::testing::Test {
 protected:
  void SetUp() override { device_.reset(model::standard_setup()); }
  Result perform(const PlainCall& call) { return device_.perform(call).result; }
  void expect_error(const PlainCall& call, int error) {
    const Result result = perform(call);
    EXPECT_EQ(result.outcome, Outcome::refused);
    EXPECT_EQ(result.error.value(), static_cast<std::uint64_t>(error));
    EXPECT_EQ(result.reason.value(), 0U);
  }
  static SimOptions options() {
    SimOptions options;
    options.dialect = "mlnx-exp";
    return options;
  }

  SimDevice device_{options()};
};

TEST_F(ExperimentalVerbs, ParametersWithoutTheirFlagAreIgnored) {
  perform(reg_mr(0, 0, {0, in_buffer(1), 64}, kAllRights));
  EXPECT_EQ(perform(rereg_mr(0, kChangePd, 1, {0, 0, 0}, 1U << 12)).outcome, Outcome::ok);
  expect_error(rereg_mr(0, 0, 0, {}, 0), EINVAL);
  expect_error(rereg_mr(0, kChangePd, 0, {}, 0), EINVAL);  // unusable by now
  EXPECT_EQ(perform(dereg_mr(0)).outcome, Outcome::ok);
}

TEST_F(ExperimentalVerbs, SharingEndsWithTheTranslation) {
  perform(reg_mr(0, 0, {0, in_buffer(1), 64}, kAllRights | model::kShared));
  PlainCall share = reg_mr(1, 1, {}, kAllRights);
  share.verb = Verb::reg_shared_mr;
  const Result shared = perform(share);
  ASSERT_EQ(shared.outcome, Outcome::ok);
  perform(reg_mr(3, 0, {0, in_buffer(0), 64}, kAllRights));
  const std::uint64_t mine = perform(reg_mr(4, 0, {0, in_buffer(0), 64}, 0)).lkey.value();
  EXPECT_EQ(
      perform(work(Verb::rdma_write, 2, {mine, in_buffer(0), 8}, shared.rkey.value(), in_buffer(1)))
          .outcome,
      Outcome::ok);
  perform(rereg_mr(0, kChangeTranslation, 0, {0, in_buffer(2), 64}, 0));
  share.mr = 2;
  expect_error(share, EINVAL);
}

TEST_F(ExperimentalVerbs, PeerMemoryStaysAndLibraryMemoryIsNobodys) {
  perform(reg_mr(0, 0, {0, in_buffer(1), 64}, kAllRights | model::kPeerMemory));
  expect_error(rereg_mr(0, kChangeAccess, 0, {}, 0), EINVAL);
  const std::uint64_t key =
      perform(reg_mr(1, 0, {0, 0, 64}, kAllRights | model::kAllocateMr)).rkey.value();
  const std::uint64_t mine = perform(reg_mr(2, 0, {0, in_buffer(0), 64}, 0)).lkey.value();
  EXPECT_EQ(perform(work(Verb::rdma_write, 0, {mine, in_buffer(0), 8}, key, 0)).outcome,
            Outcome::ok);
}

}  // namespace
}  // namespace mrproof::impl::testing
