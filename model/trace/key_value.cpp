#include "model/trace/key_value.hpp"

namespace mrproof::model {

namespace {

std::uint64_t key_itself(const KeyName& name, const State<Plain>& state) {
  switch (name.kind) {
    case KeyName::Kind::value: break;
    case KeyName::Kind::lkey: return state.regions.at(name.slot).lkey.value();
    case KeyName::Kind::rkey: return state.regions.at(name.slot).rkey.value();
    case KeyName::Kind::old_lkey: return state.regions.at(name.slot).old_lkey.value();
    case KeyName::Kind::old_rkey: return state.regions.at(name.slot).old_rkey.value();
    case KeyName::Kind::window_rkey: return state.windows.at(name.slot).rkey.value();
    case KeyName::Kind::old_window_rkey: return state.windows.at(name.slot).old_rkey.value();
  }
  return name.value;
}

}  // namespace

std::uint32_t key_value(const KeyName& name, const State<Plain>& state) {
  return static_cast<std::uint32_t>(key_itself(name, state)) ^ name.flip;
}

void resolve_keys(PlannedCall& step, const State<Plain>& state) {
  step.call.lkey = Plain::key(key_value(step.lkey, state));
  step.call.second.lkey = Plain::key(key_value(step.second, state));
  step.call.rkey = Plain::key(key_value(step.rkey, state));
}

}  // namespace mrproof::model
