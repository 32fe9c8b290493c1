// Judging a trace's recorded observations, without a device.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/oracle/recorded_case.hpp"

namespace mrproof::model {

/// Says of a step that the oracle just called deviating, for people, why it does; or nothing.
using Explain =
    std::function<std::vector<std::string>(const Oracle&, const Step&, const Judgement&)>;

/// Judges every step against its recorded result, up to and including the first that deviates or
/// hangs, and replaces the annotations by the oracle's. Successes that should tell keys and do not
/// get some. Throws TraceError when a step has no result or may not be made; `file` is named in
/// errors. `explain` writes the remarks.
Trace judge_trace(
    const Trace& trace, const Rulebook& book, const std::string& file, const Explain& explain = {});

}  // namespace mrproof::model
