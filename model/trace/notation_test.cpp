#include "model/trace/notation.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "model/access.hpp"
#include "model/random.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::model {
namespace {

/// What a trace reads where a registration of that range and access is printed.
Call<Plain> read_back(std::uint64_t address, std::uint32_t access) {
  const std::string text = "# mrproof trace v1\nmr0 = reg_mr(pd0, " + print_address(address) +
                           ", 64, " + print_access(access) + ")\n";
  return parse_trace(text, "text").steps.front().call;
}

TEST(Notation, AddressesAreWrittenByTheNearestBuffer) {
  EXPECT_EQ(print_address(buffer_address(0)), "buf0+0");
  EXPECT_EQ(print_address(buffer_address(1) + 64), "buf1+64");
  EXPECT_EQ(print_address(buffer_address(1) - 1), "buf1-1");
  EXPECT_EQ(print_address(buffer_address(3) + kLastBufferSize), "buf3+16384");
  EXPECT_EQ(print_address(0), "0x0");
  EXPECT_EQ(print_address(~std::uint64_t{0}), "0xffffffffffffffff");
  EXPECT_EQ(print_address(buffer_address(0) + (1ULL << 32U)), "0x200100000000");
}

TEST(Notation, AddressesAreReadBack) {
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    const std::uint64_t near =
        buffer_address(random.below(kBufferCount)) + random.below(400000) - 200000;
    const std::uint64_t address = round % 2 == 0 ? near : random.next() >> random.below(64);
    ASSERT_EQ(read_back(address, 0).address.value(), address) << print_address(address);
  }
}

TEST(Notation, AccessIsReadBack) {
  EXPECT_EQ(print_access(0), "0");
  EXPECT_EQ(
      print_access(kLocalWrite | kRelaxedOrdering | 0x400U), "LOCAL_WRITE|RELAXED_ORDERING|0x400");
  Random random(4);
  for (int round = 0; round < 5000; ++round) {
    const auto access = static_cast<std::uint32_t>(random.next() & random.next());
    ASSERT_EQ(read_back(0, access).access.value(), access) << print_access(access);
  }
  for (const auto& [flag, name] : kAccessNames) EXPECT_EQ(value_by_name(kAccessNames, name), flag);
  EXPECT_FALSE(value_by_name(kAccessNames, "LOCAL_READ"));
}

TEST(Notation, ValuesWithoutANameAreNumbers) {
  EXPECT_EQ(print_flags(kChangeNames, kChangeAccess | 0x10U), "CHANGE_ACCESS|0x10");
  EXPECT_EQ(print_flags(kAdviseFlagNames, 0), "0");
  EXPECT_EQ(print_named(kAdviceNames, kPrefetchWrite), "PREFETCH_WRITE");
  EXPECT_EQ(print_named(kAdviceNames, 200), "200");
  EXPECT_EQ(name_of_value(kReregCodeNames, kErrInput), "ERR_INPUT");
  EXPECT_FALSE(name_of_value(kReregCodeNames, 0));
}

TEST(Notation, ErrnosAreReadBack) {
  EXPECT_EQ(print_errno(EINVAL), "EINVAL");
  EXPECT_EQ(print_errno(0), "errno=0");
  EXPECT_EQ(print_errno(static_cast<std::uint32_t>(-1)), "errno=-1");
  for (std::uint32_t error = 0; error < 5000; ++error) {
    const std::string text =
        "# mrproof trace v1\npd0 = alloc_pd() -> refused " + print_errno(error) + "\n";
    ASSERT_EQ(parse_trace(text, "text").steps.front().result.error.value(), error) << text;
  }
  EXPECT_FALSE(errno_by_name("ESUCCESS"));
}

TEST(Notation, KeysAreNamedByTheirRegionOrWindow) {
  EXPECT_EQ(print_key({KeyName::Kind::value, 0, 0, 0x1234}), "0x1234");
  EXPECT_EQ(print_key({KeyName::Kind::lkey, 3, 0, 0}), "mr3.lkey");
  EXPECT_EQ(print_key({KeyName::Kind::rkey, 0, 0x80, 0}), "mr0.rkey^0x80");
  EXPECT_EQ(print_key({KeyName::Kind::old_lkey, 7, 0, 0}), "mr7.old_lkey");
  EXPECT_EQ(print_key({KeyName::Kind::old_rkey, 7, 1, 0}), "mr7.old_rkey^0x1");
  EXPECT_EQ(print_key({KeyName::Kind::window_rkey, 2, 0xff, 0}), "mw2.rkey^0xff");
  EXPECT_EQ(print_key({KeyName::Kind::old_window_rkey, 3, 0, 0}), "mw3.old_rkey");
}

TEST(Notation, OnlyWorkRequestsSucceedInCapitals) {
  EXPECT_EQ(print_outcome(Outcome::ok, true), "SUCCESS");
  EXPECT_EQ(print_outcome(Outcome::ok, false), "ok");
  EXPECT_EQ(print_outcome(Outcome::rem_op_err, true), "REM_OP_ERR");
  for (std::size_t i = 0; i < kOutcomes; ++i)
    EXPECT_EQ(index_of(kOutcomeNames, kOutcomeNames[i]), i);
}

}  // namespace
}  // namespace mrproof::model
