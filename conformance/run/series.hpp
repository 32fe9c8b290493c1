// Series of cases (plan.hpp): how they are planned, and their traces.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conformance/run/plan.hpp"
#include "conformance/trace/trace.hpp"

namespace mrproof {

/// What the tours of a scope's file are named: "tour/windows" of ".../tour-windows.scope".
std::string tour_name(const std::string& file);

/// The tours of a scope's file as a series: Throws ToolError if the file cannot be read or there
/// are no tours of the scope.
CaseSeries plan_tours(const std::string& file);

/// The covering array of access (array/array_traces.hpp) as a series: "array". Its scope is empty.
CaseSeries plan_array();

/// The traces of a series. Their results do not matter.
class SeriesTraces {
 public:
  /// Throws ToolError if the series has another number of cases than its maker counted: he is of
  /// another version.
  explicit SeriesTraces(const CaseSeries& series);
  ~SeriesTraces();
  SeriesTraces(const SeriesTraces&) = delete;
  SeriesTraces& operator=(const SeriesTraces&) = delete;

  /// The case of that number, from 0.
  [[nodiscard]] Trace trace(std::uint64_t number) const;

 private:
  struct Made;
  std::unique_ptr<Made> made_;
};

/// What a trace is about and the device has not: "the device lacks MW_TYPE_1"; empty if it has
/// all.
std::string lacking(const Trace& trace, const model::Capabilities<model::Plain>& device);

}  // namespace mrproof
