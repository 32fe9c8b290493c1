// Judging a trace's recorded observations, without a device.
#pragma once

#include "conformance/oracle.hpp"

namespace mrproof {

/// Judges every step against its recorded result, up to and including the first that deviates or
/// hangs, and replaces the annotations by the oracle's. Successes that should tell keys and do not
/// get some. Throws TraceError when a step has no result or may not be made; `file` is named in
/// errors.
Trace judge_trace(const Trace& trace, const model::Rulebook& book, const std::string& file);

/// The oracle as it stood before step `count` of a recorded trace (0: before the first), as far as
/// the record tells.
Oracle oracle_before(const Trace& trace, const model::Rulebook& book, std::size_t count);

}  // namespace mrproof
