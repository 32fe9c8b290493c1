// What a trace's names of keys mean in a state.
#pragma once

#include <cstdint>

#include "conformance/trace/trace.hpp"

namespace mrproof {

/// The value of a named key; of a dead object, the key that it last had.
std::uint32_t key_value(const KeyName& name, const model::State<model::Plain>& state);

/// Puts the values of the call's named keys into it.
void resolve_keys(PlannedCall& step, const model::State<model::Plain>& state);

}  // namespace mrproof
