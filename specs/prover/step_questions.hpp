// One rule and one shape of its calls, in terms: the state before, the call, the result, the state
// after.
#pragma once

#include <optional>

#include "specs/prover/rows.hpp"
#include "specs/theorems/theorem.hpp"

namespace mrproof::specs {

/// A step that the rule allows, from a state in which the invariants hold. Uses the current store.
class StepWorld {
 public:
  StepWorld(const Row& row, const Shape& shape);

  /// The invariants and the guard of the rule, each of them.
  [[nodiscard]] const std::vector<smt::Ref>& assumptions() const { return assumptions_; }
  /// The step as theorems see it.
  [[nodiscard]] Taken<Terms> taken() const;
  /// Facts about the state after that are not among what is known of the state before.
  [[nodiscard]] std::vector<Fact<Terms>> news(const Invariant<Terms>& invariant) const;
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
  std::vector<smt::Ref> assumptions_;
};

/// What the invariants say of the state.
std::vector<Fact<Terms>> facts_of(const model::State<Terms>& state);

}  // namespace mrproof::specs
