// Long measurements in several processes at a time: there is one simulated device in each.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace mrproof::property_tests::testing {

/// Lines of text, one for each number below `count`, made by `make_line` in `jobs` processes.
/// Progress goes to the error output. Throws ToolError if a process ends early. A line is shorter
/// than 4,000 characters.
std::vector<std::string> lines_of(std::size_t count, unsigned jobs,
                                  const std::function<std::string(std::size_t)>& make_line);

}  // namespace mrproof::property_tests::testing
