// The program's buffers at their fixed addresses, each between pages that are never mapped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/layout.hpp"

namespace mrproof::impl {

/// Maps the buffers of model/layout.hpp on construction, unmaps them on destruction. Throws
/// DeviceError when an address is taken (two devices in one process, or a foreign mapping).
class Buffers {
 public:
  Buffers();
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  /// The bytes of buffer `index`.
  [[nodiscard]] std::span<std::byte> bytes(std::size_t index) const;
  /// Puts the initial patterns in all buffers.
  void restore() const;
  /// Stores pattern `seed` at `address`; the whole range must lie in one buffer.
  static void fill(std::uint64_t address, std::uint64_t length, std::uint8_t seed);

 private:
  std::size_t mapped_ = 0;
};

}  // namespace mrproof::impl
