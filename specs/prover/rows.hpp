// The rules of all dialects as rows, which theorems are asked of and mutants change.
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

/// What is changed of a row to see whether theorems notice; nothing by default.
struct Change {
  bool is_one = false;  ///< the row is not the model's
  /// The ordering of that number, counted while the condition (or the effect: null) is asked, is
  /// its neighbour: < for <= and the other way round.
  const model::Condition<Terms>* condition = nullptr;
  std::size_t shifted = smt::Orderings::kNone;
  /// Fields of that path, numbers of slots left out ("mr.last"), keep their value.
  std::string kept;
};

/// A rule of a verb. Dialects that have the very same rule share a row.
struct Row {
  std::string id;  ///< "verb.name"
  DialectSet dialects = 0;
  model::Verb verb = model::Verb::fill;
  model::Rule<Terms> rule;
  std::span<const model::Condition<Terms>* const> preconditions;
  Change change;

  /// Whether the term holds.
  [[nodiscard]] smt::Bit holds(const model::Term<Terms>& term,
                               const model::View<Terms>& view) const;
  /// Runs the effect, if the rule has one.
  void take_effect(const model::View<Terms>& view, model::State<Terms>& after) const;
};

/// The rows of the dialects, in the order of the catalogue.
std::vector<Row> rows_of(DialectSet dialects);

/// The dialects' names, separated by blanks.
std::string names_of(DialectSet dialects);

/// The path without the numbers of slots: "mr0.last" is "mr.last".
std::string kind_of(const std::string& path);

/// Whether all that the rule requires holds.
smt::Bit requirements_met(const Row& row, const model::View<Terms>& view);
/// The reasons of which one is asked for, by the ids of their conditions; those that are made of
/// several, one of which is enough, part by part.
std::vector<Fact<Terms>> reasons_of(const Row& row, const model::View<Terms>& view);
/// Whether there is a reason, if reasons are asked for.
smt::Bit some_reason(const Row& row, const model::View<Terms>& view);
/// Whether the caller keeps all preconditions.
smt::Bit preconditions_kept(const Row& row, const model::View<Terms>& view);
/// Whether the situation allows the rule's result, whatever else is seen with it.
smt::Bit situation_of(const Row& row, const model::View<Terms>& view);
/// The terms that have to hold for that, reasons aside, by the ids of their conditions.
std::vector<Fact<Terms>> situation_terms(const Row& row, const model::View<Terms>& view);

}  // namespace mrproof::specs
