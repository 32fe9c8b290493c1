#include "conformance/explore/explorer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "conformance/explore/invariants.hpp"

namespace mrproof {

namespace {

using Chunk = std::vector<PackedState>;
constexpr std::size_t kChunk = 4096;
/// A thread looks at the clock after so many states.
constexpr std::size_t kPause = 256;

/// A small memory of the ends of moves from one state: many calls fail alike.
class Recent {
 public:
  /// Whether the state was given before, since `turn` changed; if in doubt, it was not.
  bool knows(PackedState state, std::uint64_t turn) {
    auto& place = places_[mix(state.low, state.high) % places_.size()];
    if (place.turn == turn && place.state == state) return true;
    place = {state, turn};
    return false;
  }

 private:
  struct Place {
    PackedState state;
    std::uint64_t turn = 0;
  };
  std::array<Place, 256> places_{};
};

/// What threads share while a level is expanded.
struct Level {
  std::vector<Chunk> chunks;
  std::size_t depth = 0;
  std::atomic<std::size_t> next_chunk{0};
  std::atomic<bool> stop{false};  ///< something is broken
  std::atomic<bool> full{false};  ///< the set needs more room
};

/// One thread's part.
class Worker {
 public:
  Worker(const ReadyScope& scope, StateCodec& codec, StateSet& states,
         const ExploreOptions& options)
      : moves_(scope, codec), states_(&states), options_(&options) {}

  void work(Level& level, const std::function<void()>& pause) {
    try {
      for (auto i = level.next_chunk++; i < level.chunks.size(); i = level.next_chunk++) {
        Chunk chunk = std::move(level.chunks[i]);
        level.chunks[i] = {};
        if (!expand_all(level, chunk, pause)) break;
      }
    } catch (...) {
      error = std::current_exception();
      level.stop = true;
    }
  }

  ExploreCounts counts;
  std::vector<Chunk> found, left;
  std::exception_ptr error;
  std::string broken;
  PackedState where{};
  std::optional<std::size_t> call;

 private:
  bool expand_all(Level& level, Chunk& chunk, const std::function<void()>& pause) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      if (level.stop) return false;
      if (level.full || !expand(level, chunk[i])) {
        level.full = true;
        chunk.erase(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(i));
        left.push_back(std::move(chunk));
        return false;
      }
      if (level.stop) return false;
      if (counts.expanded % kPause == 0) pause();
    }
    return true;
  }

  void report(Level& level, PackedState state, const std::string& what) {
    broken = what;
    where = state;
    level.stop = true;
  }

  /// False: the set is full. What was added of the state's moves stays; it is expanded once more.
  bool expand(Level& level, PackedState from) {
    moves_.look_at(from);
    if (options_->check && !invariants_hold(moves_.state())) {
      report(level, from, broken_invariants(moves_.state()));
      return true;
    }
    ++turn_;
    ends_.clear();
    std::uint64_t transitions = 0, changes = 0;
    moves_.each(
        [&](PackedState to, std::size_t, std::size_t) {
          ++transitions;
          if (to == from) return;
          ++changes;
          if (recent_.knows(to, turn_)) return;
          states_->prefetch(to);
          ends_.push_back(to);
        },
        [&](std::size_t without) {
          if (!options_->check) return;
          call = without;
          report(level, from, "no result is allowed");
        });
    for (const PackedState& to : ends_) {
      const auto added = states_->add(to, static_cast<unsigned>(level.depth + 1));
      if (added == StateSet::Added::is_full) return false;
      if (added == StateSet::Added::is_new) keep(to);
    }
    counts.transitions += transitions;
    counts.changes += changes;
    ++counts.expanded;
    return true;
  }

  void keep(PackedState state) {
    ++counts.states;
    if (found.empty() || found.back().size() == kChunk) {
      found.emplace_back();
      found.back().reserve(kChunk);
    }
    found.back().push_back(state);
  }

  Moves moves_;
  StateSet* states_;
  const ExploreOptions* options_;
  Recent recent_;
  std::vector<PackedState> ends_;
  std::uint64_t turn_ = 0;
};

std::size_t bytes_of(const std::vector<Chunk>& chunks) {
  std::size_t bytes = 0;
  for (const auto& chunk : chunks) bytes += chunk.capacity() * sizeof(PackedState);
  return bytes;
}

