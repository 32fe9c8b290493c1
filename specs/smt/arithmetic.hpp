// Conjunctions of comparisons of words: what remains of a question once its propositional skeleton
// has been chosen.
#pragma once

#include "specs/smt/canonical.hpp"

namespace mrproof::smt {

/// Whether comparisons can hold together. One for each thread and store.
class Arithmetic {
 public:
  Arithmetic(SolverOptions options, Answered& answered) : solver_(options), answered_(answered) {}

  /// What came of it.
  struct Verdict {
    Answer answer = Answer::error;
    Assignment values;  ///< if satisfiable; if given up, of some of them
    /// If unsatisfiable: sets of places, each as small as it can be, that cannot hold together.
    std::vector<std::vector<std::size_t>> cores;
    std::string trouble;
  };
  /// The bits are comparisons, or negations of them, without choices.
  /// Looks for few of them that cannot hold together, near one of the first `goals`. Unknown if it
  /// finds none.
  Verdict refute(const std::vector<Ref>& bits, std::size_t goals);
  /// `limit`: steps after which many of them together are given up.
  Verdict check(const std::vector<Ref>& bits, unsigned limit);

 private:
  using Places = std::vector<std::size_t>;
  void check_part(const std::vector<Ref>& bits, const Places& part, unsigned limit,
                  Verdict& verdict);
  Reply ask(const std::vector<Ref>& bits, const Places& part, unsigned limit);
  Places smallest(const std::vector<Ref>& bits, Places core);
  Reply ask_anew(const Canonical& canonical, unsigned limit);
  Solver solver_;
  Answered& answered_;
};

}  // namespace mrproof::smt
