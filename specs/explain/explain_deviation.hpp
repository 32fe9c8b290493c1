// Explains a deviation in words: what was allowed, what is broken, and which clauses say so.
#pragma once

#include <string>
#include <vector>

#include "model/oracle/oracle.hpp"

namespace mrproof::specs {

/// Explains the step that the oracle just judged a deviation: what was allowed, which condition is
/// broken, which rules made the objects what they are, and the clauses behind all that.
std::vector<std::string> explain_deviation(const model::Oracle& oracle, const model::Step& step,
                                           const model::Judgement& judgement);

/// Ids of the clauses and gaps that explain_deviation() cites for the last deviation.
std::vector<std::string> cited_by(const model::Oracle& oracle);

}  // namespace mrproof::specs
