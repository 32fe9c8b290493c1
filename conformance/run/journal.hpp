// The report folder's journal.jsonl: one JSON object a line for everything that happened.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include "conformance/run/tally.hpp"

namespace mrproof {

/// Reads a journal back: fills the tally with what happened in the cases that are over, cuts off
/// what came after them, and returns the number of the first case that is not over. Throws
/// ToolError when it is no journal, or belongs to another plan.
std::uint64_t read_journal(const std::string& path, const Plan& plan, Tally& tally);

/// Reads the journal of a whole shard, whatever its plan was, into the tally. Throws ToolError.
void read_shard(const std::string& path, Tally& tally);

/// Writes the journal. Every failure to write is a ToolError that names the file; what was written
/// before stays.
class Journal {
 public:
  /// Makes the file anew, or (`append`) goes on with it. An empty path writes nothing.
  explicit Journal(const std::string& path, bool append = false);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  void hello(const Record& record);
  void begin_case(const std::string& name, const Record& record);
  void step(const std::string& case_name, const Record& end, const Step& step);
  void end_case(const Record& record);
  void incident(const Incident& incident);
  /// Makes everything so far safe against the end of this process.
  void flush();

 private:
  void line(const std::string& text);
  std::string path_;
  std::FILE* file_ = nullptr;
  std::string text_;                            ///< of the last step
  std::pair<std::string, std::string> quoted_;  ///< its case, and that in quotes
};

}  // namespace mrproof
