// The bytes that the model predicts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/layout.hpp"
#include "model/rule.hpp"

namespace mrproof::model {

/// A shadow of all buffers. Addresses are virtual addresses of the layout.
class Memory {
 public:
  /// Every buffer with its initial pattern.
  Memory();
  /// Puts the initial patterns back.
  void restore();
  /// Stores pattern `seed` in `length` bytes at `address`, which lie in one buffer.
  void fill(std::uint64_t address, std::uint64_t length, std::uint8_t seed);
  /// Moves the bytes of an exact transfer; its ranges lie in buffers.
  void move(const Transfer<Plain>& transfer);
  /// Stores one byte.
  void store(std::uint64_t address, std::byte value) { *locate(address, 1) = value; }
  /// The byte at an address of a buffer.
  [[nodiscard]] std::byte at(std::uint64_t address) const;
  /// All bytes of buffer `index`.
  [[nodiscard]] std::span<const std::byte> buffer(std::size_t index) const {
    return bytes_.at(index);
  }
  /// Whether the range lies in one buffer.
  [[nodiscard]] static bool contains(std::uint64_t address, std::uint64_t length);

 private:
  std::byte* locate(std::uint64_t address, std::uint64_t length);
  std::array<std::array<std::byte, kBufferSize>, kBufferCount> bytes_;
};

}  // namespace mrproof::model
