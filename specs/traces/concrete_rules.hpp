// Rules, changed or not, and the theorems about them, evaluated on numbers: the very terms that
// questions are made of, so that what was refuted and what is shown in a trace are the same thing.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "specs/prover/step_questions.hpp"

namespace mrproof::specs {

using model::Plain;

/// What does not hold: a theorem, and which of its facts.
struct BrokenFact {
  std::string theorem;
  std::string of;
};

/// Answers for steps of the oracle's domain. Makes a store, which has to be the youngest of
/// its thread when a question is asked: make no other that outlives the question.
class ConcreteRules {
 public:
  /// `rows` has to outlive it.
  ConcreteRules(const std::vector<Row>& rows, DialectSet dialect);
  ~ConcreteRules();
  ConcreteRules(const ConcreteRules&) = delete;
  ConcreteRules& operator=(const ConcreteRules&) = delete;

  /// Whether the call names only slots and buffers that the proofs have.
  static bool fits(const model::Call<Plain>& call);
  /// Whether the caller keeps the preconditions, by these rules. False if there are none for the
  /// verb.
  bool may_be_made(const State<Plain>& state, const Call<Plain>& call);
  /// The rows that allow the result, in the order of the catalogue.
  std::vector<const Row*> allowing(const State<Plain>& state, const Call<Plain>& call,
                                   const Result<Plain>& result);
  /// The rows whose result the situation allows, whatever else is seen with it.
  std::vector<const Row*> possible(const State<Plain>& state, const Call<Plain>& call);
  /// The state after the step, by that row.
  State<Plain> after(const Row& row, const State<Plain>& state, const Call<Plain>& call,
                     const Result<Plain>& result);
  /// A fact of one of the theorems (invariants, or of steps) that the step does not keep.
  std::optional<BrokenFact> broken_by_step(const std::vector<std::string>& theorems, const Row& row,
                                           const State<Plain>& state, const Call<Plain>& call,
                                           const Result<Plain>& result);
  /// A fact of one of the theorems (of results) that does not hold of the call.
  std::optional<BrokenFact> broken_by_choice(const std::vector<std::string>& theorems,
                                             const State<Plain>& state, const Call<Plain>& call);

 private:
  struct Program;
  struct Asked;
  struct Facts;
  struct StepTerms;
  struct ChoiceTerms;
  /// The name of the call's shape.
  const std::string& shape_name(const Shape& shape);
  StepTerms& step(const Row& row, const Shape& shape);
  ChoiceTerms& choice(const Shape& shape);
  std::vector<smt::Number> run(const Program& program);
  void set(const State<Plain>& state, const Call<Plain>& call, const Result<Plain>* result);
  void set(smt::Ref unknown, std::uint64_t value);
  bool holds(const Program& program);
  /// The first fact that does not hold, for some of the keys and offsets.
  std::optional<std::string> broken(const Facts& facts, const std::vector<std::uint64_t>& keys,
                                    const std::vector<std::uint64_t>& offsets);
  [[nodiscard]] Facts facts_from(const std::vector<Fact<Terms>>& all) const;

  const std::vector<Row>& rows_;
  DialectSet dialect_;
  smt::Store store_;
  model::State<Terms> before_;
  model::Result<Terms> seen_;
  smt::Ref key_;
  smt::Ref offset_;
  std::map<std::pair<const Row*, std::string>, std::unique_ptr<StepTerms>> steps_;
  std::map<std::string, std::unique_ptr<ChoiceTerms>> choices_;
  smt::Assignment values_;
  // What was set last, so that it is not set again: most questions differ in little.
  Shape last_shape_;
  std::string last_name_;
  std::optional<model::Call<Terms>> last_call_;
  std::vector<smt::Number> known_;
};

}  // namespace mrproof::specs