/// One run: levels, and what is said in between.
class Run {
 public:
  Run(const ReadyScope& scope, StateCodec& codec, StateSet& states, const ExploreOptions& options)
      : states_(states), options_(options), threads_(std::max(1U, options.threads)) {
    for (unsigned i = 0; i < threads_; ++i)
      workers_.push_back(std::make_unique<Worker>(scope, codec, states, options));
  }

  Explored run(PackedState first) {
    states_.add(first, 0);
    level_.chunks = {{first}};
    while (!level_.chunks.empty()) {
      if (!expand_level()) return result_;
      level_.chunks.clear();
      for (auto& worker : workers_) {
        std::move(worker->found.begin(), worker->found.end(), std::back_inserter(level_.chunks));
        worker->found.clear();
      }
      if (!level_.chunks.empty()) ++level_.depth;
    }
    return ended(ExploreEnd::complete);
  }

 private:
  /// Whether to go on; if not, result_ says why.
  bool expand_level() {
    while (true) {
      work_together();
      for (auto& worker : workers_) {
        if (worker->error) std::rethrow_exception(worker->error);
        if (!worker->broken.empty()) return ended(ExploreEnd::broken, worker.get()), false;
      }
      measure();
      if (!level_.full) return true;
      if (!states_.may_grow(options_.memory - std::min(options_.memory, queued_)))
        return ended(ExploreEnd::out_of_memory), false;
      grow();
    }
  }

  void grow() {
    std::vector<Chunk> left;
    for (auto i = level_.next_chunk.load(); i < level_.chunks.size(); ++i)
      left.push_back(std::move(level_.chunks[i]));
    for (auto& worker : workers_) {
      std::move(worker->left.begin(), worker->left.end(), std::back_inserter(left));
      worker->left.clear();
    }
    level_.chunks = std::move(left);
    states_.grow();
    measure();
  }

  void work_together() {
    level_.next_chunk = 0;
    level_.full = false;
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads_; ++i)
      others.emplace_back([this, i] { workers_[i]->work(level_, [] {}); });
    workers_[0]->work(level_, [this] { tell(); });
    for (auto& thread : others) thread.join();
  }

  void measure() {
    queued_ = bytes_of(level_.chunks);
    for (const auto& worker : workers_) queued_ += bytes_of(worker->found) + bytes_of(worker->left);
    most_bytes_ = std::max(most_bytes_, queued_ + states_.bytes());
  }

  [[nodiscard]] ExploreCounts counts() const {
    ExploreCounts sum;
    sum.states = 1;
    for (const auto& worker : workers_) {
      sum.states += worker->counts.states;
      sum.expanded += worker->counts.expanded;
      sum.transitions += worker->counts.transitions;
      sum.changes += worker->counts.changes;
    }
    sum.depth = level_.depth;
    sum.bytes = most_bytes_;
    sum.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return sum;
  }

  void tell() {
    if (!options_.progress || Clock::now() - told_ < std::chrono::seconds(1)) return;
    told_ = Clock::now();
    options_.progress(counts());
  }

  const Explored& ended(ExploreEnd end, const Worker* by = nullptr) {
    result_.end = end;
    result_.counts = counts();
    if (by == nullptr) return result_;
    result_.broken = by->broken;
    result_.where = by->where;
    result_.call = by->call;
    return result_;
  }

  using Clock = std::chrono::steady_clock;
  StateSet& states_;
  const ExploreOptions& options_;
  unsigned threads_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Level level_;
  Explored result_;
  std::size_t queued_ = 0, most_bytes_ = 0;
  Clock::time_point start_ = Clock::now(), told_ = start_;
};

}  // namespace

Explorer::Explorer(const Scope& scope, const RuleMasks& masks)
    : scope_(scope), masks_(masks), ready_(scope, masks), codec_(scope, masks.defined_access()) {}

Explorer::~Explorer() = default;

Explored Explorer::run(const ExploreOptions& options) {
  states_ = std::make_unique<StateSet>(options.first_places);
  return Run(ready_, codec_, *states_, options).run(codec_.pack(codec_.initial()));
}

}  // namespace mrproof
