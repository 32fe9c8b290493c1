#include "specs/explore/ready_scope.hpp"

#include <bit>
#include <optional>

#include "specs/symbolic/fields.hpp"

namespace mrproof::specs {

using namespace model;

namespace {

/// Which live objects a call is made with.
struct Needs {
  unsigned regions = 0, windows = 0;  ///< whose keys it names
  std::optional<unsigned> new_region, new_window;
};

Needs needs_of(const model::Step& step) {
  Needs needs;
  for (const model::KeyName& key : {step.lkey, step.second, step.rkey}) {
    if (key.kind == model::KeyName::Kind::window_rkey)
      needs.windows |= 1U << key.slot;
    else if (key.kind != model::KeyName::Kind::value)
      needs.regions |= 1U << key.slot;
  }
  if (makes_region(step.call.verb)) needs.new_region = step.call.mr;
  if (step.call.verb == Verb::alloc_mw) needs.new_window = step.call.mw;
  return needs;
}

bool made_with(const Needs& needs, unsigned regions, unsigned windows, bool symmetry) {
  const auto is_first = [&](std::optional<unsigned> slot, unsigned live) {
    return !symmetry || !slot || static_cast<int>(*slot) == std::countr_one(live);
  };
  return (needs.regions & ~regions) == 0 && (needs.windows & ~windows) == 0 &&
         is_first(needs.new_region, regions) && is_first(needs.new_window, windows);
}

RuleDomain::Bit taken(Bit value) { return {value.truth(), 0}; }
template <unsigned N>
TrackedWord<N> taken(Word<N> value) {
  return {value, 0};
}

ReadyCall ready(const model::Step& step, const RuleMasks& masks) {
  const auto take = [](const std::string&, auto& to, const auto& value) { to = taken(value); };
  WorldCall from = world_call(step);
  WorldResult seen = world_result(from);
  ReadyCall ready;
  auto& call = ready.call;
  specs::copy_slots(call, from);
  specs::call_fields(take, call, from);
  specs::result_fields(take, ready.result, seen);
  ready.verb = &masks.of(from.verb);
  return ready;
}

}  // namespace

ReadyScope::ReadyScope(const Scope& scope, const RuleMasks& masks) {
  for (const model::Step& step : scope.calls) {
    const Needs needs = needs_of(step);
    std::uint32_t made = 0;
    for (unsigned live = 0; live < 32; ++live)
      if (made_with(needs, live & 7U, live >> 3U, scope.symmetry)) made |= 1U << live;
    made_.push_back(made);
    calls_.push_back(ready(step, masks));
  }
}

unsigned ReadyScope::live_objects(const StateNumbers& numbers) {
  static_assert(World::kRegions == 3 && World::kWindows == 2);
  unsigned live = 0;
  for (std::size_t i = 0; i < numbers.regions.size(); ++i)
    live |= static_cast<unsigned>(numbers.regions[i] != 0) << i;
  for (std::size_t i = 0; i < numbers.windows.size(); ++i)
    live |= static_cast<unsigned>(numbers.windows[i] != 0) << (3 + i);
  return live;
}

}  // namespace mrproof::specs
