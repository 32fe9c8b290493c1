// Covering arrays of strength 3: rows of values, one for each parameter, in which every three
// values of three parameters that can meet do meet in some row.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mrproof::property_tests {

/// A parameter by name, and the names of its values.
struct ArrayParameter {
  std::string name;
  std::vector<std::string> values;
};

/// A value of each parameter, by place.
using ArrayRow = std::vector<std::uint32_t>;

/// Why a row cannot be: the name of a constraint. Null: it can. Every row is asked whole.
using ArrayConstraint = std::function<const char*(const ArrayRow&)>;

/// Three values of three different parameters, in the parameters' order.
struct ArrayTriple {
  std::array<std::uint32_t, 3> parameters{}, values{};
  friend auto operator<=>(const ArrayTriple&, const ArrayTriple&) = default;
  /// Whether the row has them.
  [[nodiscard]] bool in(const ArrayRow& row) const;
};

/// A covering array, and what is in no row of it.
struct CoveringArray {
  std::vector<ArrayRow> rows;
  /// Triples that are in no row that can be, each with the constraint that all such rows break
  /// (of several, that of the first row).
  std::vector<std::pair<ArrayTriple, std::string>> impossible;
};

/// All triples of the parameters.
std::vector<ArrayTriple> all_triples(const std::vector<ArrayParameter>& parameters);

/// Makes the array row by row: each begins with the first triple that is in none yet, and of all
/// ways to complete it is the one with most of such triples (as AETG does, without chance). The
/// same for the same parameters. There have to be three of them at least.
CoveringArray make_covering_array(const std::vector<ArrayParameter>& parameters,
                                  const ArrayConstraint& constraint);

/// Triples that are in no row and are not impossible. Empty for make_covering_array(): this is how
/// one can know.
std::vector<ArrayTriple> uncovered_triples(const std::vector<ArrayParameter>& parameters,
                                           const CoveringArray& made);

}  // namespace mrproof::property_tests
