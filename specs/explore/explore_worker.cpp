#include "specs/explore/explore_worker.hpp"

#include <algorithm>

#include "specs/explore/invariants.hpp"

namespace mrproof::specs {

namespace {

constexpr std::size_t kChunk = 4096;
/// How many states are expanded side by side, call by call.
constexpr std::size_t kBatch = 128;

}  // namespace

ExploreWorker::ExploreWorker(const ReadyScope& scope, StateCodec& codec, StateSet& states,
                             const ExploreOptions& options)
    : moves_(scope, codec),
      codec_(&codec),
      state_(codec.initial()),
      states_(&states),
      options_(&options) {}

void ExploreWorker::work(ExploreLevel& level, const std::function<void()>& pause) {
  try {
    for (auto i = level.next_chunk++; i < level.chunks.size(); i = level.next_chunk++) {
      StateChunk chunk = std::move(level.chunks[i]);
      level.chunks[i] = {};
      // Answers are remembered best from one state to the next like it.
      std::sort(chunk.begin(), chunk.end());
      if (!expand_all(level, chunk, pause)) break;
    }
  } catch (...) {
    error = std::current_exception();
    level.stop = true;
  }
}

bool ExploreWorker::expand_all(ExploreLevel& level, StateChunk& chunk,
                               const std::function<void()>& pause) {
  for (std::size_t i = 0; i < chunk.size(); i += kBatch) {
    if (level.stop) return false;
    const auto batch = std::span(chunk).subspan(i, std::min(kBatch, chunk.size() - i));
    if (level.full || !expand(level, batch)) {
      level.full = true;
      chunk.erase(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(i));
      left.push_back(std::move(chunk));
      return false;
    }
    pause();
  }
  return !level.stop;
}

/// False: the set is full. What was added of the batch's moves stays; it is expanded once more.
bool ExploreWorker::expand(ExploreLevel& level, std::span<const PackedState> batch) {
  if (options_->check)
    for (const PackedState state : batch)
      if (!is_sound(level, state)) return true;
  ends_.clear();
  std::uint64_t transitions = 0, changes = 0;
  moves_.each_end(
      batch,
      [&](std::size_t which, PackedState to, std::size_t, const SuccessorCache::End& end) {
        transitions += end.count;
        if (to == batch[which]) return;
        changes += end.count;
        if (recent_.knows(to)) return;
        states_->prefetch(to);
        ends_.push_back(to);
      },
      [&](std::size_t which, std::size_t made, const char* trouble) {
        if (!options_->check || level.stop) return;
        call = made;
        report(level, batch[which], trouble);
      });
  for (const PackedState& to : ends_) {
    const auto added = states_->add(to, static_cast<unsigned>(level.depth + 1));
    if (added == StateSet::Added::is_new) keep(to);
    if (added != StateSet::Added::is_full) continue;
    recent_.forget();  // some of it was not added
    return false;
  }
  counts.transitions.add(transitions);
  counts.changes.add(changes);
  counts.expanded.add(batch.size());
  return true;
}

bool ExploreWorker::is_sound(ExploreLevel& level, PackedState state) {
  codec_->unpack(StateCodec::numbers(state), state_);
  if (invariants_hold(state_)) return true;
  report(level, state, broken_invariants(state_));
  return false;
}

void ExploreWorker::report(ExploreLevel& level, PackedState state, const std::string& what) {
  broken = what;
  where = state;
  level.stop = true;
}

void ExploreWorker::keep(PackedState state) {
  counts.states.add(1);
  if (found.empty() || found.back().size() == kChunk) {
    found.emplace_back();
    found.back().reserve(kChunk);
  }
  found.back().push_back(state);
}

}  // namespace mrproof::specs
