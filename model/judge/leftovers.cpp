#include "model/judge/leftovers.hpp"

#include <fmt/format.h>

namespace mrproof::model {
namespace {

constexpr std::array<const char*, kHeld> kWords{"pinned KiB", "memory regions",
    "protection domains", "users of protection domains", "queue pairs", "completion queues",
    "open files of the device", "bytes that the kernel keeps of each round"};

Bit never(const PlainView& /*view*/) { return Bit(false); }

constexpr PlainCondition nothing(const char* id, const char* sentence) {
  return {id, sentence, "harness.nothing_left", About::circumstance, never};
}

bool is_more(const Holdings& before, const Holdings& after, std::size_t i) {
  return before[i] && after[i] && *before[i] < *after[i];
}

}  // namespace

const std::array<PlainCondition, kHeld> kNothingLeft{
    nothing(
        "pages_unpinned", "no page of the program's memory is pinned for a region that is gone"),
    nothing("regions_gone", "no region is counted that was deregistered, or was refused"),
    nothing("domains_gone", "no PD is counted that was deallocated"),
    nothing("domains_unused", "no PD counts a user that is gone"),
    nothing("pairs_gone", "no queue pair is counted that was destroyed"),
    nothing("queues_gone", "no completion queue is counted that was destroyed"),
    nothing("files_closed", "no file of the device is open that a call opened"),
    nothing("kernel_memory_freed", "no memory is allocated by the kernel for what is gone")};

std::vector<const PlainCondition*> left_behind(const Holdings& before, const Holdings& after) {
  std::vector<const PlainCondition*> left;
  for (std::size_t i = 0; i < kHeld; ++i)
    if (is_more(before, after, i)) left.push_back(&kNothingLeft[i]);
  return left;
}

std::string print_left(const Holdings& before, const Holdings& after) {
  std::string text;
  for (std::size_t i = 0; i < kHeld; ++i)
    if (is_more(before, after, i))
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", kWords[i], *after[i] - *before[i]);
  return text;
}

bool is_of_kept_memory(const DeviationName& name) {
  return name.broken.contains(kNothingLeft.at(static_cast<std::size_t>(Held::memory)).id);
}

}  // namespace mrproof::model
