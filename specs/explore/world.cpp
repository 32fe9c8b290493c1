#include "specs/explore/world.hpp"

#include "specs/symbolic/fields.hpp"

namespace mrproof::specs {

namespace {

std::uint32_t key_of(const model::KeyName& name) {
  switch (name.kind) {
    case model::KeyName::Kind::value: return name.value;
    case model::KeyName::Kind::lkey:
    case model::KeyName::Kind::rkey: return region_key(name.slot) ^ name.flip;
    case model::KeyName::Kind::window_rkey: return window_key(name.slot) ^ name.flip;
    default: return kStaleKey ^ name.flip;
  }
}

}  // namespace

WorldCall world_call(const model::Step& step) {
  const auto& from = step.call;
  WorldCall call;
  specs::copy_slots(call, from);
  specs::call_fields([](const std::string&, auto& to, const auto& value) { to = value; }, call,
                     from);
  call.lkey = key_of(step.lkey);
  call.second.lkey = key_of(step.second);
  call.rkey = key_of(step.rkey);
  return call;
}

WorldResult world_result(const WorldCall& call) {
  WorldResult seen;
  if (model::makes_region(call.verb) || call.verb == model::Verb::rereg_mr)
    seen.lkey = seen.rkey = region_key(call.mr);
  if (call.verb == model::Verb::alloc_mw || call.verb == model::Verb::bind_mw)
    seen.rkey = window_key(call.mw);
  if (call.verb == model::Verb::post_bind_mw) seen.rkey = call.rkey;
  return seen;
}

model::State<model::Plain> plain_state(const WorldState& state) {
  model::State<model::Plain> plain;
  specs::state_fields(specs::copy_field, plain, state);
  return plain;
}

}  // namespace mrproof::specs
