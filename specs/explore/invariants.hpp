// The invariants that are proved of the model, asked of one state: a second opinion on the proofs.
#pragma once

#include <string>

#include "specs/explore/world.hpp"

namespace mrproof::specs {

/// Whether all invariants of specs/theorems/invariants.hpp hold.
bool invariants_hold(const WorldState& state);
/// The names of those that do not, each with the objects it is about: "window_inside_region: mw0
/// mr1 range"; joined by "; ".
std::string broken_invariants(const WorldState& state);

}  // namespace mrproof::specs
