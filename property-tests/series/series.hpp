// Series of cases (plan.hpp): how they are planned, and their traces.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/trace/trace.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::property_tests {

/// What the tours of a scope's file are named: "tour/windows" of ".../tour-windows.scope".
std::string tour_name(const std::string& file);

/// The tours of a scope's file as a series: Throws ToolError if the file cannot be read or there
/// are no tours of the scope.
CaseSeries plan_tours(const std::string& file);

/// The covering array of access (array/array_traces.hpp) as a series: "array". Its scope is empty,
/// and it has the cases of a device that can do everything until fit_series() is called.
CaseSeries plan_array();

/// Gives the covering array the cases that the device has: which rows it has depends on that. Who
/// runs a plan does so once the device has said what it can do. Throws ToolError if the series was
/// planned by another version.
void fit_series(Plan& plan, const model::Capabilities<model::Plain>& device);
/// What of the plan's series no case is about for want of something that the device lacks: lines
/// for a report.
std::vector<std::string> lacking_of_series(const Plan& plan,
                                           const model::Capabilities<model::Plain>& device);

/// The traces of a series. Their results do not matter.
class SeriesTraces {
 public:
  /// Throws ToolError if the series has another number of cases than its maker counted: he is of
  /// another version. `device`: for which fit_series() was called.
  SeriesTraces(const CaseSeries& series, const model::Capabilities<model::Plain>& device);
  ~SeriesTraces();
  SeriesTraces(const SeriesTraces&) = delete;
  SeriesTraces& operator=(const SeriesTraces&) = delete;

  /// The case of that number, from 0.
  [[nodiscard]] model::Trace trace(std::uint64_t number) const;
  /// The calls that take the place of all that follow in it, once the device has refused to
  /// re-register a region as what it does not support, or that may not be asked of it; empty: none.
  [[nodiscard]] std::vector<model::Step> without_re_registration(std::uint64_t number) const;

 private:
  struct Made;
  std::unique_ptr<Made> made_;
};

/// What a trace is about and the device has not: "the device lacks MW_TYPE_1"; empty if it has
/// all.
std::string lacking(const model::Trace& trace, const model::Capabilities<model::Plain>& device);

}  // namespace mrproof::property_tests
