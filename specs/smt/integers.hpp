// Comparisons of words as comparisons of integers: a sum modulo a power of two is a sum less some
// multiple of it.
#pragma once

#include <memory>
#include <vector>

#include "specs/smt/solver.hpp"

namespace mrproof::specs::smt {

/// Asks Z3 about conjunctions of comparisons as linear inequalities of integers. Bits do not
/// matter to these, so that long sums cost little. One for each thread and store.
class Integers {
 public:
  explicit Integers(SolverOptions options);
  Integers(const Integers&) = delete;
  Integers& operator=(const Integers&) = delete;
  ~Integers();

  /// Whether the bits are comparisons, or negations of them, of sums of unknowns.
  [[nodiscard]] static bool can_ask(const std::vector<Ref>& bits);
  /// Whether the bits can hold together. Exactly: values are those of the store's unknowns. Else
  /// numbers need not be whole, nor 2^64 that number, which is soon answered: what cannot hold
  /// together then cannot at all, and that it can says nothing.
  Reply ask(const std::vector<Ref>& bits, bool exactly);

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace mrproof::specs::smt
