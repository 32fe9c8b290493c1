// What a trace is to end in, in terms: for a bounded search.
#pragma once

#include <string>
#include <vector>

#include "specs/traces/bounded_search.hpp"

namespace mrproof::specs {

/// Which rules are in question, and of whom they are to be found wrong.
struct Suspects {
  const std::vector<Row>& rows;
  std::size_t dialect;                ///< its place in model::kDialects
  std::vector<std::string> theorems;  ///< of one kind: of results, or of steps and invariants
  std::string subject;                ///< a row's id, or a verb, as Obligation has it
  bool about_results;                 ///< the theorems are
};

/// One of the theorems does not hold of the call, or of the subject's step.
BoundedSearch::Goal broken_theorem(const Suspects& suspects);
/// The same, and a result of that outcome is allowed by either the rows or the model's, not by
/// both.
BoundedSearch::Goal broken_and_seen(const Suspects& suspects, model::Outcome outcome);

}  // namespace mrproof::specs
