// Sums as numbers of times that terms occur, and how to write a conjunction with short ones.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "specs/smt/store.hpp"

namespace mrproof::smt {

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

/// Gives the unknowns that were replaced their values, the last one first.
void undo(const std::vector<Change>& changes, Assignment& values);

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

/// Bits that are as possible as the ones they were made of, and how to get back.
///
/// Addition can be undone, so an unknown may be replaced by a sum that it occurs in: "m - r + f"
/// becomes one new unknown, whatever the three were. And x - a < y - a says how three points lie on
/// the circle of numbers, which takes no sum.
class Shortened {
 public:
  explicit Shortened(std::vector<Ref> bits);
  [[nodiscard]] const std::vector<Ref>& bits() const { return bits_; }
  /// Sets the unknowns that were replaced.
  void restore(Assignment& values) const;

 private:
  void apply(const Change& change);
  void choose_points();
  bool choose_point();
  std::vector<Ref> bits_;
  std::vector<Change> changes_;
};

}  // namespace mrproof::smt
