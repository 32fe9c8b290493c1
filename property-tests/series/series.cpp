#include "property-tests/series/series.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/trace/notation.hpp"
#include "property-tests/series/array_traces.hpp"
#include "property-tests/series/overlap_traces.hpp"
#include "property-tests/series/tours.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

using Kind = CaseSeries::Kind;

/// The scope has to stay where it is while its transitions are used.
struct Toured {
  explicit Toured(const CaseSeries& series)
      : scope(specs::parse_scope(series.scope, series.name)), all(scope), tours(make_tours(all)) {}
  specs::Scope scope;
  specs::Transitions all;
  std::vector<Tour> tours;
};

}  // namespace

struct SeriesTraces::Made {
  CaseSeries series;
  Capabilities<Plain> device;
  std::unique_ptr<Toured> toured;  ///< null if they are no tours
  [[nodiscard]] std::size_t size() const {
    if (series.kind == Kind::overlap) return overlap_pairs();
    return toured ? toured->tours.size() : access_array(device).rows.size();
  }
};

SeriesTraces::SeriesTraces(const CaseSeries& series, const Capabilities<Plain>& device)
    : made_(std::make_unique<Made>(Made{series, device, nullptr})) {
  if (series.kind == Kind::tours) made_->toured = std::make_unique<Toured>(series);
  if (series.cases > made_->size())
    throw model::ToolError(
        fmt::format("{} has {} cases here, not {}: run the same version of mrproof everywhere",
                    series.name, made_->size(), series.cases));
}

SeriesTraces::~SeriesTraces() = default;

model::Trace SeriesTraces::trace(std::uint64_t number) const {
  if (made_->series.kind == Kind::overlap) return overlap_trace(number, made_->series.slower);
  if (!made_->toured)
    return array_trace(access_array(made_->device).rows.at(number), made_->device);
  return tour_trace(made_->toured->all, made_->toured->tours.at(number));
}

std::vector<model::Step> SeriesTraces::without_re_registration(std::uint64_t number) const {
  if (made_->series.kind != Kind::array) return {};
  return unchanged_trace(access_array(made_->device).rows.at(number), made_->device).steps;
}

CaseSeries plan_array() { return {Kind::array, "array", access_array().rows.size()}; }

CaseSeries plan_overlap(std::string_view wire) {
  return {Kind::overlap, "overlap", overlap_pairs(), "", slowed_by(wire)};
}

void fit_series(Plan& plan, const Capabilities<Plain>& device) {
  for (auto& series : plan.series) {
    if (series.kind != Kind::array) continue;
    const auto rows = access_array(device).rows.size();
    const auto most = access_array().rows.size();
    if (series.cases != most && series.cases != rows)
      throw model::ToolError(
          fmt::format("{} has {} cases on this device, and was planned with {}: take the device "
                      "and the version "
                      "of mrproof that the run was begun with",
                      series.name, rows, series.cases));
    series.cases = rows;
  }
}

std::vector<std::string> lacking_of_series(const Plan& plan, const Capabilities<Plain>& device) {
  std::vector<std::string> lines;
  for (const auto& series : plan.series)
    if (const auto line = series.kind == Kind::array ? array_lack(device) : ""; !line.empty())
      lines.push_back(line);
  return lines;
}

std::string tour_name(const std::string& file) {
  std::string name = std::filesystem::path(file).stem().string();
  if (name.starts_with("tour-")) name.erase(0, 5);
  return "tour/" + name;
}

CaseSeries plan_tours(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad())
    throw model::ToolError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  try {
    const specs::Scope scope = specs::parse_scope(text, file);
    const specs::Transitions all(scope);
    return {Kind::tours, tour_name(file), make_tours(all).size(), text};
  } catch (const std::exception& error) {
    throw model::ToolError(error.what());
  }
}

std::string lacking(const model::Trace& trace, const Capabilities<Plain>& device) {
  const auto bits = [](const auto& word) { return static_cast<std::uint32_t>(word.value()); };
  const auto access = bits(trace.can.claimed) & ~bits(device.claimed);
  const auto features =
      bits(trace.can.features) & ~bits(device.features) & ~model::kOnDemandMissing;
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  if (access != 0) add(model::print_access(access));
  if (features != 0) add(model::print_flags(model::kFeatureNames, features));
  if (device.max_message.value() < trace.can.max_message.value())
    add(fmt::format("messages of {} bytes", trace.can.max_message.value()));
  return names.empty() ? "" : "the device lacks " + names;
}

}  // namespace mrproof::property_tests
