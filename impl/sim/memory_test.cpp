#include "impl/sim/memory.hpp"

#include <gtest/gtest.h>

#include "impl/buffers.hpp"

namespace mrproof::impl {
namespace {

TEST(Memory, MappedFromEndsWithTheBuffer) {
  for (std::size_t index = 0; index < model::kBufferCount; ++index) {
    const std::uint64_t first = model::buffer_address(index);
    EXPECT_EQ(mapped_from(first), model::kBufferSize);
    EXPECT_EQ(mapped_from(first + model::kBufferSize - 1), 1U);
    EXPECT_EQ(mapped_from(first + model::kBufferSize), 0U);
    EXPECT_EQ(mapped_from(first - 1), 0U);
  }
  EXPECT_EQ(mapped_from(model::buffer_address(model::kBufferCount)), 0U);
  EXPECT_EQ(mapped_from(0), 0U);
  EXPECT_EQ(mapped_from(~std::uint64_t{0}), 0U);
}

TEST(Memory, MovesOverlappingBytes) {
  const Buffers buffers;
  const auto bytes = buffers.bytes(0);
  const std::byte last = bytes[99];
  const std::uint64_t first = model::buffer_address(0);
  move_bytes(first + 1, first, 100, Fault::none);
  EXPECT_EQ(bytes[100], last);
  EXPECT_EQ(bytes[1], bytes[0]);
}

TEST(Memory, TouchesNothingThatIsNotMapped) {
  const Buffers buffers;
  const std::uint64_t end = model::buffer_address(1) + model::kBufferSize;
  const std::byte first = buffers.bytes(0)[0];
  move_bytes(end - 1, model::buffer_address(0), 100, Fault::none);
  EXPECT_EQ(buffers.bytes(1).back(), first);
  move_bytes(end, model::buffer_address(0), 100, Fault::none);
  move_bytes(model::buffer_address(0), ~std::uint64_t{0}, 100, Fault::none);
  zero_bytes(end - 1, ~std::uint64_t{0});
  EXPECT_EQ(buffers.bytes(1).back(), std::byte{0});
  EXPECT_EQ(buffers.bytes(0)[0], first);
}

}  // namespace
}  // namespace mrproof::impl
