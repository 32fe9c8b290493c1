// Whether a changed rule allows and does the same as the rule, and what that follows from.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "specs/prover/known.hpp"
#include "specs/prover/rows.hpp"
#include "specs/smt/solver.hpp"

namespace mrproof::specs {

/// Whether the changed row allows and does what the row does in calls of the shape, wherever the
/// invariants hold and the caller keeps the preconditions.
bool same_meaning(const Row& row, const Row& changed, const Shape& shape,
                  const smt::SolverOptions& options, Known& known);

/// What that follows from, where it is so: conditions that the rule requires as well, reasons that
/// it has as well, preconditions and invariants, of which none can be left out. Nothing if the
/// change is none by its own terms. No value if the solver has no answer.
std::optional<std::set<std::string>> why_same(const Row& row, const Row& changed,
                                              const Shape& shape, const smt::SolverOptions& options,
                                              Known& known);

}  // namespace mrproof::specs
