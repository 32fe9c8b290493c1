#include "impl/buffers.hpp"

#include <sys/mman.h>

#include <cstring>

#include "impl/device.hpp"

namespace mrproof::impl {
namespace {

// NOLINTNEXTLINE(performance-no-int-to-ptr): the address is the contract, see model/layout.hpp
void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

/// The initial contents of all buffers, computed once: restoring them is on the path of each case.
const std::array<std::array<std::byte, model::kBufferSize>, model::kBufferCount>& pristine() {
  static const auto contents = [] {
    std::array<std::array<std::byte, model::kBufferSize>, model::kBufferCount> bytes{};
    for (std::size_t index = 0; index < model::kBufferCount; ++index)
      for (std::uint64_t offset = 0; offset < model::kBufferSize; ++offset)
        bytes.at(index).at(offset) =
            std::byte{model::pattern_byte(model::initial_seed(index), offset)};
    return bytes;
  }();
  return contents;
}

}  // namespace

Buffers::Buffers() {
  for (; mapped_ < model::kBufferCount; ++mapped_) {
    void* wanted = at(model::buffer_address(mapped_));
    void* got = mmap(wanted, model::kBufferSize, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == wanted) continue;
    if (got != MAP_FAILED) munmap(got, model::kBufferSize);
    while (mapped_ > 0) munmap(at(model::buffer_address(--mapped_)), model::kBufferSize);
    throw DeviceError(
        "cannot map the buffers at their fixed addresses: they are taken (is another "
        "device open in this process?)");
  }
  restore();
}

Buffers::~Buffers() {
  for (; mapped_ > 0; --mapped_) munmap(at(model::buffer_address(mapped_ - 1)), model::kBufferSize);
}

std::span<std::byte> Buffers::bytes(std::size_t index) const {
  return {static_cast<std::byte*>(at(model::buffer_address(index))), model::kBufferSize};
}

void Buffers::restore() const {
  for (std::size_t index = 0; index < model::kBufferCount; ++index)
    std::memcpy(bytes(index).data(), pristine().at(index).data(), model::kBufferSize);
}

void Buffers::fill(std::uint64_t address, std::uint64_t length, std::uint8_t seed) {
  auto* to = static_cast<std::byte*>(at(address));
  for (std::uint64_t offset = 0; offset < length; ++offset)
    to[offset] = std::byte{model::pattern_byte(seed, offset)};
}

}  // namespace mrproof::impl
