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

/// Where this program is installed: the folders of its scenarios and of the traces of known
/// findings. Empty where it is not.
std::vector<std::string> installed_scenarios();

/// The calls that led to unexpected findings, each as a scenario with the finding's name.
std::vector<property_tests::Scenario> scenarios_of_unexpected(const Tally& tally);

}  // namespace mrproof::conformance
