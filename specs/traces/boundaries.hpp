// Calls at the edges of what a state holds: where an ordering shifted by one shows.
#pragma once

#include <vector>

#include "conformance/trace/trace.hpp"

namespace mrproof::specs {

/// The call with one of its ranges moved so that it begins, or ends, at an edge of a buffer, a
/// hole, a region or a window, or one byte beside it; and with lengths that reach from where it
/// begins to there. Keys stay as they are resolved.
std::vector<Step> at_boundaries(const model::State<model::Plain>& state, const Step& step);

}  // namespace mrproof::specs
