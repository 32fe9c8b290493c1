// Exhaustive exploration of the model in a scope: every state that the calls of the scope lead to,
// breadth first, in several threads, within a bound of memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specs/explore/state_set.hpp"
#include "specs/explore/successors.hpp"

namespace mrproof::specs {

/// How far exploration has come.
struct ExploreCounts {
  std::uint64_t states = 0;       ///< different ones met
  std::uint64_t expanded = 0;     ///< of which all calls were made
  std::uint64_t transitions = 0;  ///< (state, call, rule whose situation allows it)
  std::uint64_t changes = 0;      ///< of these, those that lead to another state
  std::size_t depth = 0;          ///< calls from the first state, the most
  std::size_t bytes = 0;          ///< of states stored and queued, the most at once so far
  std::size_t all_bytes = 0;      ///< the same with the answers that threads remember
  double seconds = 0;
};

/// What exploration is allowed, and told while it lasts.
struct ExploreOptions {
  unsigned threads = 1;
  std::size_t memory = std::size_t{4} << 30U;  ///< for states stored and queued, and for answers
  std::size_t first_places = 1U << 13U;        ///< of the table of states; it grows
  bool check = true;  ///< ask the invariants and that each call has an allowed result
  std::function<void(const ExploreCounts&)> progress;  ///< now and then, if set
};

/// How exploration ended.
enum class ExploreEnd : std::uint8_t {
  complete,  ///< no state is left
  broken,  ///< a state breaks an invariant, or a call in it is in trouble (Successors::each_end())
  out_of_memory  ///< there would have been more
};

/// The result.
struct Explored {
  ExploreEnd end = ExploreEnd::complete;
  ExploreCounts counts;
  std::string broken;               ///< what the state breaks
  PackedState where{};              ///< that state
  std::optional<std::size_t> call;  ///< the scope's call that is in trouble
};

/// Explores a scope.
class Explorer {
 public:
  /// Both have to outlive it.
  Explorer(const Scope& scope, const RuleMasks& masks);
  ~Explorer();

  /// Once only. Throws TooManyValues.
  Explored run(const ExploreOptions& options);
  /// A shortest trace to the state where run() ended, with a result for each step, and the call
  /// that is in trouble there, if that is why. It is one more exploration at most.
  [[nodiscard]] model::Trace trace_to(const Explored& ended);
  /// Calls visit(state) for each state met, in no order.
  template <class Visit>
  void each_state(Visit&& visit) const {
    for (unsigned depth = 0; depth < 4; ++depth) states_->each_at(depth, visit);
  }
  [[nodiscard]] const ReadyScope& ready() const { return ready_; }
  [[nodiscard]] StateCodec& codec() { return codec_; }

 private:
  /// For each number of calls from the first state, those states from which the rest of `depth`
  /// calls leads to `state`, and perhaps others that so many calls do not lead to.
  std::vector<std::set<PackedState>> ways_to(PackedState state, std::size_t depth);

  const Scope& scope_;
  const RuleMasks& masks_;
  ReadyScope ready_;
  StateCodec codec_;
  std::unique_ptr<StateSet> states_;
};

}  // namespace mrproof::specs
