// Conjunctions of comparisons of words: what remains of a question once its propositional skeleton
// has been chosen.
#pragma once

#include <map>

#include "specs/smt/integers.hpp"

namespace mrproof::specs::smt {

/// Whether comparisons can hold together. One for each thread and store.
class Arithmetic {
 public:
  explicit Arithmetic(SolverOptions options) : integers_(options), solver_(options) {}

  /// What came of it.
  struct Verdict {
    Answer answer = Answer::error;
    Assignment values;  ///< if satisfiable; if given up, of some of them
    /// If unsatisfiable: sets of places, each as small as it can be, that cannot hold together.
    std::vector<std::vector<std::size_t>> cores;
    std::string trouble;
  };
  /// The bits are comparisons, or negations of them, without choices.
  Verdict check(const std::vector<Ref>& bits);

 private:
  using Places = std::vector<std::size_t>;
  void refute_part(const std::vector<Ref>& bits, const Places& part, Verdict& verdict);
  void decide_part(const std::vector<Ref>& bits, const Places& part, Verdict& verdict);
  Reply ask(const std::vector<Ref>& bits, const Places& part, bool exactly);
  Places smallest(const std::vector<Ref>& bits, Places core, bool exactly);

  Integers integers_;
  Solver solver_;
  std::map<std::vector<Ref>, Reply> answered_;  ///< what was asked roughly
};

}  // namespace mrproof::specs::smt
