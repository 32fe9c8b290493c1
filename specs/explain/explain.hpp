// Explains a trace in words: the state after each step, and why each result is allowed.
#pragma once

#include <string>
#include <vector>

#include "model/judge/rulebook.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::specs {

/// The objects of a state, one a line: PDs, regions, windows, queue pairs, holes in the buffers.
/// Where there are many, those that the step names.
std::vector<std::string> describe_state(const model::State<model::Plain>& state,
                                        const model::Step& step = {});

/// The whole trace in words. Throws TraceError as judge_trace() does; `file` is named in errors.
std::string explain_trace(const model::Trace& trace, const model::Rulebook& book,
                          const std::string& file);

}  // namespace mrproof::specs
