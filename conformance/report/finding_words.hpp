// A finding in words: what it is called, what was allowed and by which clause, what does not
// matter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/evidence.hpp"

namespace mrproof::conformance {

/// One line that says what is wrong: "rdma_read succeeds; allowed here: REM_ACCESS_ERR".
std::string finding_title(const Evidence& evidence);

/// What was allowed at the decisive step and which conditions are broken, a line each, with their
/// clauses.
std::vector<std::string> finding_reasons(const Evidence& evidence);

/// Whether a line of finding_reasons() says where something comes from (an object, another result),
/// not what is wrong: of interest to whoever doubts the verdict.
bool is_provenance(std::string_view reason);

/// A sentence of a page that the finding rests on.
struct FindingClause {
  std::string citation;  ///< "ibv_reg_mr(3), DESCRIPTION"
  std::string_view text;
};

/// The clauses behind the broken conditions, each once; of a deviation without one, none.
std::vector<FindingClause> finding_clauses(const Evidence& evidence);

/// Who was tested, as the trace's own comment says; empty if it does not.
std::string finding_target(const Evidence& evidence);

/// The trace's comments as one text, without the one that says who was tested.
std::string finding_story(const Evidence& evidence);

/// Values of each step's call that do not matter, as the model sees it: with others in their place,
/// a handful was tried, every step is judged the same and the same is allowed at the decisive one.
/// "length 8", "access REMOTE_READ". Of a trace of more than 200 steps, nothing.
std::vector<std::vector<std::string>> irrelevant_values(const Evidence& evidence);

/// Whether the trace tells every key that a success gives; else the state's keys are made up.
bool tells_keys(const Evidence& evidence);

/// The trace up to the decisive step, without keys that nobody saw.
model::Trace told_trace(const Evidence& evidence);

/// The trace, annotated: each step with its verdict, what else was allowed, the clauses behind it,
/// and the values that do not matter. It reads as a trace again.
model::Trace annotated_trace(const Evidence& evidence);

}  // namespace mrproof::conformance
