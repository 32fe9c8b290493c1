// Calls that are made by threads of their own, all from one moment on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "impl/verbs/process.hpp"

namespace mrproof::impl {

/// Threads that each make one call, or several. They wait for go(); each sleeps for the delay of
/// its first call after that.
///
/// On one processor those that begin later come before those that began earlier, where the process
/// may ask for that (SCHED_FIFO in sched(7)): so the delays decide where a call is interrupted.
class Threads {
 public:
  using Make = std::function<Answer()>;
  struct Order {
    std::uint8_t label = 0;
    /// Of the call behind which its thread makes this one, if that succeeds; 0: a thread of its own
    /// makes it.
    std::uint8_t follows = 0;
    std::uint32_t delay = 0;  ///< microseconds after go(), or after the return of that call
    bool yields = false;  ///< it waits for the driver's threads, so it must not come before them
    Make make;
  };

  /// Throws std::logic_error if the label has begun, or what it follows has not.
  void begin(Order order);
  /// All that have begun go on. May be called again.
  void go();
  /// Waits for the moment from which their delays count.
  void await_start() const;
  /// What the call of that label gave, when it has returned: `none` if its thread does not make it,
  /// since one before has failed. Throws std::logic_error if none has begun, and what it threw.
  Answer join(std::uint8_t label);
  /// Waits for all that have begun and were not joined; what they gave is lost.
  void join_all();

 private:
  struct Begun {
    std::uint8_t first = 0;  ///< label of its thread's first call; 0: none of this label has begun
    std::thread thread;      ///< of a first call
    std::vector<Order> calls;  ///< of a first call: all of its thread
    Answer answer;
    std::exception_ptr thrown;
    std::atomic<bool> over = false;  ///< it has returned, or will not be made
  };
  void run(const std::vector<Order>& calls);
  bool make(const Order& order);
  void end(std::uint8_t label);
  [[nodiscard]] bool has(std::uint8_t first) const;
  std::array<Begun, model::kMostLabels + 1> begun_;
  std::atomic<bool> gone_ = false;
  std::int64_t start_ns_ = 0;  ///< by CLOCK_MONOTONIC; written before `gone_`
};

}  // namespace mrproof::impl
