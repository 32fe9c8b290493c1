// Random numbers from a seed, the same with every compiler and library.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

namespace mrproof::model {

/// A SplitMix64 generator (public-domain algorithm by S. Vigna).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  /// A number below `bound`, which is not zero.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  /// A number from `low` to `high`, both possible.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  /// True in `percent` of 100 cases.
  bool chance(unsigned percent) { return below(100) < percent; }
  /// One of the values.
  template <class T> T pick(std::initializer_list<T> values) {
    return *(values.begin() + below(values.size()));
  }

 private:
  std::uint64_t state_;
};

}  // namespace mrproof::model
