// Known deviations: what a walk need not meet again.
//
// A deviation is known by its name. Trouble (a call that hangs, crashes or makes the kernel
// complain) is known by the rule of the call's success, whatever came instead, and by the
// conditions of its name: known_trouble() of it.
#pragma once

#include <span>
#include <vector>

#include "model/judge/deviation_name.hpp"
#include "model/judge/leftovers.hpp"
#include "model/oracle/oracle.hpp"

namespace mrproof::property_tests {

/// The name of trouble with the call of the view, by judge_trouble(): "send.none/none/qp_ready";
/// its conditions are "-" if there are none.
model::DeviationName trouble_name(const model::Rulebook& book, const model::PlainView& view);
/// The same of a step, by Oracle::trouble_with().
model::DeviationName trouble_name(const model::Oracle& oracle, const model::Step& step);

/// Of what the kernel complained of while it destroyed what a case left: of no call.
inline model::DeviationName reset_trouble() {
  return {"reset.none", model::DeviationClass::none, {"-"}};
}

/// Of what is left when all that a case made was destroyed.
inline model::DeviationName reset_leaves(std::span<const model::PlainCondition* const> conditions) {
  return {"reset.ok", model::DeviationClass::detail, model::BrokenConditions(conditions)};
}

/// Whether it is one of these two.
inline bool is_of_reset(const model::DeviationName& name) { return name.verb() == "reset"; }

/// What a walk knows such trouble by: "send.ok/none/qp_ready".
model::DeviationName known_trouble(const model::DeviationName& trouble);

/// Whether the name is such a one, and not a deviation's.
inline bool is_trouble(const model::DeviationName& known) {
  return known.kind == model::DeviationClass::none;
}

/// Whether the call of the view is known to hang, to crash or to make the kernel complain.
bool is_known_trouble(const std::vector<model::DeviationName>& known, const model::Rulebook& book,
                      const model::PlainView& view);

}  // namespace mrproof::property_tests
