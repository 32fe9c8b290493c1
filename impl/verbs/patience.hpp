// Waiting for something that a device will show in a moment, or never.
#pragma once

#include <sched.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace mrproof::impl {

/// Paces a loop that looks for something: busy at first, since most completions are there within
/// microseconds, then leaving the processor to the kernel threads that make them, then sleeping.
class Patience {
 public:
  explicit Patience(std::uint32_t limit_ms) : limit_(limit_ms) {}

  /// After a look that found nothing: waits a little, if at all. False: the time is over.
  bool again() {
    if (++looks_ % kLooksBetween != 0) return true;  // reading the clock costs more than a look
    const Clock::time_point now = Clock::now();
    if (looks_ == kLooksBetween) start_ = now;
    if (now - start_ > limit_) return false;
    if (now - start_ < kYieldFor)
      sched_yield();
    else
      std::this_thread::sleep_for(kSleep);
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC
  static constexpr std::uint32_t kLooksBetween = 32;
  static constexpr std::chrono::milliseconds kYieldFor{5};
  static constexpr std::chrono::microseconds kSleep{100};

  std::chrono::milliseconds limit_;
  std::uint32_t looks_ = 0;
  Clock::time_point start_;
};

}  // namespace mrproof::impl
