// Deviations by their names: what a walk need not meet again.
#pragma once

#include <string>
#include <vector>

#include "model/judge/judge.hpp"

namespace mrproof::property_tests {

/// A deviation by its name: what the walk need not meet again. Of a call that hangs, crashes or
/// makes the kernel complain: the rule of its success, kind "trouble", and the names that
/// trouble_name() gives.
struct KnownDeviation {
  static constexpr const char* kTrouble = "trouble";
  std::string rule;
  std::string kind;
  std::string broken;
  friend bool operator==(const KnownDeviation&, const KnownDeviation&) = default;
};

/// Whether all of `known`'s names, joined by '+', are among `names`: what is known to make trouble
/// makes it whatever else is wrong. "-" covers "-" only.
bool covers(const std::string& known, const std::string& names);

/// The names of what the judgement calls broken, joined by '+'.
std::string joined_names(const model::Judgement& judgement);

/// What judge_trouble() names for the call of the view, joined by '+'; "-" if nothing.
std::string trouble_name(const model::Rulebook& book, const model::PlainView& view);

/// Whether the call of the view is known to hang, to crash or to make the kernel complain.
bool is_known_trouble(const std::vector<KnownDeviation>& known, const model::Rulebook& book,
                      const model::PlainView& view);

}  // namespace mrproof::property_tests
