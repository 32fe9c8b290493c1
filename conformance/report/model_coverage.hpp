// What a run has covered of the model: rules, conditions that decide alone, and scopes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conformance/report/scope_coverage.hpp"

namespace mrproof::conformance {

/// Something that was not covered.
struct Uncovered {
  std::string name;
  /// "the device lacks ADVISE_MR", of the verb; "open 12 times, and another rule was taken"; or
  /// empty: not reached.
  std::string why;
};

/// What a run has covered.
struct ModelCoverage {
  std::string dialect;  ///< by whose rules the run was judged
  std::size_t cases = 0, steps = 0;
  std::size_t rules = 0, rules_taken = 0;
  std::vector<Uncovered> rules_left;
  /// A rule and one of its conditions, that condition having decided alone.
  std::size_t conditions = 0, conditions_alone = 0;
  std::vector<Uncovered> conditions_left;
  /// The same, of what can be in one of the scopes on this device.
  std::size_t scope_conditions = 0, scope_conditions_alone = 0;
  std::vector<std::string> scope_conditions_left;
  std::vector<std::pair<std::string, ScopeFigures>> scopes;  ///< by the name of their tours
  std::vector<MissedTraces> missed;            ///< of each scope, if they were asked for
  std::map<std::string, std::string> reasons;  ///< of expected deviations, by name

  /// Whether the run made all of the scopes' transitions that the device can make.
  [[nodiscard]] bool complete() const;
};

/// Covers what the report folder's journal says was done, in the scopes of the files. `known`:
/// calls that are known to make trouble, beside those that did in this run. `missed`: whether to
/// make traces of missed calls. Throws ToolError.
ModelCoverage cover(const std::string& folder, const std::vector<std::string>& scopes,
                    std::vector<property_tests::KnownDeviation> known, bool missed = false);

/// For people: what is left is listed as far as it fits, or (`all`) whole.
std::string coverage_text(const ModelCoverage& coverage, bool all);
/// Version 1; conformance/README.md has the fields.
std::string coverage_json(const ModelCoverage& coverage);

}  // namespace mrproof::conformance
