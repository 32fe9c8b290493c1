#include "impl/verbs/memory_twin.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "impl/device.hpp"

namespace mrproof::impl {
namespace {

/// Heads the bytes of one place.
struct Place {
  std::uint32_t offset = 0, size = 0;
};

/// Equal bytes between two changes that are cheaper to send than another head.
constexpr std::size_t kGap = sizeof(Place);

std::vector<char> bytes_of(int file, std::size_t size) {
  std::vector<char> bytes(size);
  if (pread(file, bytes.data(), size, 0) != static_cast<ssize_t>(size))
    throw DeviceError("cannot read the memory of the buffers: pread(2) failed");
  return bytes;
}

/// The end of the change that begins at `first`: behind it, so many bytes are equal.
std::size_t end_of_change(const std::vector<char>& a, const std::vector<char>& b,
                          std::size_t first) {
  std::size_t end = first + 1;
  for (std::size_t at = end; at < a.size() && at < end + kGap; ++at)
    if (a[at] != b[at]) end = at + 1;
  return end;
}

/// The place at the front, with its bytes. Throws std::logic_error.
std::string_view take_place(std::string_view& changes, std::size_t size, Place& place) {
  const auto wrong = [] { throw std::logic_error("the other host's memory is of another size"); };
  if (changes.size() < sizeof place) wrong();
  std::memcpy(&place, changes.data(), sizeof place);
  changes.remove_prefix(sizeof place);
  if (place.size > changes.size() || place.offset > size || place.size > size - place.offset)
    wrong();
  const std::string_view bytes = changes.substr(0, place.size);
  changes.remove_prefix(place.size);
  return bytes;
}

}  // namespace

MemoryTwin::MemoryTwin(int file, std::size_t size)
    : file_(file), known_(bytes_of(file, size)), now_(size) {}

std::string MemoryTwin::changes() {
  now_ = bytes_of(file_, known_.size());
  std::string all;
  for (std::size_t at = 0; at < now_.size(); ++at) {
    at = static_cast<std::size_t>(std::mismatch(now_.begin() + static_cast<std::ptrdiff_t>(at),
                                                now_.end(),
                                                known_.begin() + static_cast<std::ptrdiff_t>(at))
                                      .first -
                                  now_.begin());
    if (at == now_.size()) break;
    const std::size_t end = end_of_change(now_, known_, at);
    const Place place{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end - at)};
    all.append(reinterpret_cast<const char*>(&place), sizeof place);
    all.append(&now_[at], end - at);
    at = end;
  }
  known_.swap(now_);
  return all;
}

void MemoryTwin::take(std::string_view changes) {
  Place place;
  for (std::string_view rest = changes; !rest.empty();) take_place(rest, known_.size(), place);
  while (!changes.empty()) {
    const std::string_view bytes = take_place(changes, known_.size(), place);
    std::copy(bytes.begin(), bytes.end(), known_.begin() + place.offset);
    if (pwrite(file_, bytes.data(), bytes.size(), place.offset) !=
        static_cast<ssize_t>(bytes.size()))
      throw DeviceError("cannot store to the memory of the buffers: pwrite(2) failed");
  }
}

}  // namespace mrproof::impl
