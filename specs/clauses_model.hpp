// Whether the clauses and the model name each other.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "specs/clauses.hpp"

namespace mrproof::specs {

/// What can carry a clause, by id, and which clauses and gaps it names itself.
struct Carriers {
  std::map<std::string, std::string> conditions;  ///< with Condition::clauses
  std::map<std::string, std::string> rules;       ///< "verb.name", with all its Rule::freedom
};

/// The conditions and rules of all dialects, circumstances and what the judge names included.
Carriers model_carriers();

/// What stands alone, one a line; empty if nothing does. That is: a clause or gap that nothing
/// carries, or whose carrier does not exist; a condition without clauses; a rule that no clause or
/// gap lists; whatever names a clause or gap that does not exist or does not name it in turn.
std::vector<std::string> orphans(std::span<const Clause> clauses, std::span<const Gap> gaps,
                                 const Carriers& model);

}  // namespace mrproof::specs
