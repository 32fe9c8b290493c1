// What a watched program did or does, read from the files that the watching library writes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "impl/watch/record.hpp"

namespace mrproof::watch {

/// The halves of a word.
inline std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
inline std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); }

/// An event and its parts: the elements of a work request, or the stack of another call.
struct Event {
  Record record;
  std::vector<Record> parts;
  bool whole = true;  ///< false: parts are missing, and it cannot be judged
  std::uint32_t pid = 0, tid = 0;
};

/// How far a recording is read.
enum class Until : std::uint8_t {
  may_change,  ///< what may still be written is later than what is read: more will follow
  now,         ///< all that has happened, though some of the processes may go on
  end          ///< all; nobody writes any more
};

/// The events of all processes and threads of a folder, in the order of their times.
class Recording {
 public:
  /// Throws std::runtime_error if there is no such folder.
  explicit Recording(std::string folder);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Looks at what is there now; next() then gives what happened before `until`. Throws
  /// std::runtime_error of files that are no recordings. A file that ends in the middle is one of a
  /// program that was killed.
  void look(Until until);
  /// Whether there is one more. What happened from the first lost event on is left out.
  bool next(Event& event);
  /// Events that could not be written, as far as was looked.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  /// The processes whose events are there.
  [[nodiscard]] std::vector<std::uint32_t> processes() const;

 private:
  class File;
  std::string folder_;
  std::map<std::string, std::unique_ptr<File>> files_;  // by path
  std::vector<File*> waiting_;  // a heap: the earliest event is in the first
  std::uint64_t horizon_ = 0;   // next() gives what is earlier
  std::uint64_t lost_ = 0;
};

}  // namespace mrproof::watch
