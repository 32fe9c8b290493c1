// States in 16 bytes: eight numbers of forms (forms.hpp).
//
// Before a state is packed it is made canonical: what nothing can ask any more is zero, keys have
// the values that world.hpp gives them, and, if the scope is symmetric, regions and windows stand
// in one order, so that states that differ in slot numbers only are one.
#pragma once

#include "specs/explore/interner.hpp"
#include "specs/explore/scope.hpp"
#include "specs/explore/world.hpp"

namespace mrproof::specs {

/// A state in 16 bytes. The four topmost bits of `high` are left to whoever stores it.
struct PackedState {
  std::uint64_t low = 0;   ///< three regions, one window
  std::uint64_t high = 0;  ///< the other window, two queue pairs, all else
  friend auto operator<=>(const PackedState&, const PackedState&) = default;
  static constexpr unsigned kFreeBits = 4;
};

/// All of a state that belongs to no region, window or queue pair.
struct Surroundings {
  std::array<model::ProtectionDomain<World>, World::kPds> pds{};
  std::array<model::Buffer<World>, World::kBuffers> buffers{};
  World::Flags demonstrated_access{}, demonstrated_features{};
};

/// The numbers of a state's forms.
struct StateNumbers {
  std::array<std::uint16_t, World::kRegions> regions{};
  std::array<std::uint16_t, World::kWindows> windows{};
  std::array<std::uint16_t, World::kQps> qps{};
  std::uint16_t surroundings = 0;
};

/// Packs and unpacks the states of one scope. Threads may share it.
class StateCodec {
 public:
  StateCodec(const Scope& scope, std::uint32_t defined_access);
  StateCodec(const StateCodec&) = delete;
  StateCodec& operator=(const StateCodec&) = delete;

  /// The state that exploration begins with.
  [[nodiscard]] const WorldState& initial() const { return initial_; }
  /// Throws TooManyValues.
  PackedState pack(const WorldState& state);
  /// The same; slots are not put in order.
  PackedState pack_unordered(const WorldState& state);
  /// The state with its slots in order, if the scope is symmetric.
  PackedState in_order(PackedState state) {
    return symmetry_ ? order_slots(numbers(state)) : state;
  }
  [[nodiscard]] static StateNumbers numbers(PackedState packed);
  void unpack(const StateNumbers& numbers, WorldState& state) const;
  [[nodiscard]] WorldState unpack(PackedState packed) const;
  /// How many forms of regions, windows, queue pairs and surroundings there are so far.
  [[nodiscard]] std::array<std::size_t, 4> form_counts() const;

 private:
  std::uint16_t number(const model::Region<World>& region);
  std::uint16_t number(const model::Window<World>& window);
  std::uint16_t number(const model::QueuePair<World>& qp, const WorldState& state);
  std::uint16_t number(const Surroundings& rest);
  PackedState order_slots(StateNumbers numbers);
  StateNumbers reordered(const StateNumbers& numbers,
                         const std::array<std::uint8_t, World::kRegions>& order);

  bool symmetry_, shown_;
  WorldState initial_;
  Interner<model::Region<World>, 6> regions_;
  Interner<model::Window<World>, 4> windows_;
  Interner<model::QueuePair<World>, 6> qps_;
  Interner<Surroundings, 10> surroundings_;
};

}  // namespace mrproof::specs
