#include "model/oracle/memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <stdexcept>

namespace mrproof::model {
namespace {

Transfer<Plain> transfer(std::uint64_t from, std::uint64_t to, std::uint64_t length) {
  Transfer<Plain> t;
  t.from[0] = {Plain::address(from), Plain::address(length), Bit(false), Bit(false)};
  t.to[0] = {Plain::address(to), Plain::address(length), Bit(false), Bit(false)};
  return t;
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
    EXPECT_TRUE(std::equal(
        memory.buffer(index).begin(), memory.buffer(index).end(), before.buffer(index).begin()));
}

/// The bytes of pattern `seed` from `offset` on, at `address`.
::testing::AssertionResult holds(const Memory& memory, std::uint64_t address, std::uint64_t length,
    std::uint8_t seed, std::uint64_t offset) {
  for (std::uint64_t i = 0; i < length; ++i)
    if (memory.at(address + i) != std::byte{pattern_byte(seed, offset + i)})
      return ::testing::AssertionFailure() << "byte " << i;
  return ::testing::AssertionSuccess();
}

Piece<Plain> piece(std::uint64_t at, std::uint64_t length) {
  return {Plain::address(at), Plain::address(length), Bit(false), Bit(false)};
}

TEST(Memory, GathersAndScattersInOrder) {
  Memory memory;
  Transfer<Plain> t;
  t.from = {piece(buffer_address(0), 10), piece(buffer_address(0) + 100, 20)};
  t.to = {piece(buffer_address(1), 25), piece(buffer_address(2), 50)};
  for (std::uint64_t i = 0; i < 25; ++i)
    EXPECT_EQ(memory.moved(t, buffer_address(1) + i),
        memory.at(buffer_address(0) + (i < 10 ? i : 90 + i)));
  EXPECT_EQ(memory.moved(t, buffer_address(2) + 4), memory.at(buffer_address(0) + 119));
  EXPECT_EQ(memory.moved(t, buffer_address(2) + 5), std::nullopt) << "the message ends before";
  EXPECT_EQ(memory.moved(t, buffer_address(3)), std::nullopt);
  std::array<std::byte, 40> row{};
  EXPECT_EQ(memory.moved(t, buffer_address(1) + 4, row), 6U) << "of the first element";
  EXPECT_EQ(row[5], memory.at(buffer_address(0) + 9));
  EXPECT_EQ(memory.moved(t, buffer_address(1) + 10, row), 15U) << "up to the end of the piece";
  EXPECT_EQ(row[14], memory.at(buffer_address(0) + 114));
  EXPECT_EQ(memory.moved(t, buffer_address(2) + 5, row), 0U);
  memory.move(t);
  EXPECT_TRUE(holds(memory, buffer_address(1), 10, initial_seed(0), 0));
  EXPECT_TRUE(holds(memory, buffer_address(1) + 10, 15, initial_seed(0), 100));
  EXPECT_TRUE(holds(memory, buffer_address(1) + 25, 5, initial_seed(1), 25)) << "as before";
  EXPECT_TRUE(holds(memory, buffer_address(2), 5, initial_seed(0), 115));
  EXPECT_TRUE(holds(memory, buffer_address(2) + 5, 5, initial_seed(2), 5)) << "as before";
}

TEST(Memory, StoresNothingUnseenAndReadsZerosFromNullRegions) {
  Memory memory;
  Transfer<Plain> t = transfer(0, buffer_address(1), 8);
  t.from[0].zeros = t.from[0].outside_buffers = Bit(true);
  EXPECT_EQ(memory.moved(t, buffer_address(1)), std::byte{0});
  memory.move(t);
  EXPECT_EQ(memory.at(buffer_address(1) + 7), std::byte{0});
  EXPECT_TRUE(holds(memory, buffer_address(1) + 8, 8, initial_seed(1), 8));
  t = transfer(buffer_address(0), 0, 8);
  t.to[0].outside_buffers = Bit(true);
  EXPECT_NO_THROW(memory.move(t));
}

TEST(Memory, FollowsAtomicOperations) {
  Memory memory;
  const std::uint64_t at = buffer_address(1);
  for (std::uint64_t i = 0; i < 8; ++i) memory.store(at + i, std::byte{0xff});
  Transfer<Plain> t = transfer(at, buffer_address(0), 8);
  t.motion = Motion::fetch_and_add;
  t.operand = Plain::address(2);
  EXPECT_EQ(memory.moved(t, at), std::byte{1}) << "the sum wraps around";
  memory.move(t);
  EXPECT_EQ(memory.at(at), std::byte{1});
  EXPECT_EQ(memory.at(at + 7), std::byte{0});
  EXPECT_EQ(memory.at(buffer_address(0)), std::byte{0xff}) << "the old value";
  t.motion = Motion::cmp_and_swp;
  t.swap = Plain::address(9);
  memory.move(t);
  EXPECT_EQ(memory.at(at), std::byte{1}) << "1 is not 2: nothing is swapped";
  t.operand = Plain::address(1);
  memory.move(t);
  EXPECT_EQ(memory.at(at), std::byte{9});
}

TEST(Memory, PagesComeBackAsZeros) {
  Memory memory;
  const std::uint64_t page = buffer_address(3) + kPageSize;
  memory.protect(page, kPageSize, kReadPages);
  EXPECT_EQ(memory.unmapped(3).first, memory.unmapped(3).second) << "read-only is there";
  memory.protect(page, kPageSize, kWritePages);
  EXPECT_TRUE(holds(memory, page, 8, initial_seed(3), kPageSize));
  memory.protect(page, kPageSize, kNoPages);
  EXPECT_EQ(memory.unmapped(3), std::make_pair(kPageSize, 2 * kPageSize));
  memory.protect(page, kPageSize, kWritePages);
  EXPECT_EQ(memory.unmapped(3).first, memory.unmapped(3).second);
  EXPECT_EQ(memory.at(page), std::byte{0});
  EXPECT_EQ(memory.at(page + kPageSize - 1), std::byte{0});
  EXPECT_TRUE(holds(memory, page - 8, 8, initial_seed(3), kPageSize - 8));
  EXPECT_TRUE(holds(memory, page + kPageSize, 8, initial_seed(3), 2 * kPageSize));
}

TEST(Memory, RefusesToLeaveItsBuffers) {
  Memory memory;
  const std::uint64_t end = buffer_address(0) + kBufferSize;
  EXPECT_THROW(memory.fill(end - 1, 2, 1), std::logic_error);
  EXPECT_THROW(memory.move(transfer(end - 1, buffer_address(1), 2)), std::logic_error);
  EXPECT_THROW(memory.move(transfer(buffer_address(1), end - 1, 2)), std::logic_error);
  EXPECT_THROW(static_cast<void>(memory.at(end)), std::logic_error);
  EXPECT_NO_THROW(memory.move(transfer(0, 1, 0))) << "no bytes, no address";
  const auto over = transfer(end - 1, buffer_address(1), 2);
  EXPECT_EQ(memory.moved(over, buffer_address(1)), memory.at(end - 1));
  EXPECT_EQ(memory.moved(over, buffer_address(1) + 1), std::nullopt) << "there is no such byte";
}

}  // namespace
}  // namespace mrproof::model
