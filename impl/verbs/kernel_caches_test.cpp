#include "impl/verbs/kernel_caches.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace mrproof::impl {
namespace {

TEST(KernelCaches, AreReadFromWhatTheKernelTells) {
  std::istringstream text(
      "slabinfo - version: 2.1\n"
      "# name            <active_objs> <num_objs> <objsize> <objperslab> : tunables\n"
      "ib_mr                 17     32    512   32    4 : tunables    0    0    0\n"
      "kmalloc-64          4032   4096     64   64    1 : tunables    0    0    0\n");
  const KernelCaches caches = parse_caches(text);
  ASSERT_EQ(caches.size(), 2U);
  EXPECT_EQ(caches.at("kmalloc-64").objects, 4032U);
  EXPECT_EQ(caches.at("kmalloc-64").size, 64U);
}

TEST(KernelCaches, TellNothingWhereNothingIsTold) {
  std::istringstream none;
  EXPECT_TRUE(parse_caches(none).empty());
}

}  // namespace
}  // namespace mrproof::impl
