// Results that a device could have given: what a rule allows, made instead of observed.
#pragma once

#include <optional>
#include <vector>

#include "model/judge/rulebook.hpp"

namespace mrproof::model {

/// A result of the call by which the rule applies, as a sound device would give it: fresh keys, the
/// errno that fits, true states. Nothing if the situation does not allow the rule. Fields that such
/// a result does not give are zero. The caller owes the preconditions of the call, keys resolved.
std::optional<Result<Plain>> synthesize(
    const PlainRule& rule, const State<Plain>& state, const Call<Plain>& call);

/// What would be seen if the rule applied, whether the situation allows it or not.
std::optional<Result<Plain>> seen_by(
    const PlainRule& rule, const State<Plain>& state, const Call<Plain>& call);

/// Results that differ from this one in one detail, which may then be wrong: errno, keys, states,
/// receives.
std::vector<Result<Plain>> variants_of(
    const Result<Plain>& seen, const State<Plain>& state, const Call<Plain>& call);

}  // namespace mrproof::model
