// Draws the memory at the decisive step of a finding: buffers, and the regions and windows in them.
#pragma once

#include <string>

#include "conformance/report/evidence.hpp"

namespace mrproof::conformance {

/// An SVG, 360 wide so that it can be read on a phone: each buffer that matters, not to scale but
/// in order, with its offsets; below it the regions and bound windows in it, with domain, keys and
/// rights, the ranges that the step means, and the bytes that it changed and should not have. Empty
/// if nothing lies in a buffer. Colours are the CSS variables --ink, --soft, --line, --idle,
/// --blue, --bad and --pd0 to --pd3.
std::string draw_finding(const Evidence& evidence);

}  // namespace mrproof::conformance
