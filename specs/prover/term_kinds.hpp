// Kinds of terms: what they say, whichever slots they speak of.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "specs/smt/store.hpp"

namespace mrproof::specs {

/// Tells apart what the terms of one store say. It does not count which slots they speak of, nor
/// the order of what may be exchanged: terms get their places in a store in the order in which they
/// are made, and of the operands of `a & b` the compiler chooses which is made first.
class TermKinds {
 public:
  /// A number for the term's kind: the same in all stores and for all compilers.
  std::uint64_t kind(smt::Ref ref);

 private:
  void take_apart(smt::Ref ref, smt::Op op, bool negated, std::vector<std::uint64_t>& parts);

  std::unordered_map<smt::Ref, std::uint64_t> kinds_;
};

}  // namespace mrproof::specs
