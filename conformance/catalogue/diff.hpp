// Two dialects compared: what a device may do under one and not under the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/judge/rulebook.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::conformance {

/// How two dialects compare in one verb.
struct VerbDifference {
  model::Verb verb;
  bool in_first = false;  ///< whether the dialects have the verb
  bool in_second = false;
  /// The shortest trace found whose last result one of them allows and the other does not; what
  /// both say stands in the remarks of its last step.
  std::optional<model::Trace> trace;
};

/// The scope of a comparison.
struct DiffScope {
  std::size_t depth = 3;     ///< steps before the one that differs
  std::size_t states = 250;  ///< situations looked at, the nearest first
};

/// Compares the dialects in every verb that one of them has: breadth-first through the situations
/// that calls of a small alphabet (small_calls.hpp) lead to under both, trying every result that a
/// rule of one allows against the other.
std::vector<VerbDifference> compare(const model::Rulebook& first, const model::Rulebook& second,
                                    const DiffScope& scope);

/// What compare() found, as `mrproof diff` prints it.
std::string print_differences(const std::vector<VerbDifference>& differences,
                              const model::Rulebook& first, const model::Rulebook& second);

}  // namespace mrproof::conformance
