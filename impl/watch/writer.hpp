// Where the watching library puts its events: a file for each thread, in memory that is mapped.
#pragma once

#include <cstdint>

#include "impl/watch/record.hpp"

// Nothing here may be taken for a function of the watched program.
#pragma GCC visibility push(hidden)
namespace mrproof::watch {

/// Reads the environment, once, and tells whether there is a folder to record into.
bool watching();

/// CLOCK_MONOTONIC in ns; no system call.
std::uint64_t now();

/// A time at which this thread begins to do what it will record. As long as the Moment is there,
/// the thread's file tells those who read along that a record of that time may follow.
class Moment {
 public:
  /// `wanted`: false if nothing is to be recorded; then the time is 0.
  explicit Moment(bool wanted = true);
  ~Moment();
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;
  [[nodiscard]] std::uint64_t time() const { return time_; }

 private:
  bool marked_ = false;  ///< false, too, in a signal handler that has interrupted another Moment
  std::uint64_t time_ = 0;
};

/// Adds the record to this thread's file, or counts it as lost; within a Moment. It keeps errno,
/// and may be called in a signal handler and while an allocator holds its locks.
void append(const Record& record);

/// Copies /proc/self/maps into the folder, if there is room. It keeps errno.
void copy_maps();

}  // namespace mrproof::watch
#pragma GCC visibility pop
