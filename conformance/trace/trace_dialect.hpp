// Which rules a trace is judged by.
#pragma once

#include <string>

#include "conformance/trace/trace.hpp"
#include "model/rulebook.hpp"

namespace mrproof {

/// The rulebook of that name. Throws ToolError.
const model::Rulebook& book_named(const std::string& dialect);

/// The rulebook of `asked`, or of the dialect that the trace names if `asked` is empty. Throws
/// ToolError, which names `file` if the trace is to blame.
const model::Rulebook& book_of(const Trace& trace, const std::string& asked,
                               const std::string& file);

}  // namespace mrproof
