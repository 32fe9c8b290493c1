// The wish that runs end before their plans are done.
#pragma once

#include <atomic>

namespace mrproof::conformance {

namespace detail {
inline std::atomic<bool> stop_wanted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers store it");
}  // namespace detail

/// Asks all runs of this process to end after the current step; a machine that is being brought up
/// is given up. May be called from a signal handler.
inline void request_stop() noexcept { detail::stop_wanted.store(true); }
inline bool stop_requested() noexcept { return detail::stop_wanted.load(); }

/// Thrown by Host::start() where a stop was asked for while the machine came up.
struct Stopped {};

}  // namespace mrproof::conformance
