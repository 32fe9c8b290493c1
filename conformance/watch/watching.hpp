// Runs a program under the watching library, and tells what it does as it happens.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/watch/judge.hpp"
#include "conformance/watch/places.hpp"
#include "conformance/watch/suppressions.hpp"

namespace mrproof::watch {

/// The watching library that belongs to this program: beside it where it was built, in
/// ../lib/mrproof where it is installed. Throws std::runtime_error if it is not there.
std::string watching_library();

/// Runs the program, whose events go to the folder, and waits for its end; some twenty times a
/// second `look` is called meanwhile, and tells which signal to send to the program, 0: none.
/// `guard`: see impl/watch/guard.hpp. Returns its exit status, 128 + N if signal N ended it. Throws
/// std::runtime_error if it cannot be started.
int run_watched(const std::vector<std::string>& program, const std::string& folder, bool guard,
                const std::function<int()>& look);

/// All that a recording tells.
struct Told {
  std::vector<Finding> findings;
  std::vector<Finding> suppressed;
  Counts counts;
  std::uint64_t lost = 0;              ///< events that could not be written
  std::uint64_t began = 0, ended = 0;  ///< times of the first event and of the last
};

/// What is told of a recording, while it is written and behind its end.
class Telling {
 public:
  /// `live`: the programs still run, or have just ended. `only`: findings of one of the two, or of
  /// both if it is empty. `tell` is called for each finding when it is first seen. Throws
  /// std::runtime_error if there is no such folder.
  Telling(const std::string& folder, bool live, std::optional<Whose> only,
          Suppressions suppressions, std::function<void(const Finding&)> tell);
  /// Judges what is there; `ended`: nothing more is looked at.
  void look(bool ended);
  /// Whether something was told.
  [[nodiscard]] bool has_told() const { return has_told_; }
  /// Sends the signal to all processes that have recorded something and are still there.
  void signal_programs(int signal) const;
  /// All of it. Of each finding as often as it was seen.
  [[nodiscard]] Told told() const;

 private:
  [[nodiscard]] bool is_wanted(const Finding& finding) const;

  std::string folder_;  ///< absolute
  bool live_;
  Recording recording_;
  Places places_;
  Judge judge_;
  std::optional<Whose> only_;
  Suppressions suppressions_;
  std::function<void(const Finding&)> tell_;
  std::size_t seen_ = 0;  ///< of the judge's findings
  bool has_told_ = false;
  std::uint64_t began_ = 0, ended_ = 0;
};

/// Some five lines: what, what is wrong, the objects, where, what to do.
std::string finding_text(const Finding& finding);
/// What was seen more than once, and a line of counts.
std::string summary_text(const Told& told);
/// The same for machines: all that is told.
std::string told_json(const Told& told);
/// As JUnit has it, each finding a test case that failed; suppressed ones have passed.
std::string told_junit(const Told& told);
/// As SARIF 2.1.0 has it.
std::string told_sarif(const Told& told);
/// A page that needs nothing else: when the objects lived, and where the memory lies.
std::string told_html(const Told& told);

}  // namespace mrproof::watch
