// Runs a program under the watching library, and tells what it did.
#pragma once

#include <string>
#include <vector>

#include "conformance/watch/finding.hpp"

namespace mrproof::watch {

/// The watching library that belongs to this program: beside it where it was built, in
/// ../lib/mrproof where it is installed. Throws std::runtime_error if it is not there.
std::string watching_library();

/// Runs the program, whose events go to the folder, and waits for its end. Returns its exit status,
/// 128 + N if signal N ended it. Throws std::runtime_error if it cannot be started.
int run_watched(const std::vector<std::string>& program, const std::string& folder);

/// All that a recording tells.
struct Told {
  std::vector<Finding> findings;
  Counts counts;
  std::uint64_t lost = 0;  ///< events that could not be written
};
Told judge_recording(const std::string& folder);

/// Five lines for each finding, and one of counts.
std::string told_text(const Told& told);
std::string told_json(const Told& told);

}  // namespace mrproof::watch
