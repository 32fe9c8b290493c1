// Which buffers exist, and where.
//
// Buffers lie at fixed addresses so that a trace means the same on every machine and in every run,
// and a program written from it needs no pointer arithmetic of its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mrproof::model {

inline constexpr std::size_t kBufferCount = 4;
inline constexpr std::uint64_t kPageSize = 4096;
/// Two pages: enough to cross a page border and to make a message of several packets.
inline constexpr std::uint64_t kBufferSize = 2 * kPageSize;
/// The last buffer has four, so that a hole fits in its middle.
inline constexpr std::uint64_t kLastBufferSize = 4 * kPageSize;
/// The bytes of buffer `index`.
constexpr std::uint64_t buffer_size(std::size_t index) {
  return index + 1 == kBufferCount ? kLastBufferSize : kBufferSize;
}
/// Distance between buffers; what lies between them is never mapped (guard pages).
inline constexpr std::uint64_t kBufferStride = 1ULL << 20;
/// In the lower half of the user address space of every 64-bit Linux, and outside the areas that
/// AddressSanitizer keeps for itself.
inline constexpr std::uint64_t kBufferBase = 0x200000000000ULL;

/// The address of byte 0 of buffer `index`.
constexpr std::uint64_t buffer_address(std::size_t index) {
  return kBufferBase + index * kBufferStride;
}

/// The byte at `offset` of a pattern: what fill() stores, and, with seed 0x40 + index, what buffer
/// `index` holds when a case starts. Mixed well, so that no two places in the buffers look alike.
constexpr std::uint8_t pattern_byte(std::uint8_t seed, std::uint64_t offset) {
  std::uint64_t value = (offset + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 30U)) * 0x94d049bb133111ebULL;
  return static_cast<std::uint8_t>(value >> 56U);
}

/// The seed of the pattern in buffer `index` at the start of a case.
constexpr std::uint8_t initial_seed(std::size_t index) {
  return static_cast<std::uint8_t>(0x40 + index);
}

}  // namespace mrproof::model
