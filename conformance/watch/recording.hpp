// What a watched program did, read back from the files that the watching library wrote.
#pragma once

#include <string>
#include <vector>

#include "impl/watch/record.hpp"

namespace mrproof::watch {

/// An event and its parts: the elements of a work request.
struct Event {
  Record record;
  std::vector<Record> parts;
  std::uint32_t pid = 0, tid = 0;
};

/// All events of a recording.
struct Recording {
  std::vector<Event> events;  ///< of all processes and threads, in the order of their times
  std::uint64_t lost = 0;     ///< events that could not be written
};

/// Reads all of a folder. Throws std::runtime_error if that is none, and of files that are no
/// recordings; a file that ends in the middle is one of a program that was killed.
Recording read_recording(const std::string& folder);

}  // namespace mrproof::watch
