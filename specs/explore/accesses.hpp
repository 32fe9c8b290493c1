// Whether what rules allow moves bytes that no key leads to: the theorem no_byte_outside, asked of
// steps as the invariants are asked of states.
#pragma once

#include "model/state.hpp"
#include "specs/explore/ready_scope.hpp"

namespace mrproof::specs {

/// Whether each byte that the rule moves, in that state, lies where the call's keys and those of a
/// posted receive lead. The first and the last byte of each range are asked about: ranges have no
/// holes, and the last byte of one that wraps around lies before the first. What is read of the
/// state on the way counts as read.
bool moves_at_home(const model::State<RuleDomain>& state, const ReadyCall& ready,
                   const RuleRow& rule);

}  // namespace mrproof::specs
