// A step of an explored path as a device would be seen to make it.
#pragma once

#include <string>

#include "specs/explore/scope.hpp"
#include "specs/explore/world.hpp"

namespace mrproof::specs {

/// The scope's call, by its place, with the result that the rule of that id gives in the state,
/// without the keys that it tells.
model::Step observed_step(const Scope& scope, const WorldState& state, std::size_t call,
                          const std::string& rule);

}  // namespace mrproof::specs
