// What runs reached of a driver, for people: by module, by file of its source, by function.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "conformance/run/kept_case.hpp"

namespace mrproof::conformance {

/// What one run reached, and its name.
using NamedCoverage = std::pair<std::string, DriverCoverage>;

/// A table with a column of shares for each run, and a row for each module and file; `functions`:
/// for each function, too. Throws ToolError unless all runs are of one image.
std::string driver_table(const std::vector<NamedCoverage>& runs, bool functions);

/// The shares of the modules, in a line.
std::string driver_line(const DriverCoverage& coverage);

/// The functions of which one run reached instructions that the other did not, a line each, most
/// instructions first; empty if there are none.
std::string only_reached_by(const DriverCoverage& one, const DriverCoverage& other);

/// Of each C file of which it is known, how many lines were reached, and which ones were not: a
/// line each; empty if there are none.
std::string lines_by_file(const DriverCoverage& coverage);

/// A section of a run's page.
std::string driver_section(const DriverCoverage& coverage);

/// Of the cases that were led by what they reached, in a line.
std::string guided_line(std::uint64_t cases, const std::vector<KeptCase>& kept);

/// The same for a run's page, with what each was the first to reach.
std::string guided_section(std::uint64_t cases, const std::vector<KeptCase>& kept);

/// And for report.json.
nlohmann::ordered_json guided_json(std::uint64_t cases, const std::vector<KeptCase>& kept);

}  // namespace mrproof::conformance
