// Whether facts follow from assumptions.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "specs/prover/candidate.hpp"
#include "specs/prover/known.hpp"
#include "specs/smt/arithmetic.hpp"

namespace mrproof::specs {

/// Asks whether facts follow from assumptions, in the current store.
///
/// The propositional skeleton of a question is asked first. Where it can hold, the comparisons of
/// numbers that this needs are asked on their own; if they cannot hold together, that is a lemma
/// which the skeleton is told, and which serves all later questions. Assumptions join when what is
/// found breaks them, so that most are never looked at.
class Questions {
 public:
  /// Called with each question that was answered and its answer.
  using Log = std::function<void(const smt::Question&, smt::Answer)>;

  /// `rounds`: after so many candidates a question has no answer (limit).
  Questions(const smt::SolverOptions& options, Known& known, Log log, unsigned rounds = 5000);

  /// Whether the assumptions imply the fact: unsatisfiable if so; else values that make all
  /// assumptions true and the fact false.
  smt::Reply follows(const std::string& name, const std::vector<smt::Ref>& assumptions,
                     smt::Ref fact);
  /// What assumptions are made of, by which a question in the log names those that it needed.
  static std::vector<smt::Ref> parts_of(const std::vector<smt::Ref>& assumptions);
  /// Whether some values make all bits true.
  smt::Reply possible(const std::string& name, const std::vector<smt::Ref>& all);

 private:
  class Search;
  /// Objects of the state that the bit speaks of: "mw0".
  const std::set<std::string>& objects_of(smt::Ref ref);

  smt::SolverOptions options_;
  Known& known_;
  Log log_;
  unsigned rounds_;
  smt::Arithmetic arithmetic_;
  std::unordered_map<smt::Ref, std::set<std::string>> objects_;
};

}  // namespace mrproof::specs
