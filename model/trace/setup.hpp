// The objects that exist when a case starts ("given" lines of a trace).
#pragma once

#include <array>
#include <cstdint>

#include "model/access.hpp"
#include "model/state.hpp"

namespace mrproof::model {

/// Protection domains and connected RC pairs that exist before the first step. They are given, not
/// called for in the trace, because connecting a pair is slow and devices keep them between cases.
struct Setup {
  static constexpr std::uint32_t kAbsent = ~0U;
  /// The PD slot of each queue pair, or kAbsent. Pairs (0,1) and (2,3) are both there or neither.
  std::array<std::uint32_t, Plain::kQps> qp_pd{kAbsent, kAbsent, kAbsent, kAbsent};
  /// Which PD slots are live.
  std::array<bool, Plain::kPds> pd{};
  /// The process, 0 or 1, that owns the PDs of each slot, whenever they are made, and all that is
  /// made in them. If one process uses the device, it owns them all.
  std::array<std::uint8_t, Plain::kPds> process{};

  /// Whether the processes are on hosts of their own, with a device each.
  bool hosts = false;

  friend bool operator==(const Setup&, const Setup&) = default;
};

/// The setup of generated walks: qp0 and qp1 in pd0; qp2 in pd0, its peer qp3 in pd1.
/// With two processes: pd1 and in it the peers, qp1 and qp3, belong to the other one.
constexpr Setup standard_setup(std::size_t processes = 1) {
  if (processes > 1) return Setup{{0, 1, 0, 1}, {true, true, false, false}, {0, 1, 0, 0}};
  return Setup{{0, 0, 0, 1}, {true, true, false, false}, {}};
}

/// The model's state at the start of a case.
/// `defined`: the access flags that the dialect gives a meaning (Rulebook::defined_access()).
State<Plain> initial_state(
    const Setup& setup, const Capabilities<Plain>& can, std::uint32_t defined = kDefinedAccess);

}  // namespace mrproof::model
