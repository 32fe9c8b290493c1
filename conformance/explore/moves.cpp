#include "conformance/explore/moves.hpp"

namespace mrproof {

using namespace model;

ReadyScope::ReadyScope(const Scope& scope, const RuleMasks& masks) : symmetry_(scope.symmetry) {
  for (const Step& step : scope.calls) {
    ReadyCall ready;
    ready.call = world_call(step);
    ready.result = world_result(ready.call);
    ready.verb = &masks.of(step.call.verb);
    for (const KeyName& key : {step.lkey, step.second, step.rkey}) {
      const auto bit = static_cast<std::uint8_t>(1U << key.slot);
      if (key.kind == KeyName::Kind::window_rkey)
        ready.windows |= bit;
      else if (key.kind != KeyName::Kind::value)
        ready.regions |= bit;
    }
    if (makes_region(step.call.verb)) ready.new_region = step.call.mr;
    if (step.call.verb == Verb::alloc_mw) ready.new_window = step.call.mw;
    calls_.push_back(ready);
  }
}

}  // namespace mrproof
