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

/// Adds the record to this thread's file, or counts it as lost. It keeps errno, and may be called
/// in a signal handler and while an allocator holds its locks.
void append(const Record& record);

/// Counts events that are not recorded at all.
void lose(std::uint64_t events);

/// Events that were lost by threads which could not open a file to count them in.
std::uint64_t lost_without_file();

/// Copies /proc/self/maps into the folder, if there is room. It keeps errno.
void copy_maps();

}  // namespace mrproof::watch
#pragma GCC visibility pop
