#include "impl/buffers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "impl/device.hpp"

namespace mrproof::impl {
namespace {

// NOLINTNEXTLINE(performance-no-int-to-ptr): the address is promised by model/trace/layout.hpp
void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

/// The initial contents of all buffers, computed once: restoring them is on the path of each case.
const std::array<std::vector<std::byte>, model::kBufferCount>& pristine() {
  static const auto contents = [] {
    std::array<std::vector<std::byte>, model::kBufferCount> bytes;
    for (std::size_t index = 0; index < model::kBufferCount; ++index)
      for (std::uint64_t offset = 0; offset < model::buffer_size(index); ++offset)
        bytes.at(index).push_back(
            std::byte{model::pattern_byte(model::initial_seed(index), offset)});
    return bytes;
  }();
  return contents;
}

constexpr std::size_t pages_of(std::size_t index) {
  return model::buffer_size(index) / model::kPageSize;
}

/// Where a page of a buffer lies in the file.
off_t place_of(std::size_t index, std::size_t page) {
  return static_cast<off_t>(index * model::kLastBufferSize + page * model::kPageSize);
}

int make_file() {
  const int file = memfd_create("mrproof-buffers", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, place_of(model::kBufferCount, 0)) != 0)
    throw DeviceError("cannot make memory for two processes: memfd_create(2) failed");
  return file;
}

/// A range of huge pages, which are not there yet; where it ends depends on where it was mapped.
class HugePages {
 public:
  static constexpr std::uint64_t kHuge = 1U << 21U;
  static constexpr std::uint64_t kSize =
      (model::kBufferCount * model::kBufferStride + kHuge - 1) / kHuge * kHuge;

  HugePages()
      : mapped_(mmap(nullptr, kSize + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                     -1, 0)) {
    if (mapped_ == MAP_FAILED) throw DeviceError("cannot map 6 MiB for huge pages");
    madvise(start(), kSize, MADV_HUGEPAGE);
    std::memset(start(), 0, kSize);
  }
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;
  ~HugePages() { munmap(mapped_, kSize + kHuge); }

  [[nodiscard]] std::byte* start() const {
    auto* first = static_cast<std::byte*>(mapped_);
    return first + (kHuge - reinterpret_cast<std::uintptr_t>(first) % kHuge) % kHuge;
  }
  /// Whether the kernel has given huge pages, by smaps of proc(5).
  [[nodiscard]] bool are_there() const {
    std::ifstream maps("/proc/self/smaps");
    const auto wanted = reinterpret_cast<std::uintptr_t>(start());
    bool here = false;
    for (std::string line; std::getline(maps, line);) {
      std::size_t end = 0;
      if (const auto dash = line.find('-'); dash != std::string::npos && dash < line.find(' ')) {
        const auto first = std::stoull(line, &end, 16);
        here = first <= wanted && wanted < std::stoull(line.substr(end + 1), nullptr, 16);
      } else if (here && line.starts_with("AnonHugePages:")) {
        return std::stoull(line.substr(line.find(':') + 1)) * 1024 >= kSize;
      }
    }
    return false;
  }

 private:
  void* mapped_;
};

/// A file without pages, which no limit of memory counts: processes that are forked have it, too.
void map_wide_memory() {
  const int file = memfd_create("mrproof-wide", MFD_CLOEXEC);
  const bool sized = file >= 0 && ftruncate(file, static_cast<off_t>(model::kWideSize)) == 0;
  const void* got = sized ? mmap(at(model::kWideMemory), model::kWideSize, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0)
                          : MAP_FAILED;
  if (file >= 0) close(file);
  if (got != at(model::kWideMemory))
    throw DeviceError(
        "cannot map 8 GiB of memory that is not there; is there a limit (ulimit -v)?");
  madvise(at(model::kWideMemory), model::kWideSize, MADV_DONTDUMP);
}

}  // namespace

Buffers::Buffers(Kind kind)
    : huge_(kind == Kind::huge), file_(kind == Kind::shared ? make_file() : -1) {
  try {
    restore();
    map_wide_memory();
    wide_ = true;
  } catch (...) {
    unmap_all();
    throw;
  }
}

Buffers::~Buffers() { unmap_all(); }

std::span<std::byte> Buffers::bytes(std::size_t index) const {
  return {static_cast<std::byte*>(at(model::buffer_address(index))), model::buffer_size(index)};
}

