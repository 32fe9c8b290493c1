#include "impl/buffers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "impl/device.hpp"

namespace mrproof::impl {
namespace {

/// The frames of the machine's memory in which the buffer's pages are, by pagemap of proc(5): zeros
/// for who may not know.
std::vector<std::uint64_t> frames_of(const Buffers& buffers, std::size_t index) {
  const auto bytes = buffers.bytes(index);
  std::vector<std::uint64_t> frames(bytes.size() / model::kPageSize);
  const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  const auto first = model::buffer_address(index) / model::kPageSize;
  EXPECT_GT(pread(map, frames.data(), frames.size() * 8, static_cast<off_t>(first * 8)), 0);
  close(map);
  for (auto& frame : frames) frame &= (1ULL << 55U) - 1;
  return frames;
}

/// Whether they lie in huge pages as in the program's memory.
bool are_huge(const Buffers& buffers) {
  constexpr std::uint64_t kPages = 512;  // of a huge one
  for (std::size_t index = 0; index < model::kBufferCount; ++index) {
    const auto frames = frames_of(buffers, index);
    const auto first = model::buffer_address(index) / model::kPageSize;
    for (std::size_t page = 0; page < frames.size(); ++page)
      if (frames[page] != frames[0] + page || frames[page] % kPages != (first + page) % kPages)
        return false;
  }
  return true;
}

bool are_pristine(const Buffers& buffers) {
  for (std::size_t index = 0; index < model::kBufferCount; ++index)
    for (std::size_t i = 0; i < buffers.bytes(index).size(); ++i)
      if (buffers.bytes(index)[i] !=
          std::byte{model::pattern_byte(model::initial_seed(index), i)})
        return false;
  return true;
}

TEST(Buffers, AreRestored) {
  for (const auto kind : {Buffers::Kind::own, Buffers::Kind::shared}) {
    Buffers buffers(kind);
    EXPECT_TRUE(are_pristine(buffers));
    buffers.protect(model::buffer_address(1), model::kPageSize, model::kNoPages);
    buffers.protect(model::buffer_address(2), model::kPageSize, model::kReadPages);
    buffers.bytes(0)[3] = std::byte{7};
    buffers.restore();
    EXPECT_TRUE(are_pristine(buffers));
    buffers.bytes(2)[0] = buffers.bytes(1)[0];
  }
}

TEST(Buffers, ArePartsOfHugePages) {
  try {
    Buffers buffers(Buffers::Kind::huge);
    EXPECT_TRUE(are_pristine(buffers));
    if (frames_of(buffers, 0)[0] == 0) GTEST_SKIP() << "frames are told to nobody but root";
    EXPECT_TRUE(are_huge(buffers));
    buffers.protect(model::buffer_address(1), model::kPageSize, model::kNoPages);
    buffers.map_pages();
    EXPECT_FALSE(are_huge(buffers)) << "a page was mapped anew";
    buffers.restore();
    EXPECT_TRUE(are_pristine(buffers));
    EXPECT_TRUE(are_huge(buffers));
  } catch (const DeviceError& error) {
    if (!std::string(error.what()).starts_with("no huge pages to be had")) throw;
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace mrproof::impl
