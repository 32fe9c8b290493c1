// The states that the objects of a finding went through.
#pragma once

#include <vector>

#include "conformance/report/evidence.hpp"
#include "conformance/report/life_cycles.hpp"

namespace mrproof::conformance {

/// State diagrams (life_cycles.hpp) of the regions and windows that the decisive step names, each
/// with the path that the object took: the steps on the arrows, the state in which the decisive
/// step met it marked. Empty if the step names none that ever existed.
std::vector<Diagram> paths_of(const Evidence& evidence);

}  // namespace mrproof::conformance
