// Checks of option values that say in plain words what is wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include "model/trace/trace.hpp"

namespace mrproof::conformance {

/// More than anyone waits for, or has memory for; sums of seconds and GiB stay in range.
inline constexpr double kMostPositive = 1e9;

/// A number above zero, of seconds, for instance.
inline const CLI::Validator kPositive(
    [](const std::string& text) -> std::string {
      double value = 0;
      const bool is_number = CLI::detail::lexical_cast(text, value);
      if (!is_number || !(value > 0)) return "takes a number above 0, not '" + text + "'";
      return value <= kMostPositive ? ""
                                    : "takes a number of at most 1000000000, not '" + text + "'";
    },
    "POSITIVE", "positive");

/// Not the empty text, which comes from an unset variable and would mean the same as no option.
inline const CLI::Validator kNotEmpty(
    [](const std::string& text) -> std::string {
      return text.empty() ? "the value is empty; name one, or leave out the option" : "";
    },
    "", "not-empty");

/// What netem may be told.
inline const CLI::Validator kWire(
    [](const std::string& text) -> std::string {
      return model::is_of_wire(text)
                 ? ""
                 : "takes what tc-netem(8) does to packets, 'loss 5% duplicate 2%' for instance, "
                   "not '" + text + "'";
    },
    "", "wire");

/// A whole number, decimal or 0x..; CLI11 would take -1 for the largest one, and 010 for 8.
inline CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto wanted = [=] {
    const auto from = " from " + std::to_string(least);
    return most == std::numeric_limits<std::uint64_t>::max() ? from + " on"
                                                             : from + " to " + std::to_string(most);
  };
  const auto check = [=](std::string& text) -> std::string {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const char* const end = text.data() + text.size();
    std::uint64_t value = 0;
    const auto [rest, error] =
        std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
    if (error != std::errc{} || rest != end || value < least || value > most)
      return "takes a whole number" + wanted() + ", not '" + text + "'";
    text = std::to_string(value);
    return "";
  };
  return CLI::Validator(check, "", "whole-number");
}

}  // namespace mrproof::conformance
