// The catalogue: the rules of a dialect, their conditions and clauses, what the pages leave open;
// as text, as JSON, as a page to look at.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/judge/rulebook.hpp"
#include "specs/clauses.hpp"

namespace mrproof::conformance {

/// Text of some rules or gaps, and how many of how many they are.
struct Listing {
  std::string text;
  std::size_t shown = 0;
  std::size_t all = 0;
};

/// The rules that have `search` in their text, conditions or clauses; case does not count.
Listing list_rules(const model::Rulebook& book, const std::string& search);
/// What the pages leave open in this dialect, with `search` in it.
Listing list_gaps(const model::Rulebook& book, const std::string& search);

/// The same rules as JSON (conformance/README.md), with what they name.
std::string rules_json(const model::Rulebook& book, const std::string& search);
/// The same gaps as JSON.
std::string gaps_json(const model::Rulebook& book, const std::string& search);

/// A number of what these say of all dialects, in hexadecimal: models that differ in a rule, a
/// condition, a clause or a gap have another one each.
std::string model_digest();

/// All of the dialect as one page that needs nothing else: rules, conditions, clauses, gaps, and
/// state diagrams drawn from the rules.
std::string catalogue_html(const model::Rulebook& book);

// ---- what the three have in common ----

/// The rules that have the search in them, or in what they name.
std::vector<const model::PlainRule*> find_rules(const model::Rulebook& book,
                                                const std::string& search);
/// The gaps with the search in them that a rule or a condition of the dialect carries.
std::vector<const specs::Gap*> find_gaps(const model::Rulebook& book, const std::string& search);
/// The rules that one of the patterns means (specs::names_rule()).
std::vector<const model::PlainRule*> rules_named(const model::Rulebook& book,
                                                 std::span<const std::string_view> patterns);
/// The clauses of the dialect's pages that list the rule, gaps left out.
std::vector<const specs::Clause*> clauses_of(const model::Rulebook& book,
                                             const model::PlainRule& rule);
/// The conditions of the dialect by those ids.
std::vector<const model::PlainCondition*> conditions_named(const model::Rulebook& book,
                                                           std::span<const std::string_view> ids);
/// The conditions of the dialect, then the circumstances.
std::vector<const model::PlainCondition*> all_conditions(const model::Rulebook& book);

}  // namespace mrproof::conformance
