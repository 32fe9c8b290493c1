#include "specs/prover/comparisons.hpp"

#include <fmt/format.h>

#include "specs/prover/term_kinds.hpp"

namespace mrproof::specs {

void Comparisons::add(const smt::Orderings& orderings) {
  TermKinds kinds;
  for (std::size_t i = 0; i < orderings.made().size(); ++i) {
    const auto made = orderings.made()[i];
    if (smt::Store::current().is_constant(made)) continue;
    const auto kind = kinds.kind(made);
    if (!shown_.insert(kind).second || !taken_.insert(i).second) continue;
    // Six digits: a few dozen kinds of one condition have to be told apart.
    first_.emplace(fmt::format("{:06x}", kind & 0xffffff), i);
  }
}

}  // namespace mrproof::specs
