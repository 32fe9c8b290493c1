// Sums as numbers of times that terms occur, and what of a conjunction can always be made to hold.
#pragma once

#include <map>
#include <vector>

#include "specs/smt/store.hpp"

namespace mrproof::specs::smt {

/// A sum of terms that are none, each times a number.
using Form = std::map<Ref, int>;

/// A form and a constant.
struct Sum {
  Form of;
  Number rest = 0;
};
Sum sum_of(Ref term);

/// An unknown and the term that takes its place.
struct Change {
  Ref unknown;
  Ref becomes;
};

/// Comparisons without those that can always be made to hold, since they have an unknown that
/// occurs nowhere else: these are true.
class Free {
 public:
  explicit Free(std::vector<Ref> bits);
  [[nodiscard]] const std::vector<Ref>& bits() const { return bits_; }
  /// Sets the unknowns of what was left out.
  void restore(Assignment& values) const;

 private:
  bool free_one();
  void free_side(Ref& bit, const Node& node, bool holds, std::size_t side, Ref unknown);
  std::vector<Ref> bits_;
  std::vector<Change> changes_;
};

}  // namespace mrproof::specs::smt
