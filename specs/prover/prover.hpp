// Proves theorems about the rules: one question for each (rule, shape of call, theorem).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "specs/prover/known.hpp"
#include "specs/prover/rows.hpp"
#include "specs/smt/solver.hpp"

namespace mrproof::specs {

/// What is to be proved, and how.
struct ProofOptions {
  DialectSet dialects = kEveryDialect;
  std::string theorem;      ///< its name; empty: all
  bool every_slot = false;  ///< all slots that a call can name, not the first of each kind
  unsigned threads = 2;
  /// Only this verb: the steps of changed rows and the verb's results, until something is refuted.
  std::optional<model::Verb> changed;
  smt::SolverOptions solver;
  /// Called with each question that is asked and its answer, by any thread; for the export.
  std::function<void(const smt::Question&, smt::Answer)> log;
};

/// What an unknown of a counterexample is.
struct Value {
  std::string name;  ///< "before.mw0.first"
  smt::Number value = 0;
};

/// A way in which a theorem does not hold.
struct Counterexample {
  std::string fact;  ///< which instance: "mw0 mr1 range"
  std::vector<Value> values;
};

/// The questions that a theorem puts of one subject, and what came of them.
struct Obligation {
  std::string theorem;
  std::string subject;  ///< "bind_mw.ok", "at the start"
  std::string shape;    ///< "alloc_mw option=2"
  DialectSet dialects = kEveryDialect;
  smt::Answer answer = smt::Answer::error;
  double seconds = 0;   ///< of processor time
  double worst = 0;     ///< of them, of the question that took longest
  std::string slowest;  ///< which one that was: "mw0 mr1 range"
  std::string trouble;
  std::optional<Counterexample> counterexample;
  std::string trace;  ///< that shows it, if one was looked for and found (specs/traces/)
  [[nodiscard]] bool proved() const { return answer == smt::Answer::unsatisfiable; }
};

/// Name and sentence of a theorem.
struct Heading {
  std::string name;
  std::string sentence;
  std::string kind;  ///< "invariant", "step", "choice", "lemma"
};

/// All theorems, in the order of the table.
std::vector<Heading> theorems();

/// Called after each question, by one thread at a time.
using Progress = std::function<void(const Obligation&)>;

/// Proves the theorems about the rows. Questions that need no solver are not among the answers.
std::vector<Obligation> prove(const std::vector<Row>& rows, const ProofOptions& options,
                              const Progress& progress);
/// The same, with what is known already; learns.
std::vector<Obligation> prove(const std::vector<Row>& rows, const ProofOptions& options,
                              const Progress& progress, Known& known);

}  // namespace mrproof::specs
