// The program's buffers at their fixed addresses, each between pages that are never mapped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/call.hpp"
#include "model/state.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::impl {

/// Maps the buffers of model/trace/layout.hpp and kWideMemory on construction, unmaps them on
/// destruction. Throws DeviceError when an address is taken (two devices in one process, or a
/// foreign mapping).
class Buffers {
 public:
  /// Who owns the pages: this process alone, or a file in memory that a forked child shares. The
  /// child then has to be told of each change of protection, and of restore() by map_pages():
  /// processes share the bytes, not the mappings. `huge`: this process, as own, but they are parts
  /// of huge pages, at the same places in them, so that they follow each other in the machine's
  /// memory as they do in the program's.
  enum class Kind : std::uint8_t { own, shared, huge };

  explicit Buffers(Kind kind = Kind::own);
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  /// The bytes of buffer `index`, whether or not all of its pages are mapped.
  [[nodiscard]] std::span<std::byte> bytes(std::size_t index) const;
  /// The file whose pages they are, if they are shared, and its size. What is read from it or
  /// written to it meets the buffers' bytes whatever the protection of their pages is.
  [[nodiscard]] int file() const { return file_; }
  static constexpr std::size_t kFileSize = model::kBufferCount * model::kLastBufferSize;
  /// Maps all pages again, readable and writable, and puts the initial patterns in all buffers.
  /// Throws DeviceError when a page's address was taken meanwhile, or there is no huge page that
  /// is wanted.
  void restore();
  /// Maps all pages again, readable and writable, and leaves the bytes as they are.
  void map_pages();
  /// Unmaps whole pages, makes them read-only, or readable and writable; with the latter, those
  /// that were unmapped are new and hold zeros. A page that is not mapped cannot be made read-only
  /// and stays as it is. Precondition: the range consists of whole pages of one buffer. Throws
  /// DeviceError when the address of a page to be mapped was taken meanwhile.
  void protect(std::uint64_t address, std::uint64_t length, model::Protection protection);
  /// Whether pages were protected since all were mapped.
  [[nodiscard]] bool are_protected() const { return protected_; }
  /// Stores pattern `seed` at `address`; the whole range must lie in one buffer, on pages that are
  /// mapped and writable.
  static void fill(std::uint64_t address, std::uint64_t length, std::uint8_t seed);

 private:
  static constexpr std::size_t kMostPages = model::kLastBufferSize / model::kPageSize;

  void map(std::size_t index, std::size_t page);
  void take_huge_pages();
  void unmap_all();

  /// Which pages of which buffer are mapped.
  std::array<std::array<bool, kMostPages>, model::kBufferCount> mapped_{};
  bool wide_ = false;       ///< kWideMemory is mapped
  bool huge_ = false;       ///< Kind::huge
  int file_ = -1;           ///< whose pages they are, one buffer behind the other; -1: none
  bool protected_ = false;  ///< whether pages were protected since they were all restored
  bool replaced_ = true;    ///< whether pages were mapped since they were parts of huge ones
};

}  // namespace mrproof::impl
