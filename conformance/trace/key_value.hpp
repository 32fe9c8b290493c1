// What a trace's names of keys mean in a state.
#pragma once

#include <cstdint>

#include "conformance/trace/trace.hpp"

namespace mrproof {

/// The value of a named key; of a dead object, the key that it last had.
std::uint32_t key_value(const KeyName& name, const model::State<model::Plain>& state);

/// Puts the values of the step's named keys into its call.
void resolve_keys(Step& step, const model::State<model::Plain>& state);

}  // namespace mrproof
