// One rule and one shape of its calls, in terms: the state before, the call, the result, the state
// after.
#pragma once

#include <optional>

#include "specs/prover/rows.hpp"
#include "specs/theorems/theorem.hpp"

namespace mrproof::specs {

/// A step that the rule allows. Uses the current store.
class StepWorld {
 public:
  /// From that state; if there is none, from any in which the invariants hold.
  StepWorld(const Row& row, const Shape& shape,
            const std::optional<model::State<Terms>>& before = std::nullopt);

  /// The invariants, of any state, and the guard of the rule, each of them.
  [[nodiscard]] const std::vector<smt::Ref>& assumptions() const { return assumptions_; }
  /// The step as theorems see it.
  [[nodiscard]] Taken<Terms> taken() const;
  /// Facts about the state after that are not among what is known of the state before.
  [[nodiscard]] std::vector<Fact<Terms>> news(const Invariant<Terms>& invariant) const;
  /// Whether the rule allows the step: preconditions, requirements, reasons.
  [[nodiscard]] smt::Bit allowed() const { return allowed_; }
  [[nodiscard]] const model::State<Terms>& after() const { return after_; }
  /// Whether the rule can change the state.
  [[nodiscard]] bool changes_state() const { return row_.rule.effect != nullptr; }

 private:
  const Row& row_;
  model::State<Terms> before_;
  model::Call<Terms> call_;
  model::Result<Terms> result_;
  model::State<Terms> after_;
  std::optional<model::Transfer<Terms>> transfer_;
  Terms::Address offset_;
  Terms::Key key_;
  smt::Bit allowed_;
  std::vector<smt::Ref> assumptions_;
};

/// The results of one verb's calls of one shape in one dialect, in terms. Uses the current store.
class ChoiceWorld {
 public:
  /// In that state; if there is none, in any in which the invariants hold.
  ChoiceWorld(const std::vector<Row>& rows, DialectSet dialect, const Shape& shape,
              const std::optional<model::State<Terms>>& state = std::nullopt);

  /// Whether the dialect has the verb.
  [[nodiscard]] bool has_rules() const { return !rows_.empty(); }
  /// The verb's rows in that dialect.
  [[nodiscard]] const std::vector<const Row*>& rows() const { return rows_; }
  /// The invariants, of any state, and the preconditions, each of them.
  [[nodiscard]] const std::vector<smt::Ref>& assumptions() const { return assumptions_; }
  /// Whether the call may be made.
  [[nodiscard]] smt::Bit may_be_made() const { return may_be_made_; }
  /// The rows, and whether the situation allows their results.
  [[nodiscard]] const std::vector<Allowed<Terms>>& rules() const { return rules_; }
  [[nodiscard]] Choice<Terms> choice() const { return {state_, call_, rules_}; }

 private:
  model::State<Terms> state_;
  model::Call<Terms> call_;
  std::vector<const Row*> rows_;
  std::vector<Allowed<Terms>> rules_;
  smt::Bit may_be_made_;
  std::vector<smt::Ref> assumptions_;
};

/// What the invariants say of the state.
std::vector<Fact<Terms>> facts_of(const model::State<Terms>& state);

}  // namespace mrproof::specs
