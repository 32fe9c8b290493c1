// What proofs are printed as.
#pragma once

#include <string>

#include "specs/prover/prover.hpp"

namespace mrproof::specs {

/// One line of the table.
struct Line {
  Heading heading;
  std::size_t proved = 0;  ///< obligations that are
  std::size_t open = 0;    ///< obligations that are not
  double seconds = 0;      ///< of processor time
  double worst = 0;        ///< of one question
};

/// The theorems that were asked for, in their order.
std::vector<Line> lines_of(const std::vector<Obligation>& obligations);

/// The table, and what is not proved below it.
std::string table_text(const std::vector<Obligation>& obligations);
/// The same as JSON: theorems, and each obligation that is not proved with its counterexample.
std::string table_json(const std::vector<Obligation>& obligations);
/// A counterexample: what is not zero, in the words of the model's fields.
std::string counterexample_text(const Obligation& obligation);

}  // namespace mrproof::specs
