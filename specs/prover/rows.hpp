// The rules of all dialects as rows to be proved things about, and to be changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "specs/symbolic/world.hpp"
#include "specs/theorems/theorem.hpp"

namespace mrproof::specs {

/// A set of dialects: bit i is dialect i of model::kDialects.
using DialectSet = unsigned;
inline constexpr DialectSet kEveryDialect = 7;

/// A rule of a verb. Dialects that have the very same rule share a row.
struct Row {
  std::string id;  ///< "verb.name"
  DialectSet dialects = 0;
  model::Verb verb = model::Verb::fill;
  model::Rule<Terms> rule;
  std::span<const model::Condition<Terms>* const> duties;
};

/// The rows of the dialects, in the order of the catalogue.
std::vector<Row> rows_of(DialectSet dialects);

/// The dialects' names, separated by blanks.
std::string names_of(DialectSet dialects);

/// Whether all terms hold.
smt::Bit all_of(std::span<const model::Term<Terms>> terms, const model::View<Terms>& view);
/// Whether there is a reason, if reasons are asked for.
smt::Bit some_of(std::span<const model::Term<Terms>> reasons, const model::View<Terms>& view);
/// Whether the caller keeps all duties.
smt::Bit duties_kept(const Row& row, const model::View<Terms>& view);
/// Whether the situation allows the rule's result, whatever else is seen with it.
smt::Bit situation_of(const model::Rule<Terms>& rule, const model::View<Terms>& view);
/// The terms that have to hold for that, reasons aside, by the ids of their conditions.
std::vector<Fact<Terms>> situation_terms(const model::Rule<Terms>& rule,
                                         const model::View<Terms>& view);

}  // namespace mrproof::specs
