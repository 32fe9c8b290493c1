#include "model/memory.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace mrproof::model {
namespace {

Transfer<Plain> transfer(std::uint64_t from, std::uint64_t to, std::uint64_t length) {
  return {Plain::address(from), Plain::address(to), Plain::address(length), true};
}

TEST(Layout, NoTwoPlacesOfABufferLookAlike) {
  for (std::size_t index = 0; index < kBufferCount; ++index) {
    const Memory memory;
    const auto bytes = memory.buffer(index);
    std::set<std::string_view> windows;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (std::size_t at = 0; at + 16 <= text.size(); ++at) windows.insert(text.substr(at, 16));
    EXPECT_EQ(windows.size(), text.size() - 15) << index;
  }
}

TEST(Memory, ContainsOnlyWhatLiesInOneBuffer) {
  const std::uint64_t first = buffer_address(1);
  EXPECT_TRUE(Memory::contains(first, kBufferSize));
  EXPECT_TRUE(Memory::contains(first + kBufferSize - 1, 1));
  EXPECT_TRUE(Memory::contains(first + kBufferSize, 0));
  EXPECT_FALSE(Memory::contains(first, kBufferSize + 1));
  EXPECT_FALSE(Memory::contains(first + kBufferSize, 1));
  EXPECT_FALSE(Memory::contains(first - 1, 2));
  EXPECT_FALSE(Memory::contains(first + 8, ~std::uint64_t{0} - 4)) << "the sum wraps around";
  EXPECT_FALSE(Memory::contains(0, 1));
  EXPECT_FALSE(Memory::contains(~std::uint64_t{0}, 1));
  EXPECT_FALSE(Memory::contains(buffer_address(kBufferCount), 1));
}

TEST(Memory, FillsAndMovesExactlyTheBytesNamed) {
  Memory memory;
  const Memory before;
  memory.fill(buffer_address(0) + 10, 100, 7);
  memory.move(transfer(buffer_address(0) + 10, buffer_address(2) + 4090, 100));
  for (std::uint64_t i = 0; i < kBufferSize; ++i) {
    const bool filled = i >= 10 && i < 110;
    const bool moved = i >= 4090 && i < 4190;
    ASSERT_EQ(memory.at(buffer_address(0) + i),
              filled ? std::byte{pattern_byte(7, i - 10)} : before.buffer(0)[i]);
    ASSERT_EQ(memory.at(buffer_address(2) + i),
              moved ? std::byte{pattern_byte(7, i - 4090)} : before.buffer(2)[i]);
    ASSERT_EQ(memory.at(buffer_address(1) + i), before.buffer(1)[i]);
  }
  memory.store(buffer_address(3), std::byte{0xee});
  EXPECT_EQ(memory.at(buffer_address(3)), std::byte{0xee});
  memory.restore();
  for (std::size_t index = 0; index < kBufferCount; ++index)
    EXPECT_TRUE(std::equal(memory.buffer(index).begin(), memory.buffer(index).end(),
                           before.buffer(index).begin()));
}

TEST(Memory, RefusesToLeaveItsBuffers) {
  Memory memory;
  const std::uint64_t end = buffer_address(0) + kBufferSize;
  EXPECT_THROW(memory.fill(end - 1, 2, 1), std::logic_error);
  EXPECT_THROW(memory.move(transfer(end - 1, buffer_address(1), 2)), std::logic_error);
  EXPECT_THROW(memory.move(transfer(buffer_address(1), end - 1, 2)), std::logic_error);
  EXPECT_THROW(static_cast<void>(memory.at(end)), std::logic_error);
  EXPECT_NO_THROW(memory.move(transfer(0, 1, 0))) << "no bytes, no address";
}

}  // namespace
}  // namespace mrproof::model
