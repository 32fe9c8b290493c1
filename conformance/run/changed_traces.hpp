// Traces that show the entries of a fingerprint, from the journal of its run.
#pragma once

#include <map>
#include <string>

#include "conformance/run/fingerprint.hpp"

namespace mrproof::conformance {

/// Of each entry the calls of the case in which it was met after the fewest steps, up to that step,
/// as a trace with the results that were seen (conformance/README.md). Entries that no step shows
/// (what a device claims) have none. `folder` is that of the run. Throws ToolError where it has no
/// journal, or one that cannot be read.
std::map<std::string, std::string> shortest_traces(
    const std::string& folder, const std::map<std::string, FingerprintEntry>& entries,
    const std::string& dialect);

}  // namespace mrproof::conformance
