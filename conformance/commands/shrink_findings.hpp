// mrproof run --shrink: what a run found, made short on the device that it was found on.
#pragma once

#include <string>

#include "conformance/session/session.hpp"

namespace mrproof::conformance {

/// Shrinks the traces of all that the device has to answer for and nobody expected, and writes what
/// a finder sends, into the report folder of the session; the tally then says what came of each.
/// The deviations come first, for what kills a kernel costs a boot each time. `seconds`: the
/// longest that one of them may take.
void shrink_findings(const SessionOptions& session, const property_tests::Plan& plan,
                     double seconds, Tally& tally, const TestEnvironment& place);

}  // namespace mrproof::conformance
