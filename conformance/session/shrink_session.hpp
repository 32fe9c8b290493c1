// Shrinking on a device that may not survive it, for mrproof shrink and mrproof run --shrink.
#pragma once

#include <optional>
#include <string>

#include "conformance/session/supervised_trials.hpp"
#include "property-tests/shrink/shrink.hpp"

namespace mrproof::conformance {

/// How a trace is shrunk.
struct ShrinkSession {
  bool remote = false;  ///< in another machine: a trial takes milliseconds
  double seconds = 0;   ///< ends after so long with what it has reached; 0: no limit
  property_tests::Shrinker::Progress progress = {};  ///< may be empty
};

/// The result.
struct ShrinkOutcome {
  std::optional<property_tests::Shrunk>
      shrunk;             ///< nothing: the trace does not show it on this device
  model::Trace trace;     ///< of that, for people; its comments name the device
  bool left_out = false;  ///< SupervisedTrials::left_out()
  std::string cut_short;  ///< why it was ended early; empty if it was not
  double seconds = 0;     ///< until here, boots included
};

/// Makes a trace short that shows `wanted`. Throws ToolError if it is interrupted, or its time is
/// up, before the trace was shown.
ShrinkOutcome shrink_on(SupervisedTrials& trials, const model::Trace& trace,
                        const model::Annotation& wanted, const ShrinkSession& session);

/// What is known of shorter traces, in a line: "shortest" only with its scope. Only of an outcome
/// that is shrunk.
std::string bound_text(const ShrinkOutcome& outcome);

}  // namespace mrproof::conformance
