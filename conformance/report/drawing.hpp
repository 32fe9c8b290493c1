// A drawing of what a step meets: buffers, regions, windows, and the ranges that it uses.
#pragma once

#include <string>

#include "model/judge/rulebook.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::conformance {

/// An SVG of the state before the last step of the trace and of that step's ranges; empty for an
/// empty trace. Colours are the CSS variables --soft, --idle, --good, --blue and --bad.
std::string draw(const model::Trace& trace, const model::Rulebook& book);

}  // namespace mrproof::conformance
