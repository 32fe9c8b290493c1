// Reads a run's report.json, and the lines of its journal.jsonl. Errors name the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "conformance/run/driver_coverage.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::conformance {

/// A report's folder, by its name or by that of the report.json in it.
std::string folder_of(const std::string& name);

/// Reads a report.json. Throws ToolError that names it if it cannot be read, or is no report of
/// this version.
nlohmann::json load_report(const std::string& file);

/// Calls `look`, which takes what it wants of the report. If something is missing there, throws a
/// ToolError that names the file.
void look_into(const std::string& file, const std::function<void()>& look);

/// What the run reached of the driver, by the report in its folder, or by another file of that
/// form; nothing if it does not tell. Throws ToolError.
std::optional<DriverCoverage> reached_by(const std::string& report);

/// The name of one of a report's deviations. Throws ToolError if it has a class that nobody knows.
model::Annotation deviation_in(const nlohmann::json& deviation);

/// Throws ToolError unless as many cases ended by the folder's journal as by its report.json, or
/// the report says that the tool gave up.
void check_ended(const std::string& folder, const nlohmann::json& report, std::uint64_t ended);

/// A line of a journal that cannot be understood, found out after it was read.
class DamagedLine : public std::runtime_error {
 public:
  DamagedLine(std::size_t line, const std::string& what) : std::runtime_error(what), line_(line) {}
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  std::size_t line_;
};

/// Hands each line of a journal to `take`, with its number, and calls `end`. Throws ToolError that
/// names file and line; `wanted_for` says what such a file is for.
void read_lines(
    const std::string& file, const std::string& wanted_for,
    const std::function<void(const nlohmann::json&, std::size_t)>& take,
    const std::function<void()>& end = [] {});

/// The lines of one case, which together are a trace.
class JournalCase {
 public:
  /// `given`: lines of the device and of the case.
  void begin(const std::string& name, const std::string& given, std::size_t line);
  void add_step(const nlohmann::json& step, std::size_t line);
  /// The trace. Throws DamagedLine.
  [[nodiscard]] model::Trace trace() const;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  [[nodiscard]] std::size_t damaged_line() const;

  std::string name_, text_;
  std::vector<std::pair<std::size_t, std::size_t>> ends_;  ///< a line, and how far its text goes
};

}  // namespace mrproof::conformance
