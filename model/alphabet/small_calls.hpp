// The tier of small calls: for searches that try everything.
#pragma once

#include "model/alphabet/calls.hpp"

namespace mrproof::model {

/// What the argument can be.
Choices choices_of(const State<Plain>& state, const Step& step, Argument argument);

/// Every small call of the verb in the state, with at most `odd` odd arguments. Keys are not
/// resolved.
void each_call(const State<Plain>& state, Verb verb, unsigned odd,
    const std::function<void(const Step&)>& visit);

}  // namespace mrproof::model
