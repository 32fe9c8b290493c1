#include "model/oracle/equal_bytes.hpp"

#include <gtest/gtest.h>

#include <array>

namespace mrproof::model {
namespace {

TEST(EqualBytes, OneByteThatDiffersIsFoundWhereverItIs) {
  alignas(64) std::array<std::byte, 256> a{};
  alignas(64) std::array<std::byte, 256> b{};
  for (const EqualBytes equal : {equal_by_library, equal_by_words, quicker_equal_bytes()}) {
    EXPECT_TRUE(equal(a.data(), b.data(), a.size()));
    EXPECT_TRUE(equal(a.data(), b.data(), 0));
    for (std::size_t i = 0; i < a.size(); ++i) {
      a.at(i) = std::byte{0x80};
      EXPECT_FALSE(equal(a.data(), b.data(), a.size())) << i;
      a.at(i) = std::byte{0};
    }
  }
}

TEST(EqualBytes, WhatLiesBehindIsNotLookedAt) {
  alignas(64) std::array<std::byte, 256> a{};
  alignas(64) const std::array<std::byte, 256> b{};
  a.at(192) = std::byte{1};
  for (const EqualBytes equal : {equal_by_library, equal_by_words})
    EXPECT_TRUE(equal(a.data(), b.data(), 192));
}

}  // namespace
}  // namespace mrproof::model
