#include "model/trace/key_value.hpp"

#include <gtest/gtest.h>

namespace mrproof::model {
namespace {

using Kind = KeyName::Kind;

TEST(KeyValue, FollowsTheNameIntoTheState) {
  State<Plain> state;
  Region<Plain> region;
  region.lkey = Plain::key(0x301);
  region.rkey = Plain::key(0x302);
  region.old_lkey = Plain::key(0x303);
  region.old_rkey = Plain::key(0x304);
  Window<Plain> window;
  window.rkey = Plain::key(0x305);
  window.old_rkey = Plain::key(0x306);
  state.regions.put(3, region);
  state.windows.put(3, window);
  EXPECT_EQ(key_value({Kind::lkey, 3, 0, 0}, state), 0x301U);
  EXPECT_EQ(key_value({Kind::rkey, 3, 0, 0}, state), 0x302U);
  EXPECT_EQ(key_value({Kind::old_lkey, 3, 0, 0}, state), 0x303U);
  EXPECT_EQ(key_value({Kind::old_rkey, 3, 0, 0}, state), 0x304U);
  EXPECT_EQ(key_value({Kind::window_rkey, 3, 0, 0}, state), 0x305U);
  EXPECT_EQ(key_value({Kind::old_window_rkey, 3, 0, 0}, state), 0x306U);
  EXPECT_EQ(key_value({Kind::window_rkey, 3, 0x80000001, 0}, state), 0x80000304U);
  EXPECT_EQ(key_value({Kind::value, 0, 0, 0xffffffff}, state), 0xffffffffU);
}

}  // namespace
}  // namespace mrproof::model
