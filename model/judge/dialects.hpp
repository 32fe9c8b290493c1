// Which rules each dialect has, in any domain.
#pragma once

#include <array>

#include "model/rules/advice.hpp"
#include "model/rules/messages.hpp"
#include "model/rules/registration.hpp"
#include "model/rules/remote.hpp"
#include "model/rules/reregistration.hpp"
#include "model/rules/windows.hpp"

namespace mrproof::model {

/// A part of a dialect.
template <class D> using RuleGroup = std::span<const VerbRules<D>>;
/// The parts of the current manual pages of rdma-core; of the older ibv_reg_mr(3), where reg_mr,
/// its first group, is the only registration (windows and the data path are the architecture's); of
/// the vendor's experimental verbs: another ibv_rereg_mr(), shared regions.
template <class D>
inline constexpr std::array<RuleGroup<D>, 7> kLinuxRules{ObjectRules<D>::kVerbs,
    RegistrationRules<D>::kVerbs, ReregistrationRules<D>::kVerbs, AdviceRules<D>::kVerbs,
    WindowRules<D>::kVerbs, MessageRules<D>::kVerbs, RemoteRules<D>::kVerbs};
template <class D>
inline constexpr std::array<RuleGroup<D>, 5> kLinux2006Rules{ObjectRules<D>::kVerbs,
    RuleGroup<D>(RegistrationRules<D>::kVerbs).first(1), WindowRules<D>::kVerbs,
    MessageRules<D>::kVerbs, RemoteRules<D>::kVerbs};
template <class D>
inline constexpr std::array<RuleGroup<D>, 8> kExperimentalRules{ObjectRules<D>::kVerbs,
    RegistrationRules<D>::kVerbs, ReregistrationRules<D>::kExperimentalVerbs,
    SharingRules<D>::kVerbs, AdviceRules<D>::kVerbs, WindowRules<D>::kVerbs,
    MessageRules<D>::kVerbs, RemoteRules<D>::kVerbs};

}  // namespace mrproof::model
