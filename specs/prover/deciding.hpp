// Where a condition of a rule decides alone: makes the table of specs/deciding.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "specs/prover/prover.hpp"

namespace mrproof::specs {

/// What is needed so that the condition decides alone; the fields are those of mrproof::Needed.
struct Deciding {
  std::string rule, condition;
  bool reason = false;
  DialectSet dialects = 0;
  bool never = false;
  std::uint32_t access = 0, features = 0;
  bool roce = false;
  bool decided = true;  ///< whether the solver had an answer to each question

  /// Whether there is a state and a call on every device.
  [[nodiscard]] bool needs_nothing() const {
    return !never && access == 0 && features == 0 && !roce;
  }
};

/// All rules' conditions that are about the situation, in the order of the catalogue, asked of all
/// states that the invariants allow and all calls that keep their duties.
std::vector<Deciding> deciding(const ProofOptions& options,
                               const std::function<void(const Deciding&)>& progress);

/// Those that need something, as specs/deciding.inc has them.
std::string deciding_text(const std::vector<Deciding>& all);

}  // namespace mrproof::specs
