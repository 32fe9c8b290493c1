#include "model/memory.hpp"

#include <cstring>
#include <stdexcept>

namespace mrproof::model {

Memory::Memory() { restore(); }

void Memory::restore() {
  static const auto pristine = [] {
    decltype(bytes_) bytes{};
    for (std::size_t i = 0; i < kBufferCount; ++i)
      for (std::size_t offset = 0; offset < kBufferSize; ++offset)
        bytes.at(i).at(offset) = std::byte{pattern_byte(initial_seed(i), offset)};
    return bytes;
  }();
  bytes_ = pristine;
}

bool Memory::contains(std::uint64_t address, std::uint64_t length) {
  if (address < kBufferBase) return false;
  const std::uint64_t index = (address - kBufferBase) / kBufferStride;
  const std::uint64_t offset = (address - kBufferBase) % kBufferStride;
  return index < kBufferCount && offset <= kBufferSize && length <= kBufferSize - offset;
}

std::byte* Memory::locate(std::uint64_t address, std::uint64_t length) {
  if (!contains(address, length))
    throw std::logic_error("the model moves bytes outside of its buffers");
  const std::uint64_t offset = address - kBufferBase;
  return bytes_.at(offset / kBufferStride).data() + offset % kBufferStride;
}

std::byte Memory::at(std::uint64_t address) const {
  return *const_cast<Memory*>(this)->locate(address, 1);
}

void Memory::fill(std::uint64_t address, std::uint64_t length, std::uint8_t seed) {
  std::byte* to = locate(address, length);
  for (std::uint64_t i = 0; i < length; ++i) to[i] = std::byte{pattern_byte(seed, i)};
}

void Memory::move(const Transfer<Plain>& transfer) {
  const std::uint64_t length = transfer.length.value();
  if (length == 0) return;
  std::memmove(locate(transfer.to.value(), length), locate(transfer.from.value(), length), length);
}

}  // namespace mrproof::model
