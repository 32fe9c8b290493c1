// The report folder's journal.jsonl: one JSON object a line for everything that happened.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "conformance/run/tally.hpp"

namespace mrproof::conformance {

/// Cases with such numbers come behind those of the plan. A run that is resumed makes them anew.
constexpr std::uint64_t kBehindThePlan = 1ULL << 48U;

/// Where a run goes on.
struct Resumption {
  std::uint64_t first_case = 0;  ///< of the plan: the first that is not over
  std::uintmax_t bytes = 0;      ///< of the journal: those of the cases that are over
};

/// Reads a journal back: fills the tally with what happened in the cases that are over.
/// `begun_with` is the text that Journal would be given for the same run. Throws ToolError when it
/// is no journal, or belongs to another run.
Resumption read_journal(const std::string& path, const property_tests::Plan& plan,
                        const std::string& begun_with, Tally& tally);

/// Reads the journal of a whole shard, whatever its plan was, into the tally; returns what the run
/// was begun with, or nothing if it does not say. Throws ToolError.
std::string read_shard(const std::string& path, Tally& tally);

/// Writes the journal. Every failure to write is a ToolError that names the file; what was written
/// before stays.
class Journal {
 public:
  /// Opens the file with its first line: till then, what an earlier run left stays. Makes it anew,
  /// beginning with what the run was begun with (JSON, or empty), or goes on behind as many bytes
  /// as are kept. An empty path writes nothing.
  explicit Journal(std::string path, std::string begun_with = "", std::uintmax_t kept = 0);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// Nothing is written if it is what was said before.
  void hello(const Record& record);
  void begin_case(const std::string& name, const Record& record);
  void step(const std::string& case_name, const Record& end, const model::Step& step);
  void end_case(const Record& record);
  void incident(const Incident& incident);
  /// Makes everything so far safe against the end of this process.
  void flush();

 private:
  void open();
  void line(const std::string& text);
  std::string path_;
  std::string begun_with_;
  std::uintmax_t kept_ = 0;
  std::FILE* file_ = nullptr;
  std::string said_;                            ///< by the last hello()
  std::string text_;                            ///< of the last step
  std::pair<std::string, std::string> quoted_;  ///< its case, and that in quotes
};

}  // namespace mrproof::conformance
