#include "impl/sim/memory.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "impl/buffers.hpp"

namespace mrproof::impl {
namespace {

constexpr std::uint64_t in_buffer(std::size_t index, std::uint64_t offset = 0) {
  return model::buffer_address(index) + offset;
}

Runs runs(std::uint64_t address, std::uint64_t length, const Pins* pins = nullptr) {
  Runs one;
  one.add({address, length, pins, false});
  return one;
}

TEST(Memory, BuffersEndWhereTheLayoutSays) {
  for (std::size_t index = 0; index < model::kBufferCount; ++index) {
    const std::uint64_t size = model::buffer_size(index);
    EXPECT_EQ(buffer_bytes_from(in_buffer(index)), size);
    EXPECT_EQ(buffer_bytes_from(in_buffer(index, size - 1)), 1U);
    EXPECT_EQ(buffer_bytes_from(in_buffer(index, size)), 0U);
    EXPECT_EQ(buffer_bytes_from(in_buffer(index) - 1), 0U);
  }
  EXPECT_EQ(buffer_bytes_from(in_buffer(model::kBufferCount)), 0U);
  EXPECT_EQ(buffer_bytes_from(0), 0U);
  EXPECT_EQ(buffer_bytes_from(~std::uint64_t{0}), 0U);
}

TEST(Memory, MovesOverlappingBytes) {
  Memory memory(Fault::none);
  const std::byte last = memory.bytes(0)[99];
  memory.move(runs(in_buffer(0, 1), 100), runs(in_buffer(0), 100));
  EXPECT_EQ(memory.bytes(0)[100], last);
  EXPECT_EQ(memory.bytes(0)[1], memory.bytes(0)[0]);
}

TEST(Memory, GathersAndScattersInOrder) {
  Memory memory(Fault::none);
  const auto source = memory.bytes(0);
  Runs from = runs(in_buffer(0, 4090), 10);
  from.add({in_buffer(0), 5});
  Runs to = runs(in_buffer(1, 7), 3);
  to.add({in_buffer(3, 4094), 12});
  memory.move(to, from);
  std::vector<std::byte> expected(source.begin() + 4090, source.begin() + 4100);
  expected.insert(expected.end(), source.begin(), source.begin() + 5);
  std::vector<std::byte> moved(memory.bytes(1).begin() + 7, memory.bytes(1).begin() + 10);
  moved.insert(moved.end(), memory.bytes(3).begin() + 4094, memory.bytes(3).begin() + 4106);
  EXPECT_EQ(moved, expected);
}

TEST(Memory, TouchesNothingThatIsNotThere) {
  Memory memory(Fault::none);
  const std::uint64_t end = in_buffer(1, model::buffer_size(1));
  const std::byte first = memory.bytes(0)[0];
  memory.move(runs(end - 1, 100), runs(in_buffer(0), 100));
  EXPECT_EQ(memory.bytes(1).back(), first);
  memory.move(runs(end, 100), runs(in_buffer(0), 100));
  memory.move(runs(in_buffer(0, 1), 100), runs(~std::uint64_t{0}, 100));
  EXPECT_EQ(memory.bytes(0)[1], std::byte{0});
  memory.clear({end - 1, 100});
  EXPECT_EQ(memory.bytes(1).back(), std::byte{0});
  EXPECT_EQ(memory.bytes(0)[0], first);
}

TEST(Memory, HiddenBytesAreZerosWithoutEnd) {
  Memory memory(Fault::none);
  const std::byte kept = memory.bytes(2)[8];
  Runs nothing;
  nothing.add({0, 1ULL << 40, nullptr, true});
  memory.move(nothing, nothing);
  memory.move(runs(in_buffer(2), 8), nothing);
  EXPECT_EQ(memory.bytes(2)[7], std::byte{0});
  EXPECT_EQ(memory.bytes(2)[8], kept);
}

TEST(Memory, RegionsHoldThePagesTheyPinned) {
  Memory memory(Fault::none);
  const std::uint64_t page = in_buffer(3, model::kPageSize);
  const Pins pins = memory.pin(in_buffer(3), 3 * model::kPageSize);
  EXPECT_TRUE(memory.still_writable(pins, in_buffer(3), 3 * model::kPageSize));
  memory.protect(page, model::kPageSize, model::kNoPages);
  EXPECT_FALSE(memory.mapped(in_buffer(3), model::kPageSize + 1));
  EXPECT_TRUE(memory.mapped(in_buffer(3), model::kPageSize));
  memory.move(runs(page - 4, 8, &pins), runs(in_buffer(0), 8));
  EXPECT_EQ(memory.bytes(3)[model::kPageSize - 1], memory.bytes(0)[3]);
  memory.protect(page, model::kPageSize, model::kWritePages);
  EXPECT_EQ(memory.bytes(3)[model::kPageSize], std::byte{0});
  memory.move(runs(page, 8, &pins), runs(in_buffer(0), 8));
  EXPECT_EQ(memory.bytes(3)[model::kPageSize], std::byte{0}) << "the page is another one";
  EXPECT_FALSE(memory.still_writable(pins, in_buffer(3), 3 * model::kPageSize));
  memory.move(runs(page, 8), runs(in_buffer(0), 8));
  EXPECT_EQ(memory.bytes(3)[model::kPageSize], memory.bytes(0)[0]);
}

TEST(Memory, DevicesWriteWhatTheProgramMayOnlyRead) {
  Memory memory(Fault::none);
  memory.protect(in_buffer(0), model::kPageSize, model::kReadPages);
  EXPECT_TRUE(memory.mapped(in_buffer(0), 2 * model::kPageSize));
  EXPECT_FALSE(memory.writable(in_buffer(0), 1));
  EXPECT_TRUE(memory.writable(in_buffer(0, model::kPageSize), model::kPageSize));
  memory.move(runs(in_buffer(0), 8), runs(in_buffer(1), 8));
  EXPECT_EQ(memory.bytes(0)[7], memory.bytes(1)[7]);
  memory.restore();
  EXPECT_TRUE(memory.writable(in_buffer(0), 2 * model::kPageSize));
  EXPECT_EQ(memory.bytes(0)[7], std::byte{model::pattern_byte(model::initial_seed(0), 7)});
}

TEST(Memory, NumbersAreInHostOrder) {
  Memory memory(Fault::none);
  Runs split = runs(in_buffer(0), 3);
  split.add({in_buffer(1), 5});
  memory.store(split, 0x0102030405060708ULL);
  memory.move(runs(in_buffer(2), 8), split);
  EXPECT_EQ(memory.load({in_buffer(2), 8}), 0x0102030405060708ULL);
  EXPECT_EQ(memory.load({0, 8, nullptr, true}), 0U);
}

TEST(Buffers, ProtectRefusesWhatIsNotWholePagesOfABuffer) {
  Buffers buffers;
  EXPECT_THROW(buffers.protect(in_buffer(0, 1), model::kPageSize, model::kNoPages),
               std::logic_error);
  EXPECT_THROW(buffers.protect(in_buffer(0), 1, model::kNoPages), std::logic_error);
  EXPECT_THROW(buffers.protect(in_buffer(0), 3 * model::kPageSize, model::kNoPages),
               std::logic_error);
  EXPECT_THROW(buffers.protect(in_buffer(4), model::kPageSize, model::kNoPages), std::logic_error);
  EXPECT_THROW(buffers.protect(0, model::kPageSize, model::kNoPages), std::logic_error);
  buffers.protect(in_buffer(3), 4 * model::kPageSize, model::kNoPages);
  buffers.protect(in_buffer(3), 4 * model::kPageSize, model::kReadPages);  // stay unmapped
  buffers.restore();
  EXPECT_EQ(buffers.bytes(3)[0], std::byte{model::pattern_byte(model::initial_seed(3), 0)});
}

}  // namespace
}  // namespace mrproof::impl
