// Results that a device could have given: what a rule allows, made instead of observed.
#pragma once

#include <optional>
#include <vector>

#include "model/rulebook.hpp"

namespace mrproof {

/// A result of the call by which the rule applies, as a sound device would give it: fresh keys, the
/// errno that fits, true states. Nothing if the situation does not allow the rule. Fields that such
/// a result does not give are zero. The caller owes the duties of the call, keys resolved.
std::optional<model::Result<model::Plain>> synthesize(const model::PlainRule& rule,
                                                      const model::State<model::Plain>& state,
                                                      const model::Call<model::Plain>& call);

/// What would be seen if the rule applied, whether the situation allows it or not.
std::optional<model::Result<model::Plain>> seen_by(const model::PlainRule& rule,
                                                   const model::State<model::Plain>& state,
                                                   const model::Call<model::Plain>& call);

/// Results that differ from this one in one detail, which may then be wrong: errno, keys, states,
/// receives.
std::vector<model::Result<model::Plain>> variants_of(const model::Result<model::Plain>& seen,
                                                     const model::State<model::Plain>& state,
                                                     const model::Call<model::Plain>& call);

}  // namespace mrproof
