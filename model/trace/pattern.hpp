// Regular expressions: those of POSIX, which cost no time to compile.
#pragma once

#include <string>
#include <vector>

namespace mrproof::model {

/// Whether the whole text matches the extended regular expression.
bool matches(const std::string& text, const std::string& pattern);

/// Every match in the text: the match itself, then its groups.
std::vector<std::vector<std::string>> all_matches(
    const std::string& text, const std::string& pattern);

/// The text with every match replaced.
std::string replaced(const std::string& text, const std::string& pattern, const std::string& by);

}  // namespace mrproof::model
