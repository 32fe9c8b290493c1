// The bytes that the model predicts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/rule.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::model {

/// A shadow of all buffers. Addresses are virtual addresses of the layout.
class Memory {
 public:
  /// Every buffer with its initial pattern.
  Memory();
  /// Puts the initial patterns back, and all pages.
  void restore();
  /// Stores pattern `seed` in `length` bytes at `address`, which lie in one buffer.
  void fill(std::uint64_t address, std::uint64_t length, std::uint8_t seed);
  /// Follows the verb protect: pages that come back after they were unmapped hold zeros.
  void protect(std::uint64_t address, std::uint64_t length, Protection protection);
  /// Moves the bytes of an exact transfer; its seen ranges lie in buffers. `carried`: the message,
  /// if it was taken from memory before.
  void move(const Transfer<Plain>& transfer, std::span<const std::byte> carried = {});
  /// Stores one byte, or some in a row in one buffer.
  void store(std::uint64_t address, std::byte value) { *locate(address, 1) = value; }
  void store(std::uint64_t address, std::span<const std::byte> values);
  /// What the byte at `address` becomes if the transfer moves it; nothing if it does not go there,
  /// or comes from outside of the buffers.
  [[nodiscard]] std::optional<std::byte> moved(
      const Transfer<Plain>& transfer, std::uint64_t address) const;
  /// The same for the bytes from `address` on: puts the first of them there, and tells how many.
  /// The next one need not be without an answer.
  [[nodiscard]] std::size_t moved(
      const Transfer<Plain>& transfer, std::uint64_t address, std::span<std::byte> values) const;
  /// The byte at an address of a buffer, and those in a row that lie there.
  [[nodiscard]] std::byte at(std::uint64_t address) const { return bytes(address, 1).front(); }
  [[nodiscard]] std::span<const std::byte> bytes(
      std::uint64_t address, std::uint64_t length) const;
  /// All bytes of buffer `index`, those of unmapped pages too: what they hold means nothing.
  [[nodiscard]] std::span<const std::byte> buffer(std::size_t index) const {
    return std::span(bytes_.at(index)).first(buffer_size(index));
  }
  /// Offsets [first, second) of the pages of buffer `index` that are not mapped; empty if all are.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> unmapped(std::size_t index) const {
    return unmapped_.at(index);
  }
  /// Whether both hold the same, in unmapped pages too.
  [[nodiscard]] bool same_bytes(const Memory& other) const { return bytes_ == other.bytes_; }
  /// Whether the range lies in one buffer.
  [[nodiscard]] static bool contains(std::uint64_t address, std::uint64_t length);
  /// How many bytes there are from the address to the end of its buffer; 0 if it lies in none.
  [[nodiscard]] static std::uint64_t room(std::uint64_t address);

 private:
  using Bytes = std::array<std::array<std::byte, kLastBufferSize>, kBufferCount>;
  static constexpr std::size_t kMostMoved = 2 * kLastBufferSize;
  [[nodiscard]] std::size_t gather(
      const Transfer<Plain>& transfer, std::span<std::byte> bytes) const;
  [[nodiscard]] std::uint64_t load(std::uint64_t address) const;
  std::byte* locate(std::uint64_t address, std::uint64_t length);
  alignas(64) Bytes bytes_;
  std::array<std::pair<std::uint64_t, std::uint64_t>, kBufferCount> unmapped_{};
};

}  // namespace mrproof::model
