// Traces for what a run on a device has left uncovered: conditions that did not decide alone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/report/model_coverage.hpp"

namespace mrproof::specs {

/// A condition that did not decide alone though nothing is known to be in the way, and a trace in
/// which it does at the last step, by the rules, on a device that can do as much.
struct Uncovering {
  std::string name;            ///< "rdma_read.ok but for remote_right", as coverage has it
  std::optional<Trace> trace;  ///< nothing: none of at most `kMostSteps` steps before the call
  /// Proved: by the rules it never does on a device that has what this one has and lacks what it
  /// lacks, in whatever state the invariants allow.
  bool impossible = false;
  static constexpr std::size_t kMostSteps = 4;
};

/// All of them, in the order of the catalogue. Opens the simulated device meanwhile.
std::vector<Uncovering> uncovered(const ModelCoverage& coverage,
                                  const std::function<void(const Uncovering&)>& progress);

}  // namespace mrproof::specs
