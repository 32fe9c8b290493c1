// The options that commands share which make calls on a device.
#pragma once

#include <CLI/CLI.hpp>

#include "conformance/session/session.hpp"

namespace mrproof::conformance {

/// Where the calls of which trace are made.
struct TrialOptions {
  property_tests::Plan plan;
  SessionOptions session;
};

/// Adds --device, --target, --peer, --peer-target, --dmabuf-from, --kernel-argument, --guest-seed,
/// --guest-processors, --preempt, --wire, --no-repeat and --step-limit. What they set has to
/// outlive the command, here and below.
void add_device_options(CLI::App& command, property_tests::Plan& plan, SessionOptions& session);

/// Adds --dmabuf-from, which holds for all devices that are opened from then on.
CLI::Option* add_dmabuf_option(CLI::App& command);

/// Takes the guest that the trace names for the machine, as far as options do not.
void take_guest(const CLI::App& command, const model::Trace& trace, MachineOptions& machine);

/// Adds these, the trace and --dialect.
void add_trial_options(CLI::App& command, TrialOptions& options);

}  // namespace mrproof::conformance
