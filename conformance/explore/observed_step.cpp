#include "conformance/explore/observed_step.hpp"

#include "conformance/oracle/synthesize.hpp"
#include "conformance/trace/key_value.hpp"

namespace mrproof {

using namespace model;

Step observed_step(const Scope& scope, const WorldState& state, std::size_t call,
                   const std::string& rule) {
  Step step = scope.calls.at(call);
  const auto plain = plain_state(state);
  resolve_keys(step, plain);
  const PlainRule& known = *find_rulebook(scope.dialect)->find(rule);
  auto seen = synthesize(known, plain, step.call);
  if (!seen) seen = seen_by(known, plain, step.call);
  if (seen) step.result = *seen;
  step.result.lkey = step.result.rkey = Plain::key(0);  // whoever judges the trace makes some up
  step.observed = true;
  return step;
}

}  // namespace mrproof
