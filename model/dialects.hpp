// Which rules each dialect has, in any domain.
#pragma once

#include <array>

#include "model/rules/advice.hpp"
#include "model/rules/messages.hpp"
#include "model/rules/registration.hpp"
#include "model/rules/remote.hpp"
#include "model/rules/reregistration.hpp"
#include "model/rules/sharing.hpp"
#include "model/rules/windows.hpp"

namespace mrproof::model {

/// A part of a dialect.
template <class D> using RuleGroup = std::span<const VerbRules<D>>;

/// The current manual pages of rdma-core.
template <class D> constexpr auto linux_rules() {
  return std::array<RuleGroup<D>, 7>{ObjectRules<D>::kVerbs, RegistrationRules<D>::kVerbs,
      ReregistrationRules<D>::kVerbs, AdviceRules<D>::kVerbs, WindowRules<D>::kVerbs,
      MessageRules<D>::kVerbs, RemoteRules<D>::kVerbs};
}

/// The older ibv_reg_mr(3), where reg_mr, its first group, is the only registration; windows and
/// the data path are the architecture's.
template <class D> constexpr auto linux_2006_rules() {
  return std::array<RuleGroup<D>, 5>{ObjectRules<D>::kVerbs,
      RuleGroup<D>(RegistrationRules<D>::kVerbs).first(1), WindowRules<D>::kVerbs,
      MessageRules<D>::kVerbs, RemoteRules<D>::kVerbs};
}

/// The vendor's experimental verbs: another ibv_rereg_mr(), shared regions.
template <class D> constexpr auto experimental_rules() {
  return std::array<RuleGroup<D>, 8>{ObjectRules<D>::kVerbs, RegistrationRules<D>::kVerbs,
      ReregistrationRules<D>::kExperimentalVerbs, SharingRules<D>::kVerbs, AdviceRules<D>::kVerbs,
      WindowRules<D>::kVerbs, MessageRules<D>::kVerbs, RemoteRules<D>::kVerbs};
}

}  // namespace mrproof::model
