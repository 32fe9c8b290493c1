// Waiting for something that a device will show in a moment, or never.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace mrproof::impl {

/// Paces a loop that looks for something: busy at first, since most completions are there within
/// microseconds, then with short sleeps, then with longer ones.
///
/// The sleeps are not politeness. Drivers in software work in kernel threads; where one waits for
/// the processor that the loop spins on, it waits until the scheduler's next tick, 4 ms, and
/// sched_yield(2) does not change that. And in a guest that counts instructions, time in which all
/// sleep costs nothing: the longer it was waited, the longer are the sleeps.
class Patience {
 public:
  explicit Patience(std::uint32_t limit_ms) : limit_(limit_ms) {}

  /// After a look that found nothing: waits a little, if at all. False: the time is over.
  bool again() {
    if (++looks_ % kLooksBetween != 0) return true;  // reading the clock costs more than a look
    const Clock::time_point now = Clock::now();
    if (looks_ == kLooksBetween) start_ = now;
    const auto waited = now - start_;
    if (waited > limit_) return false;
    if (waited < kSpinFor) return true;
    std::this_thread::sleep_for(waited < kNapFor ? Clock::duration(kNap)
                                                 : std::clamp(waited / 64, Clock::duration(kSleep),
                                                              Clock::duration(kLongest)));
    looks_ = kLooksBetween * 2 - 1;  // from now on, one look between sleeps
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC
  static constexpr std::uint32_t kLooksBetween = 16;
  static constexpr std::chrono::microseconds kSpinFor{300};
  static constexpr std::chrono::microseconds kNap{1};
  static constexpr std::chrono::milliseconds kNapFor{5};
  static constexpr std::chrono::microseconds kSleep{100};
  static constexpr std::chrono::milliseconds kLongest{50};

  std::chrono::milliseconds limit_;
  std::uint32_t looks_ = 0;
  Clock::time_point start_;
};

}  // namespace mrproof::impl
