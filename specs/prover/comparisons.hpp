// Which comparisons a condition or an effect makes, named alike by all compilers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "specs/smt/values.hpp"

namespace mrproof::specs {

/// The comparisons that are made while something is asked of several views. Their numbers
/// (smt::Orderings) hang on the order in which a compiler evaluates the operands of `a & b`.
class Comparisons {
 public:
  /// Takes up what was made of one more view; its store has to be the current one.
  void add(const smt::Orderings& orderings);
  /// The number of the first of each kind (TermKinds), by a name that hangs on the kind alone. One
  /// that is of another kind in a later view is there once, by its first name.
  [[nodiscard]] const std::map<std::string, std::size_t>& one_of_each_kind() const {
    return first_;
  }

 private:
  std::map<std::string, std::size_t> first_;
  std::set<std::uint64_t> shown_;  ///< kinds
  std::set<std::size_t> taken_;    ///< numbers
};

}  // namespace mrproof::specs
