#include "specs/clauses.hpp"

#include <algorithm>

namespace mrproof::specs {

const Clause* find_clause(std::string_view id) {
  const auto all = clauses();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Clause& clause) { return clause.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace mrproof::specs
