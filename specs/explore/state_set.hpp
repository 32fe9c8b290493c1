// The states met so far: an open-addressing hash table of 16 bytes a place that threads share
// without locks. It compares states whole: nothing is left to the luck of a hash.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "specs/explore/packed_state.hpp"

namespace mrproof::specs {

/// A set of packed states, each with the two lowest bits of its depth.
class StateSet {
 public:
  enum class Added : std::uint8_t { is_new, was_there, is_full };

  /// `places`: some hundreds more than there are threads, at least.
  explicit StateSet(std::size_t places);
  ~StateSet();
  StateSet(const StateSet&) = delete;
  StateSet& operator=(const StateSet&) = delete;

  /// Brings the place where the state would stand into the cache.
  void prefetch(PackedState state) const;
  /// Adds a state met at that depth; `is_full`: not, until there is more room. Threads may call it
  /// at the same time.
  Added add(PackedState state, unsigned depth);
  /// Multiplies the places by three halves. No other thread may be at it.
  void grow();
  /// How many bytes there are at most at once while grow() is at it, old places included.
  [[nodiscard]] std::size_t growth_bytes() const;

  [[nodiscard]] std::size_t bytes() const { return places_ * sizeof(Place); }
  /// Calls visit(state) for each state whose depth has those two lowest bits.
  template <class Visit>
  void each_at(unsigned depth, Visit&& visit) const {
    for (std::size_t i = 0; i < places_; ++i) {
      const auto high = table_[i].high.load(std::memory_order_relaxed);
      if (high >> kDepthAt != (kTaken | (depth & 3U))) continue;
      visit(PackedState{table_[i].low.load(std::memory_order_relaxed), high & kOwn});
    }
  }

 private:
  struct Place {
    std::atomic<std::uint64_t> low{0}, high{0};
  };
  static constexpr unsigned kDepthAt = 60;
  static constexpr std::uint64_t kTaken = 8, kBusy = 1ULL << 62U;
  static constexpr std::uint64_t kOwn = (1ULL << kDepthAt) - 1;

  static Place* make_table(std::size_t places);
  static void free_table(Place* table, std::size_t places);
  [[nodiscard]] std::size_t place_of(PackedState state) const;
  void put_again(const Place& from);

  std::size_t places_, most_;
  Place* table_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace mrproof::specs
