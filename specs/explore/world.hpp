// The domain of the explorer: words as on devices, few objects.
//
// What is small about a scope is how many values and objects it names, not how wide its words are:
// so each explored step is a step of a trace, and ranges wrap where those of devices do.
#pragma once

#include <cstdint>

#include "model/state.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::specs {

/// Two PDs, three regions, two windows, one pair.
using World = model::Concrete<64, 2, 3, 2, 2>;
using WorldState = model::State<World>;
using WorldCall = model::Call<World>;
using WorldResult = model::Result<World>;

/// Keys have no values of their own in exploration: the live region, the window in a slot has
/// always the same ones, and a key that nothing has any more is `kStaleKey`. Their low bytes are
/// free, as those of devices are.
constexpr std::uint32_t region_key(std::size_t slot) {
  return static_cast<std::uint32_t>(slot + 1) << 16U;
}
/// The key of the window in a slot.
constexpr std::uint32_t window_key(std::size_t slot) {
  return static_cast<std::uint32_t>(slot + 1) << 24U;
}
inline constexpr std::uint32_t kStaleKey = 0x7f7f0000U;

/// The call of a step, its named keys being what they always are here.
WorldCall world_call(const model::Step& step);
/// What is seen with a success of the call, as far as effects ask: the keys.
WorldResult world_result(const WorldCall& call);
/// The state in the oracle's domain, in which the slots that it lacks are free.
model::State<model::Plain> plain_state(const WorldState& state);

}  // namespace mrproof::specs
