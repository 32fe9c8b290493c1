#include "conformance/run/kept_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mrproof::conformance {

std::vector<KeptMemory> kept_each_round(const impl::KernelCaches& before,
                                        const impl::KernelCaches& after, std::uint64_t rounds) {
  std::vector<KeptMemory> kept;
  for (const auto& [name, cache] : after) {
    const auto old = before.find(name);
    const std::uint64_t objects = old == before.end() ? 0 : old->second.objects;
    if (cache.objects >= objects + rounds)
      kept.push_back({name, (cache.objects - objects) / rounds, cache.size});
  }
  return kept;
}

std::vector<KeptMemory> in_both(const std::vector<KeptMemory>& one,
                                const std::vector<KeptMemory>& other) {
  std::vector<KeptMemory> both;
  for (const KeptMemory& kept : one)
    for (const KeptMemory& again : other) {
      const auto [lesser, greater] = std::minmax(kept.objects, again.objects);
      if (kept.cache == again.cache && 2 * lesser >= greater)
        both.push_back({kept.cache, lesser, kept.size});
    }
  return both;
}

std::vector<KeptMemory> less(std::vector<KeptMemory> one, const std::vector<KeptMemory>& other) {
  std::erase_if(one, [&](const KeptMemory& kept) {
    return std::any_of(other.begin(), other.end(),
                       [&](const KeptMemory& by_itself) { return by_itself.cache == kept.cache; });
  });
  return one;
}

std::uint64_t bytes_of(const std::vector<KeptMemory>& kept) {
  std::uint64_t bytes = 0;
  for (const KeptMemory& one : kept) bytes += one.objects * one.size;
  return bytes;
}

std::string print_kept(const std::vector<KeptMemory>& kept) {
  std::string text;
  for (const KeptMemory& one : kept)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", one.cache, one.objects);
  return text;
}

}  // namespace mrproof::conformance
