// mrproof run --shrink: shrinks what a run found, on the same device.
#pragma once

#include <string>

#include "conformance/session/session.hpp"

namespace mrproof::conformance {

/// Shrinks the traces of all unexpected findings of the device, and writes a bug report for each
/// into the report folder of the session; the tally then has the results. Deviations come first,
/// since what kills a kernel costs a boot each time. `seconds`: the time limit for one finding.
void shrink_findings(const SessionOptions& session, const property_tests::Plan& plan,
                     double seconds, Tally& tally, const TestEnvironment& environment);

}  // namespace mrproof::conformance
