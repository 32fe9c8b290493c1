// Steps whose results the model's own rules make: what sound devices may do and the simulated one
// does not.
#pragma once

#include <optional>
#include <vector>

#include "specs/traces/bounded_search.hpp"
#include "specs/traces/situations.hpp"

namespace mrproof::specs {

/// A result for each rule of the call's verb that may be taken in the state.
std::vector<model::Result<model::Plain>> sound_answers(const model::Rulebook& book,
                                                       const model::State<model::Plain>& state,
                                                       const model::Call<model::Plain>& call);

/// A proposal's steps with the results that their rules make, and its call about to be made;
/// nothing if one of them may not be made. Its `truth` is set.
std::optional<Situation> make_steps_by_rules(const Proposal& proposal, const model::Rulebook& book);

}  // namespace mrproof::specs
