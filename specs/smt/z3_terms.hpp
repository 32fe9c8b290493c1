// Terms of a store as Z3 sees them: for solver.cpp and skeleton.cpp alone.
#pragma once

#include <z3++.h>

#include <unordered_map>
#include <vector>

#include "specs/smt/solver.hpp"

namespace mrproof::specs::smt {

/// Translates the terms of one store, each once.
class Z3Terms {
 public:
  /// With `opaque`, comparisons of wide words are bits of which nothing is known.
  Z3Terms(z3::context& context, bool opaque) : context_(context), opaque_(opaque) {}

  /// The term; of an opaque comparison the bit that stands for it.
  z3::expr of(Ref ref);
  /// The value that the model has for a term that was translated; 0 for any other.
  Number value(const z3::model& model, Ref ref) const;
  [[nodiscard]] bool has(Ref ref) const { return known_.contains(ref); }

 private:
  z3::expr leaf(const Store& store, Ref ref, const Node& node);

  z3::context& context_;
  bool opaque_;
  std::unordered_map<Ref, z3::expr> known_;
};

/// What a solver that was asked with these options says, the model and the core aside.
Reply reply_of(z3::solver& solver, z3::check_result result);
/// Limits that do not depend on how busy the machine is, and the seed.
z3::params params_of(z3::context& context, const SolverOptions& options);

}  // namespace mrproof::specs::smt
