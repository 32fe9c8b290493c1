// The covering array of what decides about access: access flags, what a re-registration changes,
// the operation, whose key it names, where its range lies, and in which PD the region is.
#pragma once

#include "model/trace/trace.hpp"
#include "property-tests/series/covering_array.hpp"

namespace mrproof::property_tests {

/// Its parameters.
const std::vector<ArrayParameter>& array_parameters();
/// Which of their values cannot meet on any device, and why.
const char* array_constraint(const ArrayRow& row);
/// The same on a device of these capabilities: also what needs more than it has.
const char* array_constraint(const ArrayRow& row, const model::Capabilities<model::Plain>& can);
/// The array of strength 3 for a device that has all that some row needs. Made once.
const CoveringArray& access_array();
/// The array for a device of these capabilities: each triple of a row that it can do is in a row
/// that it can do. The same for devices that differ in nothing that some row needs.
const CoveringArray& access_array(const model::Capabilities<model::Plain>& can);
/// "array: 12 triples need what the device lacks: ATOMICS"; empty if there are none.
std::string array_lack(const model::Capabilities<model::Plain>& can);
/// The row in words: "access=LOCAL_WRITE changes=PD operation=send ...".
std::string array_row_name(const ArrayRow& row);
/// The row as a trace, without results: its last step is the operation, or, for a message that is
/// to be received, the send. What the row needs of the device stands in the trace's capabilities:
/// nothing that the device lacks, if the row is one for it.
model::Trace array_trace(const ArrayRow& row, const model::Capabilities<model::Plain>& can);

/// The rows for a device that does not re-register regions, as no claim of its tells: nothing
/// changes, so an old key becomes the region's own; so does the window's of a region that has no
/// MW_BIND now, beside a row with a region that has. With all rows so replaced, each triple that
/// rows without re-registration can have is in one of them.
std::vector<ArrayRow> unchanged(const ArrayRow& row);
/// One after the other as a trace: what is called in place of all behind the re-registration, once
/// that was refused as unsupported.
model::Trace unchanged_trace(const ArrayRow& row, const model::Capabilities<model::Plain>& can);

}  // namespace mrproof::property_tests
