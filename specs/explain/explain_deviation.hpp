// A deviation told in words: what was allowed, what is broken, and where that is written.
#pragma once

#include <string>
#include <vector>

#include "model/oracle/oracle.hpp"

namespace mrproof::specs {

/// Explains the step that the oracle just called deviating, for people: what was allowed, which
/// condition is broken, what the objects have been through, and where all that is written.
std::vector<std::string> explain_deviation(const model::Oracle& oracle, const model::Step& step,
                                           const model::Judgement& judgement);

/// Ids of the clauses and gaps that explain_deviation() cites for the last deviation.
std::vector<std::string> cited_by(const model::Oracle& oracle);

}  // namespace mrproof::specs
