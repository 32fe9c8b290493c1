// Which rules a trace is judged by.
#pragma once

#include <string>

#include "model/judge/rulebook.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::model {

/// The rulebook of that name. Throws ToolError.
const Rulebook& book_named(const std::string& dialect);

/// The rulebook of `asked`, or of the dialect that the trace names if `asked` is empty. Throws
/// ToolError, which names `file` if the trace is to blame.
const Rulebook& book_of(const Trace& trace, const std::string& asked, const std::string& file);

}  // namespace mrproof::model
