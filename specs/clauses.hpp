// What the manual pages say, clause by clause: the table made of specs/clauses/*.toml.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace mrproof::specs {

/// One thing that a page says an implementation, or its caller, must, may or must not do.
struct Clause {
  std::string_view id;       ///< "reg_mr.range", or the number of an architecture clause: "C10-72"
  std::string_view page;     ///< as cited: "ibv_reg_mr(3)"
  std::string_view section;  ///< of the page: "DESCRIPTION"
  std::string_view level;    ///< must, must_not, may or defines
  std::string_view text;     ///< what it says, in our own words
  std::span<const std::string_view> conditions;  ///< ids of model conditions that carry it
  std::span<const std::string_view> rules;       ///< patterns of rules that carry it: names_rule()
  std::string_view out_of_scope;  ///< why nothing carries it; empty where something has to
  std::span<const std::string_view> dialects;  ///< for which its page speaks
  std::string_view same_as;  ///< the clause that says the same in another place and has the
                             ///< carriers; else empty
};

/// A place where two clauses disagree, or where the pages say nothing.
struct Gap {
  std::string_view id;                           ///< "gap.length_zero"
  std::string_view text;                         ///< what is open
  std::string_view decision;                     ///< what the model does about it, or "undecided"
  std::span<const std::string_view> clauses;     ///< ids of those that disagree or come nearest
  std::span<const std::string_view> conditions;  ///< ids of model conditions that carry it
  std::span<const std::string_view> rules;       ///< patterns of rules that carry it
};

/// All clauses: pages by file name, and clauses as they stand in the file. Ids are unique.
std::span<const Clause> clauses();

/// All gaps, in the same order. Ids are unique, and the clauses they name exist.
std::span<const Gap> gaps();

/// The clause with the id, or nullptr.
const Clause* find_clause(std::string_view id);
/// The gap with the id, or nullptr.
const Gap* find_gap(std::string_view id);

/// Whether the pattern ("verb.name", or "*.name" for every verb) means the rule with the id.
bool names_rule(std::string_view pattern, std::string_view rule);

/// Whether the clause's page speaks for the dialect.
bool speaks_for(const Clause& clause, std::string_view dialect);

/// Where on its page the clause stands: its section, or its number in the architecture.
std::string_view place(const Clause& clause);

/// The words of a list that is separated by blanks: ids as the model names them.
std::vector<std::string_view> words(std::string_view list);

}  // namespace mrproof::specs
