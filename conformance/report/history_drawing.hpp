// Draws what overlapped on the way to the decisive step of a finding.
#pragma once

#include <string>

#include "conformance/report/evidence.hpp"

namespace mrproof::conformance {

/// An SVG with the steps from left to right: a lane for the program, one for each call or request
/// that was under way beside others, as a bar from its beginning to its end, and one for each
/// region and window that those name, from where it is made to where it ends. Bytes that a step saw
/// changed are marked; the decisive step is. Of a long trace the last 30 steps. Empty if nothing
/// was under way beside anything. Colours are CSS variables, as of draw_finding().
std::string draw_history(const Evidence& evidence);

}  // namespace mrproof::conformance
