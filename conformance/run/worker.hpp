// The worker: drives one device through cases, judges each step, and tells the channel everything.
#pragma once

#include <map>
#include <string>

#include "conformance/run/channel.hpp"
#include "conformance/run/wire.hpp"
#include "impl/device.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {

/// Works off the plan's cases from the first one on, on a device that is open, and tells the
/// channel.
void work_off(Channel& channel, property_tests::Plan plan, impl::Device& device,
              std::uint64_t first_case);

/// Works off the plan in the channel; where that names no device, on `own_device`. Returns the
/// process's exit code: 0 when the plan is done or was stopped, 2 after a `failure` record.
int run_worker(Channel& channel, const std::string& own_device = "");

/// Starts a worker for each request, watches it, ends it when it hangs, and tells how it ended.
/// Returns when it is told to shut down.
void run_agent(Channel& channel, const std::string& channel_path, const std::string& own_device);

}  // namespace mrproof::conformance