void Buffers::map_pages() {
  for (std::size_t index = 0; index < model::kBufferCount; ++index) {
    for (std::size_t page = 0; page < pages_of(index); ++page)
      if (!mapped_.at(index).at(page)) map(index, page);
    if (protected_ &&
        mprotect(bytes(index).data(), bytes(index).size(), PROT_READ | PROT_WRITE) != 0)
      throw DeviceError("cannot make the buffers writable again: mprotect(2) failed");
  }
  protected_ = false;
}

/// What is left of the huge pages goes; the buffers' parts stay together.
void Buffers::take_huge_pages() {
  static_assert(model::kBufferBase % HugePages::kHuge == 0);
  const HugePages pages;
  if (!pages.are_there())
    throw DeviceError(
        "no huge pages to be had: /sys/kernel/mm/transparent_hugepage/enabled has to be always or "
        "madvise, and 4 MiB of memory in two pieces free");
  for (std::size_t index = 0; index < model::kBufferCount; ++index) {
    void* const wanted = bytes(index).data();
    const std::size_t size = bytes(index).size();
    if (mremap(pages.start() + index * model::kBufferStride, size, size,
               MREMAP_MAYMOVE | MREMAP_FIXED, wanted) != wanted)
      throw DeviceError("cannot move parts of huge pages to the buffers: mremap(2) failed");
  }
  replaced_ = false;
}

void Buffers::restore() {
  map_pages();
  if (huge_ && replaced_) take_huge_pages();
  for (std::size_t index = 0; index < model::kBufferCount; ++index)
    std::memcpy(bytes(index).data(), pristine().at(index).data(), bytes(index).size());
}

void Buffers::protect(std::uint64_t address, std::uint64_t length, model::Protection protection) {
  const std::size_t index = (address - model::kBufferBase) / model::kBufferStride;
  const std::uint64_t offset = (address - model::kBufferBase) % model::kBufferStride;
  if (index >= model::kBufferCount || offset % model::kPageSize != 0 ||
      length % model::kPageSize != 0 || offset > model::buffer_size(index) ||
      length > model::buffer_size(index) - offset)
    throw std::logic_error("protect: not whole pages of one buffer");
  protected_ = true;
  const std::size_t first = offset / model::kPageSize;
  for (std::size_t page = first; page < first + length / model::kPageSize; ++page) {
    bool& mapped = mapped_.at(index).at(page);
    void* const where = at(model::buffer_address(index) + page * model::kPageSize);
    if (!mapped) {
      if (protection == model::kWritePages) map(index, page);
    } else if (protection == model::kNoPages) {
      munmap(where, model::kPageSize);
      mapped = false;
      // A region keeps the page; what is mapped there next is to be another one, of zeros.
      if (file_ >= 0)
        fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, place_of(index, page),
                  model::kPageSize);
    } else {
      const bool writable = protection == model::kWritePages;
      if (mprotect(where, model::kPageSize, writable ? PROT_READ | PROT_WRITE : PROT_READ) != 0)
        throw DeviceError("cannot change the protection of a buffer: mprotect(2) failed");
    }
  }
}

void Buffers::fill(std::uint64_t address, std::uint64_t length, std::uint8_t seed) {
  auto* to = static_cast<std::byte*>(at(address));
  for (std::uint64_t offset = 0; offset < length; ++offset)
    to[offset] = std::byte{model::pattern_byte(seed, offset)};
}

/// Maps a page of zeros where nothing is mapped. Never over something: it may not be ours.
void Buffers::map(std::size_t index, std::size_t page) {
  void* const wanted = at(model::buffer_address(index) + page * model::kPageSize);
  const int flags = MAP_FIXED_NOREPLACE | (file_ >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
  void* const got = mmap(wanted, model::kPageSize, PROT_READ | PROT_WRITE, flags, file_,
                         file_ >= 0 ? place_of(index, page) : 0);
  if (got != wanted) {
    if (got != MAP_FAILED) munmap(got, model::kPageSize);  // a kernel that does not know the flag
    throw DeviceError(
        "cannot map the buffers at their fixed addresses: they are taken (is another "
        "device open in this process?)");
  }
  mapped_.at(index).at(page) = replaced_ = true;
}

void Buffers::unmap_all() {
  for (std::size_t index = 0; index < model::kBufferCount; ++index)
    for (std::size_t page = 0; page < pages_of(index); ++page) {
      if (mapped_.at(index).at(page))
        munmap(at(model::buffer_address(index) + page * model::kPageSize), model::kPageSize);
      mapped_.at(index).at(page) = false;
    }
  if (wide_) munmap(at(model::kWideMemory), model::kWideSize);
  wide_ = false;
  if (file_ >= 0) close(file_);
  file_ = -1;
}

}  // namespace mrproof::impl
