// Memory that the kernel keeps of each of many equal rounds.
#pragma once

#include <string>
#include <vector>

#include "impl/device.hpp"

namespace mrproof::conformance {

/// A cache that has more objects after each round.
struct KeptMemory {
  std::string cache;
  std::uint64_t objects = 0;  ///< more, each round
  std::uint64_t size = 0;     ///< bytes of one
  friend bool operator==(const KeptMemory&, const KeptMemory&) = default;
};

/// Caches that have at least as many objects more as there were rounds, in the order of their
/// names: what is kept now and then, or once, does not count.
std::vector<KeptMemory> kept_each_round(const impl::KernelCaches& before,
                                        const impl::KernelCaches& after, std::uint64_t rounds);

/// The caches of both, each with the lesser number; without those of which it is less than half of
/// the other.
std::vector<KeptMemory> in_both(const std::vector<KeptMemory>& one,
                                const std::vector<KeptMemory>& other);

/// The caches of the one that the other does not have.
std::vector<KeptMemory> less(std::vector<KeptMemory> one, const std::vector<KeptMemory>& other);

/// Bytes each round.
std::uint64_t bytes_of(const std::vector<KeptMemory>& kept);
/// "kmalloc-64: 1, skbuff_head_cache: 2"; empty if nothing is kept.
std::string print_kept(const std::vector<KeptMemory>& kept);

}  // namespace mrproof::conformance
