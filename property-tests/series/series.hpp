// Series of cases (plan.hpp): how they are planned, and their traces.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace/trace.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::property_tests {

/// The name of a scope file's tours: "tour/windows" for ".../tour-windows.scope".
std::string tour_name(const std::string& file);

/// The tours of a scope's file as a series. Throws ToolError if the file cannot be read or there
/// are no tours of the scope.
CaseSeries plan_tours(const std::string& file);

/// The covering array of access (array_traces.hpp) as a series: "array". It has the cases of a
/// device that can do everything until fit_series() is called.
CaseSeries plan_array();
/// Pairs of calls that overlap each other (overlap_traces.hpp): "overlap". `wire`: what befalls
/// packets (model::GuestSetup).
CaseSeries plan_overlap(std::string_view wire);

/// Gives the covering array the rows for the device. Whoever runs a plan calls this once the device
/// has said what it can do. Throws ToolError if another version planned the series.
void fit_series(Plan& plan, const model::Capabilities<model::Plain>& device);
/// Lines for a report: what no case of the plan's series can test, since the device lacks what it
/// needs.
std::vector<std::string> lacking_of_series(const Plan& plan,
                                           const model::Capabilities<model::Plain>& device);

/// The traces of a series. Their results do not matter.
class SeriesTraces {
 public:
  /// Throws ToolError if the series has another number of cases than was planned, by another
  /// version. `device`: the one that fit_series() was called for.
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

/// What the device lacks for a trace: "the device lacks MW_TYPE_1"; empty if nothing.
std::string lacking(const model::Trace& trace, const model::Capabilities<model::Plain>& device);

}  // namespace mrproof::property_tests
