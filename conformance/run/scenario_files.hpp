// Scenarios on disk as cases of a run.
#pragma once

#include <string>
#include <vector>

#include "conformance/run/tally.hpp"

namespace mrproof::conformance {

/// The traces (*.mrt) of the folders that are of the dialect, by name: "FOLDER/PATH" without the
/// ending, FOLDER being the last part of the given name. Their results are left out; those of
/// findings ("# seen on:" in the head) are deliberate. Throws ToolError if a folder cannot be read
/// or has no trace, or a trace is malformed.
std::vector<property_tests::Scenario> load_scenarios(const std::vector<std::string>& folders,
                                                     const std::string& dialect);

/// What is installed with this program, and empty where that is not installed.
struct Installed {
  std::vector<std::string> scenarios;  ///< folders: of scenarios, and of traces of known findings
  std::vector<std::string> large;      ///< a folder: of traces of many objects
  std::vector<std::string> tours;      ///< scopes whose tours are short enough to be made
};
Installed find_installed();

/// The calls that led to unexpected findings, each as a scenario with the finding's name.
std::vector<property_tests::Scenario> scenarios_of_unexpected(const Tally& tally);

}  // namespace mrproof::conformance
