#include "impl/buffers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "impl/device.hpp"

namespace mrproof::impl {
namespace {

// NOLINTNEXTLINE(performance-no-int-to-ptr): the address is the contract, see impl/layout.hpp
void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

/// The initial contents of all buffers, computed once: restoring them is on the path of each case.
const std::array<std::vector<std::byte>, kBufferCount>& pristine() {
  static const auto contents = [] {
    std::array<std::vector<std::byte>, kBufferCount> bytes;
    for (std::size_t index = 0; index < kBufferCount; ++index)
      for (std::uint64_t offset = 0; offset < buffer_size(index); ++offset)
        bytes.at(index).push_back(std::byte{pattern_byte(initial_seed(index), offset)});
    return bytes;
  }();
  return contents;
}

constexpr std::size_t pages_of(std::size_t index) { return buffer_size(index) / kPageSize; }

/// Where a page of a buffer lies in the file.
off_t place_of(std::size_t index, std::size_t page) {
  return static_cast<off_t>(index * kLastBufferSize + page * kPageSize);
}

int make_file() {
  const int file = memfd_create("mrproof-buffers", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, place_of(kBufferCount, 0)) != 0)
    throw DeviceError("cannot make memory for two processes: memfd_create(2) failed");
  return file;
}

}  // namespace

Buffers::Buffers(Kind kind) : file_(kind == Kind::shared ? make_file() : -1) {
  try {
    restore();
  } catch (...) {
    unmap_all();
    throw;
  }
}

Buffers::~Buffers() { unmap_all(); }

std::span<std::byte> Buffers::bytes(std::size_t index) const {
  return {static_cast<std::byte*>(at(buffer_address(index))), buffer_size(index)};
}

void Buffers::map_pages() {
  for (std::size_t index = 0; index < kBufferCount; ++index) {
    for (std::size_t page = 0; page < pages_of(index); ++page)
      if (!mapped_.at(index).at(page)) map(index, page);
    if (protected_ &&
        mprotect(bytes(index).data(), bytes(index).size(), PROT_READ | PROT_WRITE) != 0)
      throw DeviceError("cannot make the buffers writable again: mprotect(2) failed");
  }
  protected_ = false;
}

void Buffers::restore() {
  map_pages();
  for (std::size_t index = 0; index < kBufferCount; ++index)
    std::memcpy(bytes(index).data(), pristine().at(index).data(), bytes(index).size());
}

void Buffers::protect(std::uint64_t address, std::uint64_t length, model::Protection protection) {
  const std::size_t index = (address - kBufferBase) / kBufferStride;
  const std::uint64_t offset = (address - kBufferBase) % kBufferStride;
  if (index >= kBufferCount || offset % kPageSize != 0 || length % kPageSize != 0 ||
      offset > buffer_size(index) || length > buffer_size(index) - offset)
    throw std::logic_error("protect: not whole pages of one buffer");
  protected_ = true;
  const std::size_t first = offset / kPageSize;
  for (std::size_t page = first; page < first + length / kPageSize; ++page) {
    bool& mapped = mapped_.at(index).at(page);
    void* const where = at(buffer_address(index) + page * kPageSize);
    if (!mapped) {
      if (protection == model::kWritePages) map(index, page);
    } else if (protection == model::kNoPages) {
      munmap(where, kPageSize);
      mapped = false;
      // A region keeps the page; what is mapped there next is to be another one, of zeros.
      if (file_ >= 0)
        fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, place_of(index, page),
                  kPageSize);
    } else {
      const bool writable = protection == model::kWritePages;
      if (mprotect(where, kPageSize, writable ? PROT_READ | PROT_WRITE : PROT_READ) != 0)
        throw DeviceError("cannot change the protection of a buffer: mprotect(2) failed");
    }
  }
}

void Buffers::fill(std::uint64_t address, std::uint64_t length, std::uint8_t seed) {
  auto* to = static_cast<std::byte*>(at(address));
  for (std::uint64_t offset = 0; offset < length; ++offset)
    to[offset] = std::byte{pattern_byte(seed, offset)};
}

/// Maps a page of zeros where nothing is mapped. Never over something: it may not be ours.
void Buffers::map(std::size_t index, std::size_t page) {
  void* const wanted = at(buffer_address(index) + page * kPageSize);
  const int flags = MAP_FIXED_NOREPLACE | (file_ >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
  void* const got = mmap(wanted, kPageSize, PROT_READ | PROT_WRITE, flags, file_,
                         file_ >= 0 ? place_of(index, page) : 0);
  if (got != wanted) {
    if (got != MAP_FAILED) munmap(got, kPageSize);  // a kernel that does not know the flag
    throw DeviceError(
        "cannot map the buffers at their fixed addresses: they are taken (is another "
        "device open in this process?)");
  }
  mapped_.at(index).at(page) = true;
}

void Buffers::unmap_all() {
  for (std::size_t index = 0; index < kBufferCount; ++index)
    for (std::size_t page = 0; page < pages_of(index); ++page) {
      if (mapped_.at(index).at(page))
        munmap(at(buffer_address(index) + page * kPageSize), kPageSize);
      mapped_.at(index).at(page) = false;
    }
  if (file_ >= 0) close(file_);
  file_ = -1;
}

}  // namespace mrproof::impl
