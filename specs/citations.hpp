// Cites the clauses behind the model's conditions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "specs/clauses.hpp"

namespace mrproof::specs {

/// The clauses and gaps of a list as the model names them (Condition::clauses, Rule::freedom):
/// pages with sections, and gaps in words: "ibv_reg_mr(3), DESCRIPTION; gap: what is open". What a
/// page of another dialect says is cited from the dialect's own page, if that says the same;
/// otherwise it is left out, unless nothing would remain.
std::string cite(std::string_view clauses, std::string_view dialect);

/// The clauses that cite() cites, gaps left out.
std::vector<const Clause*> cited(std::string_view clauses, std::string_view dialect);

/// The gaps of the list.
std::vector<const Gap*> gaps_of(std::string_view clauses);

/// Ids of the clauses and gaps that list the rule, a blank after each.
std::string clauses_of_rule(std::string_view rule);

/// "ibv_reg_mr(3), DESCRIPTION".
std::string citation(const Clause& clause);

}  // namespace mrproof::specs
