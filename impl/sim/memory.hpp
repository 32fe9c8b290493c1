// The program's memory as a device sees it: pages that come and go, and the bytes on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "impl/buffers.hpp"
#include "impl/sim/faults.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::impl {

/// Pages that any buffer has at most.
inline constexpr std::size_t kPagesEach = model::kLastBufferSize / model::kPageSize;
inline constexpr std::size_t kPages = model::kBufferCount * kPagesEach;

/// The pages that a region holds: of each page of the buffers the incarnation that was mapped when
/// the region was registered, 0 where it holds none. A page that is unmapped and mapped again is
/// another page, of which the region knows nothing.
using Pins = std::array<std::uint32_t, kPages>;

/// Bytes in one run: `length` of them from virtual address `address` on.
struct Run {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  const Pins* pins = nullptr;  ///< pages it is limited to; without: what is mapped when it is used
  bool hidden = false;         ///< none of the program's memory: zeros, and takes what is stored
  const std::byte* carried = nullptr;  ///< the bytes themselves; memory may hold others by now
};

/// The runs that a scatter/gather list comes down to, in its order.
class Runs {
 public:
  /// Empty runs are left out.
  void add(const Run& run) {
    if (run.length != 0) runs_.at(count_++) = run;
  }
  [[nodiscard]] std::span<const Run> all() const { return {runs_.data(), count_}; }
  [[nodiscard]] std::uint64_t length() const;

 private:
  std::size_t count_ = 0;
  std::array<Run, 4> runs_{};
};

/// The buffers, and which of their pages are mapped, may be written, and have been since when.
class Memory {
 public:
  /// Throws DeviceError as Buffers does. Moves bytes wrongly if `fault` is of that kind.
  explicit Memory(Fault fault);

  [[nodiscard]] std::span<const std::byte> bytes(std::size_t index) const {
    return buffers_.bytes(index);
  }
  /// As Buffers::restore().
  void restore();
  /// As Buffers::protect().
  void protect(std::uint64_t address, std::uint64_t length, model::Protection protection);

  /// Whether all of the range is mapped memory of one buffer.
  [[nodiscard]] bool mapped(std::uint64_t address, std::uint64_t length) const;
  /// Whether, in addition, the program may write it.
  [[nodiscard]] bool writable(std::uint64_t address, std::uint64_t length) const;
  /// What a region holds that pins the pages of the range which are mapped now.
  [[nodiscard]] Pins pin(std::uint64_t address, std::uint64_t length) const;
  /// Whether the program still sees all of these pages in the range, and may write them.
  [[nodiscard]] bool still_writable(const Pins& pins, std::uint64_t address,
                                    std::uint64_t length) const;

  /// Moves the bytes of `from` to `to`, as many as `from` has. A device reaches the pages that
  /// it holds, whatever the program may do with them: what goes to a page that is not mapped any
  /// more is lost, what comes from there is zeros. Nothing else is touched, even if a fault let a
  /// bad range through: a faulty device corrupts buffers, never the process it runs in.
  void move(const Runs& to, const Runs& from);

  /// The first eight bytes, as a number in host byte order; and storing them.
  [[nodiscard]] std::uint64_t load(const Run& run) const;
  void store(const Runs& runs, std::uint64_t value);

  /// Stores zeros in what can be reached of the run.
  void clear(const Run& run);

 private:
  struct Page {
    bool mapped = true;
    bool writable = true;
    std::uint32_t incarnation = 1;
  };
  /// The beginning of a run: so many bytes that are all visible, on one page, or all not.
  struct Stretch {
    bool visible = false;
    std::uint64_t length = 0;
  };

  [[nodiscard]] bool broken(Fault fault) const { return fault_ == fault; }
  [[nodiscard]] bool all_pages(std::uint64_t address, std::uint64_t length, bool writable) const;
  [[nodiscard]] Stretch stretch(const Run& run, std::uint64_t offset) const;
  void transfer(const Runs& to, const Runs& from, std::uint64_t length);
  void write(std::uint64_t to, const void* from, std::uint64_t length);

  Fault fault_;
  Buffers buffers_;
  std::array<Page, kPages> pages_{};
};

/// How many bytes from `address` on lie in one buffer of model/trace/layout.hpp; 0 outside of all.
constexpr std::uint64_t buffer_bytes_from(std::uint64_t address) {
  const std::uint64_t distance = address - model::kBufferBase;
  if (distance >= model::kBufferCount * model::kBufferStride) return 0;
  const std::uint64_t offset = distance % model::kBufferStride;
  const std::uint64_t size = model::buffer_size(distance / model::kBufferStride);
  return offset < size ? size - offset : 0;
}

}  // namespace mrproof::impl
