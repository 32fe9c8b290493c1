// What the manual pages say, clause by clause: the table made of specs/clauses/*.toml.
#pragma once

#include <span>
#include <string_view>

namespace mrproof::specs {

/// One thing that a page says an implementation, or its caller, must, may or must not do.
struct Clause {
  std::string_view id;       ///< "reg_mr.range", or the number of an architecture clause: "C10-72"
  std::string_view page;     ///< as cited: "ibv_reg_mr(3)"
  std::string_view section;  ///< of the page: "DESCRIPTION"
  std::string_view level;    ///< must, must_not, may or defines
  std::string_view text;     ///< what it says, in our own words
  std::span<const std::string_view> conditions;  ///< ids of model conditions that carry it
  std::span<const std::string_view> rules;       ///< ids of rules ("verb.name") that carry it
  std::string_view out_of_scope;  ///< why nothing carries it; empty where something has to
};

/// A place where two clauses disagree, or where the pages are silent.
struct Gap {
  std::string_view id;                           ///< "gap.length_zero"
  std::string_view text;                         ///< what is open
  std::string_view decision;                     ///< what the model does about it, or "undecided"
  std::span<const std::string_view> clauses;     ///< ids of those that disagree or come nearest
  std::span<const std::string_view> conditions;  ///< ids of model conditions that carry it
  std::span<const std::string_view> rules;       ///< ids of rules that carry it
};

/// All clauses: pages by file name, and clauses as they stand in the file. Ids are unique.
std::span<const Clause> clauses();

/// All gaps, in the same order. Ids are unique, and the clauses they name exist.
std::span<const Gap> gaps();

/// The clause with the id, or nullptr.
const Clause* find_clause(std::string_view id);

}  // namespace mrproof::specs
