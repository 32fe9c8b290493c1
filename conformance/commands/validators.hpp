// Checks of option values that tell in plain words what is wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mrproof {

/// A number above zero.
inline const CLI::Validator kPositive(
    [](const std::string& text) -> std::string {
      double value = 0;
      const bool is_number = CLI::detail::lexical_cast(text, value);
      return is_number && value > 0 ? "" : "takes a number above 0, not '" + text + "'";
    },
    "POSITIVE", "positive");

}  // namespace mrproof
