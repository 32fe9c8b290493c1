// The options that commands share which make a trace's calls on a device.
#pragma once

#include <CLI/CLI.hpp>

#include "conformance/session/session.hpp"

namespace mrproof::conformance {

/// Where the calls of which trace are made.
struct TrialOptions {
  property_tests::Plan plan;
  SessionOptions session;
};

/// Adds the trace, --device, --dialect, --target and --step-limit. The options have to outlive the
/// command.
void add_trial_options(CLI::App& command, TrialOptions& options);

}  // namespace mrproof::conformance
