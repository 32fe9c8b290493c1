// A drawing of what a step meets: buffers, regions, windows, and the ranges that it uses.
#pragma once

#include <string>

#include "conformance/trace/trace.hpp"
#include "model/rulebook.hpp"

namespace mrproof {

/// An SVG of the state before the last step of the trace and of that step's ranges; empty for an
/// empty trace. Colours are the CSS variables --soft, --idle, --good, --blue and --bad.
std::string draw(const Trace& trace, const model::Rulebook& book);

}  // namespace mrproof
