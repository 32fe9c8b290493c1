#include "specs/explore/explorer.hpp"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "specs/explore/explore_worker.hpp"

namespace mrproof::specs {

namespace {

std::size_t bytes_of(const std::vector<StateChunk>& chunks) {
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
      workers_.push_back(std::make_unique<ExploreWorker>(scope, codec, states, options));
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
      measure(states_.bytes());
      if (beside_ + states_.bytes() > options_.memory)
        return ended(ExploreEnd::out_of_memory), false;
      if (!level_.full) return true;
      if (beside_ + states_.growth_bytes() > options_.memory)
        return ended(ExploreEnd::out_of_memory), false;
      grow();
    }
  }

  void grow() {
    std::vector<StateChunk> left;
    for (auto i = level_.next_chunk.load(); i < level_.chunks.size(); ++i)
      left.push_back(std::move(level_.chunks[i]));
    for (auto& worker : workers_) {
      std::move(worker->left.begin(), worker->left.end(), std::back_inserter(left));
      worker->left.clear();
    }
    level_.chunks = std::move(left);
    malloc_trim(0);  // else the lists of earlier levels would keep their pages
    measure(states_.growth_bytes());
    states_.grow();
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

  /// Takes down how much there is beside a table of that size. No other thread may be at work.
  void measure(std::size_t table) {
    std::size_t queued = bytes_of(level_.chunks), answers = 0;
    for (const auto& worker : workers_) {
      queued += bytes_of(worker->found) + bytes_of(worker->left);
      answers += worker->answer_bytes();
    }
    beside_ = queued + answers;
    most_bytes_ = std::max(most_bytes_, queued + table);
    most_of_all_ = std::max(most_of_all_, beside_ + table);
  }

  [[nodiscard]] ExploreCounts counts() const {
    ExploreCounts sum;
    sum.states = 1;
    for (const auto& worker : workers_) {
      sum.states += worker->counts.states.get();
      sum.expanded += worker->counts.expanded.get();
      sum.transitions += worker->counts.transitions.get();
      sum.changes += worker->counts.changes.get();
    }
    sum.depth = level_.depth;
    sum.bytes = most_bytes_;
    sum.all_bytes = most_of_all_;
    sum.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return sum;
  }

  void tell() {
    if (!options_.progress || Clock::now() - told_ < std::chrono::seconds(1)) return;
    told_ = Clock::now();
    options_.progress(counts());
  }

  const Explored& ended(ExploreEnd end, const ExploreWorker* by = nullptr) {
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
  std::vector<std::unique_ptr<ExploreWorker>> workers_;
  ExploreLevel level_;
  Explored result_;
  std::size_t beside_ = 0;  ///< bytes of states queued and of answers
  std::size_t most_bytes_ = 0, most_of_all_ = 0;
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

}  // namespace mrproof::specs
