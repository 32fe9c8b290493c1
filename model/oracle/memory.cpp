#include "model/oracle/memory.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace mrproof::model {

namespace {

/// What an atomic operation leaves where `value` was.
std::uint64_t changed(const Transfer<Plain>& t, std::uint64_t value) {
  if (t.motion == Motion::fetch_and_add) return value + t.operand.value();
  return value == t.operand.value() ? t.swap.value() : value;
}

std::uint64_t total(const std::array<Piece<Plain>, 2>& pieces) {
  return pieces[0].length.value() + pieces[1].length.value();
}

/// Not constexpr, or compilers take a minute to evaluate Memory::restore().
std::byte initial_byte(std::size_t buffer, std::size_t offset) {
  return std::byte{pattern_byte(initial_seed(buffer), offset)};
}

}  // namespace

Memory::Memory() { restore(); }

void Memory::restore() {
  static const Bytes pristine = [] {
    Bytes bytes{};
    for (std::size_t i = 0; i < kBufferCount; ++i)
      for (std::size_t offset = 0; offset < buffer_size(i); ++offset)
        bytes.at(i).at(offset) = initial_byte(i, offset);
    return bytes;
  }();
  bytes_ = pristine;
  unmapped_.fill({0, 0});
}

bool Memory::contains(std::uint64_t address, std::uint64_t length) {
  if (address < kBufferBase) return false;
  const std::uint64_t index = (address - kBufferBase) / kBufferStride;
  const std::uint64_t offset = (address - kBufferBase) % kBufferStride;
  return index < kBufferCount && offset <= buffer_size(index) &&
         length <= buffer_size(index) - offset;
}

std::byte* Memory::locate(std::uint64_t address, std::uint64_t length) {
  if (!contains(address, length))
    throw std::logic_error("the model moves bytes outside of its buffers");
  const std::uint64_t offset = address - kBufferBase;
  return bytes_.at(offset / kBufferStride).data() + offset % kBufferStride;
}

std::uint64_t Memory::room(std::uint64_t address) {
  return contains(address, 0)
             ? kBufferBase + (address - kBufferBase) / kBufferStride * kBufferStride +
                   buffer_size((address - kBufferBase) / kBufferStride) - address
             : 0;
}

std::span<const std::byte> Memory::bytes(std::uint64_t address, std::uint64_t length) const {
  return {const_cast<Memory*>(this)->locate(address, length), length};
}

void Memory::store(std::uint64_t address, std::span<const std::byte> values) {
  std::copy(values.begin(), values.end(), locate(address, values.size()));
}

std::uint64_t Memory::load(std::uint64_t address) const {
  std::uint64_t value = 0;
  std::memcpy(&value, const_cast<Memory*>(this)->locate(address, sizeof value), sizeof value);
  return value;
}

void Memory::fill(std::uint64_t address, std::uint64_t length, std::uint8_t seed) {
  std::byte* to = locate(address, length);
  for (std::uint64_t i = 0; i < length; ++i) to[i] = std::byte{pattern_byte(seed, i)};
}

void Memory::protect(std::uint64_t address, std::uint64_t length, Protection protection) {
  std::byte* pages = locate(address, length);
  const std::uint64_t index = (address - kBufferBase) / kBufferStride;
  const std::uint64_t offset = (address - kBufferBase) % kBufferStride;
  auto& unmapped = unmapped_.at(index);
  if (protection == kNoPages) {
    unmapped = {offset, offset + length};
  } else if (unmapped.first != unmapped.second) {
    std::memset(pages, 0, length);
    unmapped = {0, 0};
  }
}

/// Copies what the transfer moves, in order, and says how much it is.
std::size_t Memory::gather(const Transfer<Plain>& transfer, std::span<std::byte> bytes) const {
  std::size_t count = 0;
  const std::size_t most = std::min<std::size_t>(total(transfer.to), bytes.size());
  for (const auto& piece : transfer.from) {
    const std::size_t length = std::min<std::size_t>(piece.length.value(), most - count);
    if (length == 0) continue;
    if (piece.zeros.truth() || piece.outside_buffers.truth())
      std::memset(bytes.data() + count, 0, length);
    else
      std::memcpy(bytes.data() + count, const_cast<Memory*>(this)->locate(piece.at.value(), length),
          length);
    count += length;
  }
  return count;
}

void Memory::move(const Transfer<Plain>& transfer, std::span<const std::byte> carried) {
  std::array<std::byte, kMostMoved> bytes;  // NOLINT(*-member-init): gather() fills what counts
  const std::size_t count = carried.empty() ? gather(transfer, bytes) : carried.size();
  std::copy(carried.begin(), carried.end(), bytes.begin());
  if (transfer.motion != Motion::copy && count == 8 && !transfer.from[0].outside_buffers.truth()) {
    const std::uint64_t at = transfer.from[0].at.value();
    const std::uint64_t value = changed(transfer, load(at));
    std::memcpy(locate(at, sizeof value), &value, sizeof value);
  }
  std::size_t done = 0;
  for (const auto& piece : transfer.to) {
    const std::size_t length = std::min<std::size_t>(piece.length.value(), count - done);
    if (length != 0 && !piece.outside_buffers.truth())
      std::memcpy(locate(piece.at.value(), length), bytes.data() + done, length);
    done += length;
  }
}

std::optional<std::byte> Memory::moved(
    const Transfer<Plain>& transfer, std::uint64_t address) const {
  std::byte value{};
  if (moved(transfer, address, {&value, 1}) == 0) return std::nullopt;
  return value;
}

std::size_t Memory::moved(const Transfer<Plain>& transfer, std::uint64_t address,
    std::span<std::byte> values) const {
  const bool is_copy = transfer.motion == Motion::copy;
  if (!is_copy && transfer.from[0].length.value() == 8 &&
      address - transfer.from[0].at.value() < 8 && !transfer.from[0].outside_buffers.truth()) {
    const std::uint64_t at = transfer.from[0].at.value();
    const std::uint64_t value = changed(transfer, load(at));
    values.front() = reinterpret_cast<const std::byte*>(&value)[address - at];
    return 1;
  }
  // What an atomic operation returns may go where it changes the value.
  std::uint64_t most = is_copy ? values.size() : 1;
  std::uint64_t place = 0;  // in the message
  for (const auto& to : transfer.to) {
    const std::uint64_t offset = address - to.at.value();
    if (offset >= to.length.value() || to.outside_buffers.truth()) {
      place += to.length.value();
      continue;
    }
    place += offset;
    most = std::min(most, to.length.value() - offset);
    for (const auto& from : transfer.from) {
      if (place >= from.length.value()) {
        place -= from.length.value();
        continue;
      }
      most = std::min(most, from.length.value() - place);
      if (from.zeros.truth()) {
        std::memset(values.data(), 0, most);
        return most;
      }
      if (from.outside_buffers.truth()) return 0;
      // A region paged on demand may be longer than the memory behind it.
      most = std::min(most, room(from.at.value() + place));
      if (most > 0) std::memcpy(values.data(), bytes(from.at.value() + place, most).data(), most);
      return most;
    }
    return 0;
  }
  return 0;
}

}  // namespace mrproof::model
