// What a watched program did, read back from the files that the watching library wrote.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "impl/watch/record.hpp"

namespace mrproof::watch {

/// The halves of a word.
inline std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
inline std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); }

/// An event and its parts: the elements of a work request.
struct Event {
  Record record;
  std::vector<Record> parts;
  bool whole = true;  ///< false: parts are missing, and it cannot be judged
  std::uint32_t pid = 0, tid = 0;
};

/// The events of all processes and threads of a folder, in the order of their times.
class Recording {
 public:
  /// Throws std::runtime_error if there is no such folder, and of files that are no recordings. A
  /// file that ends in the middle is one of a program that was killed.
  explicit Recording(const std::string& folder);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// Whether there is one more.
  bool next(Event& event);
  /// Events that could not be written.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  class File;
  std::vector<std::unique_ptr<File>> files_;  // a heap: the earliest event is in the first
  std::uint64_t lost_ = 0;
};

}  // namespace mrproof::watch
