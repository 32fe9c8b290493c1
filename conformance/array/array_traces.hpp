// The covering array of what decides about access: access flags, what a re-registration changes,
// the operation, whose key it names, where its range lies, and in which PD the region is.
#pragma once

#include "conformance/array/covering_array.hpp"
#include "conformance/trace/trace.hpp"

namespace mrproof {

/// Its parameters.
const std::vector<ArrayParameter>& array_parameters();
/// Which of their values cannot meet, and why.
const char* array_constraint(const ArrayRow& row);
/// The array of strength 3. Made once.
const CoveringArray& access_array();
/// The row in words: "access=LOCAL_WRITE changes=PD operation=send ...".
std::string array_row_name(const ArrayRow& row);
/// The row as a trace, without results: its last step is the operation, or, for a message that is
/// to be received, the send. What the row needs of the device stands in the trace's capabilities.
Trace array_trace(const ArrayRow& row);

}  // namespace mrproof
