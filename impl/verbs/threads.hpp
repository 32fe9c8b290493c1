// Calls that are made by threads of their own, all from one moment on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "impl/verbs/process.hpp"

namespace mrproof::impl {

/// Threads that each make one call. They wait for go(); each sleeps for its delay after that.
///
/// On one processor those that begin later come before those that began earlier, where the process
/// may ask for that (SCHED_FIFO in sched(7)): so the delays decide where a call is interrupted.
class Threads {
 public:
  using Make = std::function<Answer()>;

  /// `yields`: the call waits for the driver's threads, so it must not come before them.
  void begin(std::uint8_t label, std::uint32_t delay, bool yields, Make make);
  /// All that have begun go on. May be called again.
  void go();
  /// Waits for the moment from which their delays count.
  void await_start() const;
  /// What the call of that label gave, when it has returned. Throws std::logic_error if none has
  /// begun, and what the call threw.
  Answer join(std::uint8_t label);
  /// Waits for all that have begun and were not joined; what they gave is lost.
  void join_all();

 private:
  struct Begun {
    std::thread thread;
    Answer answer;
    std::exception_ptr thrown;
  };
  std::array<Begun, model::kMostLabels + 1> begun_;
  std::atomic<bool> gone_ = false;
  std::int64_t start_ns_ = 0;  ///< by CLOCK_MONOTONIC; written before `gone_`
};

}  // namespace mrproof::impl
