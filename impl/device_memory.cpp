#include "impl/device_memory.hpp"

#include "model/oracle/equal_bytes.hpp"

namespace mrproof::impl {
namespace {

void collect(std::uint64_t address, std::span<const std::byte> seen,
             std::span<const std::byte> wanted, std::vector<model::ByteRun>& runs) {
  bool open = false;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const bool differs = seen[i] != wanted[i];
    if (differs && !open) runs.push_back({address + i, {}});
    if (differs) runs.back().bytes.push_back(seen[i]);
    open = differs;
  }
}

}  // namespace

void DeviceMemory::differences(const model::Memory& expected, std::vector<model::ByteRun>& runs) {
  const model::EqualBytes equal = model::quicker_equal_bytes();
  for (std::size_t i = 0; i < model::kBufferCount; ++i) {
    const auto seen = device_.buffer(i);
    const auto wanted = expected.buffer(i);
    const auto compare = [&](std::size_t from, std::size_t to) {
      if (!equal(seen.data() + from, wanted.data() + from, to - from))
        collect(model::buffer_address(i) + from, seen.subspan(from, to - from),
                wanted.subspan(from, to - from), runs);
    };
    const auto [hole, end] = expected.unmapped(i);
    compare(0, hole == end ? wanted.size() : hole);
    if (hole != end) compare(end, wanted.size());
  }
}

}  // namespace mrproof::impl
