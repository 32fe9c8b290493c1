#include "impl/sim/faults.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "impl/device.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof::impl {

namespace {

TEST(Faults, IdsAreUniqueAndNameTheirFault) {
  std::set<std::string_view> ids;
  std::uint8_t value = 0;
  for (const FaultInfo& info : faults()) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_EQ(fault_by_name(info.id), info.fault);
    EXPECT_FALSE(info.breaks.empty() || info.clause.empty()) << info.id;
    EXPECT_NE(info.expected.rule.empty(), info.why_allowed.empty()) << info.id;
    EXPECT_EQ(static_cast<std::uint8_t>(info.fault), ++value) << "out of order: " << info.id;
  }
  EXPECT_GE(ids.size(), 160U);
  EXPECT_FALSE(fault_by_name("none"));
  EXPECT_THROW(SimDevice({.fault = "no-such-fault"}), DeviceError);
}

}  // namespace
}  // namespace mrproof::impl
