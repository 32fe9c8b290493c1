// What the pages leave open: calls that may succeed and may fail as well.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "specs/prover/prover.hpp"

namespace mrproof::specs {

/// A success and a failure that are both allowed of one call in one state.
struct Freedom {
  std::string success;  ///< "reg_mr.ok"
  std::string failure;  ///< "reg_mr.refused_doubtful"
  std::string reason;   ///< of the failure: "it is not so that every access bit set has a meaning"
  DialectSet dialects = 0;
  std::vector<std::string> listed;  ///< ids of the gaps and clauses that leave it open; or nothing
  bool near = true;                 ///< whether the reason's condition names one of them too
  std::string shape;                ///< of the call
  std::vector<Value> witness;       ///< values of state and call, those that are not zero
  bool decided = true;              ///< whether the solver had an answer
};

/// All freedoms that there are, found by the solver: one for each reason of a failure. Of one verb
/// if the options name one.
std::vector<Freedom> freedoms(const ProofOptions& options,
                              const std::function<void(const Freedom&)>& progress);

/// The report: what the pages leave open, each with its gap or clause and a witness.
std::string freedoms_text(const std::vector<Freedom>& freedoms);

}  // namespace mrproof::specs
