#include "impl/sim/memory.hpp"

#include <algorithm>
#include <cstring>

namespace mrproof::impl {
namespace {

/// Payload of one packet: what Fault::first_packet_only stores.
constexpr std::uint64_t kPathMtu = 1024;

// NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers in calls, see model/layout.hpp
void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

void copy(std::uint64_t to, std::uint64_t from, std::uint64_t length) {
  const std::uint64_t mapped = std::min({length, mapped_from(to), mapped_from(from)});
  if (mapped != 0) std::memmove(at(to), at(from), mapped);
}

/// The first page is right; the rest is stored as if its page, too, began at the first's offset.
void copy_repeating_page_offset(std::uint64_t to, std::uint64_t from, std::uint64_t length) {
  const std::uint64_t offset = to % model::kPageSize;
  const std::uint64_t head = std::min(length, model::kPageSize - offset);
  copy(to, from, head);
  if (head < length) copy(to + head + offset, from + head, length - head);
}

void copy_repeating_first_byte(std::uint64_t to, std::uint64_t from, std::uint64_t length) {
  copy(to, from, length);
  if (length > 1) copy(to + 1, to, 1);
}

}  // namespace

void move_bytes(std::uint64_t to, std::uint64_t from, std::uint64_t length, Fault fault) {
  if (length == 0) return;
  switch (fault) {
    case Fault::last_byte_lost:
      return copy(to, from, length - 1);
    case Fault::first_byte_repeated:
      return copy_repeating_first_byte(to, from, length);
    case Fault::byte_after_end_written:
      return copy(to, from, length + 1);
    case Fault::page_offset_repeated:
      return copy_repeating_page_offset(to, from, length);
    case Fault::first_packet_only:
      return copy(to, from, std::min(length, kPathMtu));
    case Fault::nothing_moved:
      return;
    default:
      return copy(to, from, length);
  }
}

void zero_bytes(std::uint64_t to, std::uint64_t length) {
  const std::uint64_t mapped = std::min(length, mapped_from(to));
  if (mapped != 0) std::memset(at(to), 0, mapped);
}

}  // namespace mrproof::impl
