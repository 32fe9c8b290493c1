// What a trace's names of keys mean in a state.
#pragma once

#include <cstdint>

#include "model/trace/trace.hpp"

namespace mrproof::model {

/// The value of a named key; of a dead object, the key that it last had.
std::uint32_t key_value(const KeyName& name, const State<Plain>& state);

/// Puts the values of the call's named keys into it.
void resolve_keys(PlannedCall& step, const State<Plain>& state);

}  // namespace mrproof::model
