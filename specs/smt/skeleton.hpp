// The propositional skeleton of a question: what is left of it when comparisons of wide words are
// bits of which nothing is known.
#pragma once

#include <memory>

#include "specs/smt/solver.hpp"

namespace mrproof::specs::smt {

/// A bit and what it is.
struct Literal {
  Ref bit = kTrue;
  bool holds = true;
  friend auto operator<=>(const Literal&, const Literal&) = default;
};

/// Bits that are assumed one after the other, and sets of literals that are known not to hold
/// together. Belongs to one store.
class Skeleton {
 public:
  explicit Skeleton(SolverOptions options);
  Skeleton(const Skeleton&) = delete;
  Skeleton& operator=(const Skeleton&) = delete;
  ~Skeleton();

  void assume(Ref bit);
  /// Not all of these hold.
  void exclude(const std::vector<Literal>& together);
  /// Whether all that is assumed can hold. The core has places in the order of assume().
  Reply check();
  /// After a check that was satisfiable: the value of an unknown or a comparison of wide words, 0
  /// if the question does not have it.
  [[nodiscard]] Number value(Ref ref) const;

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace mrproof::specs::smt
