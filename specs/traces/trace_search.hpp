// Counterexamples as traces: a program that gets a step wrong by rules of which a theorem was
// refuted.
//
// A counterexample of the prover starts from any state in which the invariants hold. The search
// here is for a trace that leads from the start to such a step: among the calls of all scenarios,
// which have one for each rule and each of its conditions, then by the solver (bounded_search.hpp).
// The simulated device is asked what it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "specs/traces/bounded_search.hpp"
#include "specs/traces/concrete_rules.hpp"
#include "specs/traces/situations.hpp"

namespace mrproof::specs {

/// What is wrong with the last step of a trace.
enum class Wrong : std::uint8_t {
  allowed,    ///< the rules allow a result that the simulated device does not give
  forbidden,  ///< the rules forbid the result that the simulated device gives
  left,       ///< its result is right, the state after it is not; nothing was found that shows it
};

/// A trace, and what it shows.
struct Shown {
  model::Trace trace;   ///< with comments that say what it shows; annotated as mrproof judges it
  std::size_t bad = 0;  ///< the step, from 1, of which the theorem does not hold
  std::string rule;     ///< that was asked there; of a theorem about results, the verb
  std::string theorem;  ///< that does not hold: the one asked for, or one that stands in for it
  std::string fact;     ///< of the theorem
  Wrong wrong = Wrong::left;
};

/// Searches traces for rules of one dialect. Opens the simulated device now and then.
class TraceSearch {
 public:
  /// `dialect`: its place in model::kDialects.
  explicit TraceSearch(std::size_t dialect);

  /// A trace whose last step shows that the theorem does not hold of the rows, which are those of
  /// the model but for the changed ones; of a verb that has none in `rows`, those of the model.
  /// `subject`: a row's id or a verb, as Obligation has it. If none is found, another theorem about
  /// the subject may stand in.
  std::optional<Shown> find(const std::vector<Row>& rows, const std::string& theorem,
                            const std::string& subject);

 private:
  class Looker;
  std::size_t dialect_;
  Situations situations_;
  BoundedSearch bounded_;
};

/// "which the rules do not allow" and the like.
const char* words_for(Wrong wrong);

}  // namespace mrproof::specs
