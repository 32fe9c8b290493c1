// One thread of an exploration: it expands chunks of states of one level.
#pragma once

#include <atomic>
#include <exception>
#include <functional>

#include "specs/explore/explorer.hpp"

namespace mrproof::specs {

/// States to expand, or found.
using StateChunk = std::vector<PackedState>;

/// What threads share while a level is expanded.
struct ExploreLevel {
  std::vector<StateChunk> chunks;
  std::size_t depth = 0;
  std::atomic<std::size_t> next_chunk{0};
  std::atomic<bool> stop{false};  ///< something is broken
  std::atomic<bool> full{false};  ///< the set needs more room
};

/// A count that one thread raises and others may read meanwhile. It takes no locked instruction.
class OwnCount {
 public:
  void add(std::uint64_t more) {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// What one thread did; see ExploreCounts.
struct WorkerCounts {
  OwnCount states, expanded, transitions, changes;
};

/// One thread's part.
class ExploreWorker {
 public:
  /// All have to outlive it.
  ExploreWorker(const ReadyScope& scope, StateCodec& codec, StateSet& states,
                const ExploreOptions& options);

  /// Expands chunks until there are none left, the set is full or something is broken; calls
  /// pause() now and then.
  void work(ExploreLevel& level, const std::function<void()>& pause);

  /// The bytes of what the thread remembers of the rules' answers, the most there were at once.
  [[nodiscard]] std::size_t answer_bytes() const { return moves_.most_bytes(); }

  WorkerCounts counts;
  std::vector<StateChunk> found, left;  ///< new states; states that are to be expanded yet
  std::exception_ptr error;
  std::string broken;  ///< what `where` breaks, and by which call of the scope
  PackedState where{};
  std::optional<std::size_t> call;

 private:
  /// The ends of moves from the last states: many calls fail alike.
  class Recent {
   public:
    /// Whether the state was given before; if in doubt, it was not.
    bool knows(PackedState state) {
      auto& place = places_[mix(state.low, state.high) % places_.size()];
      if (place == state) return true;
      place = state;
      return false;
    }
    void forget() { places_ = {}; }

   private:
    std::array<PackedState, 4096> places_{};
  };

  bool expand_all(ExploreLevel& level, StateChunk& chunk, const std::function<void()>& pause);
  bool expand(ExploreLevel& level, std::span<const PackedState> batch);
  bool is_sound(ExploreLevel& level, PackedState state);
  void report(ExploreLevel& level, PackedState state, const std::string& what);
  void keep(PackedState state);

  Successors moves_;
  StateCodec* codec_;
  WorldState state_;
  StateSet* states_;
  const ExploreOptions* options_;
  Recent recent_;
  std::vector<PackedState> ends_;
};

}  // namespace mrproof::specs
