// What a run has covered of the model: rules, conditions that decide alone, and scopes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conformance/report/scope_coverage.hpp"
#include "specs/deciding.hpp"

namespace mrproof::conformance {

/// A name of something that was not covered, and why: "the device lacks ON_DEMAND", "open 12
/// times, and another rule was taken"; or empty: nothing in the run came to it.
struct Uncovered {
  std::string name;
  std::string why;
};

/// What a run has covered.
struct ModelCoverage {
  std::string dialect;                    ///< by whose rules the run was judged
  model::Capabilities<model::Plain> can;  ///< what the device claims, and what it has shown
  std::size_t cases = 0, steps = 0;
  std::size_t rules = 0, rules_taken = 0;
  std::vector<Uncovered> rules_left;
  /// A rule and one of its conditions, that condition having decided alone.
  std::size_t conditions = 0, conditions_alone = 0;
  std::vector<Uncovered> conditions_left;
  /// The same, of what can be in one of the scopes; there are no reasons not to have these.
  std::size_t scope_conditions = 0, scope_conditions_alone = 0;
  std::vector<std::string> scope_conditions_left;
  std::vector<std::pair<std::string, ScopeFigures>> scopes;  ///< by the name of their tours
  std::vector<MissedTraces> missed;            ///< of each scope, if they were asked for
  std::map<std::string, std::string> reasons;  ///< of expected deviations, by name

  /// Whether the run made all of the scopes' transitions that the device can make.
  [[nodiscard]] bool complete() const;
};

/// Covers what the report folder's journal says was done, in the scopes of the files. `known`:
/// calls that are known to make trouble, beside those that did in this run. `scenarios`: folders of
/// traces that the run had, to see which of their calls were left out. `missed`: whether to make
/// traces of missed calls. Throws ToolError.
ModelCoverage cover(const std::string& folder, const std::vector<std::string>& scopes,
                    std::vector<model::DeviationName> known,
                    const std::vector<std::string>& scenarios = {}, bool missed = false);

/// For people: what is left is listed as far as it fits, or (`all`) whole.
std::string coverage_text(const ModelCoverage& coverage, bool all);
/// Version 1; conformance/README.md has the fields.
std::string coverage_json(const ModelCoverage& coverage);

/// What a case is run on: the device, and the memory that there is.
specs::DeviceParts parts_of(const model::Capabilities<model::Plain>& can);

}  // namespace mrproof::conformance
