// A finding as a page to look at.
#pragma once

#include <string>

#include "conformance/report/evidence.hpp"

namespace mrproof::conformance {

/// One self-contained HTML page, light and dark, for desks and phones: what happened, the memory
/// that the decisive step met, bytes that changed and should not have, the states that its objects
/// went through, the clauses, the program. `seen_on` as in finding_letter().
std::string finding_page(const Evidence& evidence, const std::string& program,
                         const std::string& seen_on);

}  // namespace mrproof::conformance
