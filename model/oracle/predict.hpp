// What the model says of calls that have not been made yet.
#pragma once

#include <optional>

#include "model/judge/rulebook.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::model {

/// Whether a trace is worth a trial.
enum class Prospect : std::uint8_t {
  forbidden,  ///< some call may not be made
  hopeless,   ///< the last step cannot show what is wanted, whatever its result is
  possible,
};

/// The model's state after the step, if it ends as `step.result` says, or else in another way that
/// the rules allow, success first; nothing if they allow none. Keys must be resolved.
std::optional<State<Plain>> predicted(
    const Rulebook& book, const State<Plain>& state, const Step& step);

/// Whether some result of the call would be named as `wanted`. Keys must be resolved.
bool may_show(
    const Rulebook& book, const State<Plain>& state, const Step& step, const Annotation& wanted);

/// Whether the trace's calls may be made, and the last one may show what is wanted. Outcomes of
/// steps that hold one are taken for likely.
Prospect predict(const Trace& trace, const Annotation& wanted);

/// Leaves out the steps but the last that may not be made, as far as the model can tell. Whether
/// there were any.
bool drop_forbidden(Trace& trace);

}  // namespace mrproof::model
