#include "conformance/run/read_back.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::ifstream open(const std::string& file, const std::string& wanted_for) {
  std::ifstream in(file, std::ios::binary);
  // A folder can be opened, and then has nothing to read.
  if (in && fs::is_directory(file)) errno = EISDIR;
  if (!in || fs::is_directory(file))
    throw model::ToolError(
        fmt::format("{}: cannot be read: {}; {}", file, std::strerror(errno), wanted_for));
  return in;
}

/// What the error says, without the number that the JSON library gives it.
std::string words_of(const std::exception& error) {
  const std::string text = error.what();
  const auto end = text.find("] ");
  return text.starts_with("[json.") && end != std::string::npos ? text.substr(end + 2) : text;
}

}  // namespace

std::string folder_of(const std::string& name) {
  const fs::path path(name);
  if (path.filename() != "report.json" || fs::is_directory(path)) return name;
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

Json load_report(const std::string& file) {
  auto in = open(file, "name the report of a run");
  Json report;
  look_into(file, [&] {
    report = Json::parse(in);
    if (report.at("format") != "mrproof-report")
      throw model::ToolError("its format is " + report.at("format").dump());
    if (report.at("version") != 1)
      throw model::ToolError("its version is " + report.at("version").dump() + ", not 1");
  });
  return report;
}

void look_into(const std::string& file, const std::function<void()>& look) {
  try {
    look();
  } catch (const std::exception& error) {
    throw model::ToolError(
        fmt::format("{}: this is no report.json of mrproof run: {}; name that of a run", file,
                    words_of(error)));
  }
}

std::optional<DriverCoverage> reached_by(const std::string& report) {
  const auto file = fs::is_directory(report) ? report + "/report.json" : report;
  std::optional<DriverCoverage> reached;
  auto in = open(file, "name the report of a run");
  look_into(file, [&] {
    const Json json = Json::parse(in);
    if (json.contains("driver_coverage"))
      reached = DriverCoverage::from_json(json.at("driver_coverage"));
  });
  return reached;
}

model::Annotation deviation_in(const Json& deviation) {
  const std::string kind = deviation.at("class"), broken = deviation.at("condition");
  const auto known = model::parse_class(kind);
  if (!known) throw model::ToolError("the class of a deviation is unknown: " + kind);
  return {{deviation.at("rule"), *known, std::string_view(broken)}, model::Verdict::deviates};
}

void check_ended(const std::string& folder, const Json& report, std::uint64_t ended) {
  std::uint64_t finished = 0;
  bool gave_up = false;
  look_into(folder + "/report.json", [&] {
    finished = report.at("cases").at("finished");
    gave_up = !report.at("error").get_ref<const std::string&>().empty();
  });
  if (ended < finished && !gave_up)
    throw model::ToolError(
        fmt::format("{}/journal.jsonl: ends after {} of {} cases; is it cut off? go on with the "
                    "run by --resume, or run it again",
                    folder, ended, finished));
  if (ended > finished && !gave_up)
    throw model::ToolError(
        fmt::format("{}/journal.jsonl: has {} cases where report.json has {}; name a folder with "
                    "the journal and the report of one run",
                    folder, ended, finished));
}

void read_lines(const std::string& file, const std::string& wanted_for,
                const std::function<void(const Json&, std::size_t)>& take,
                const std::function<void()>& end) {
  auto in = open(file, wanted_for);
  std::size_t number = 0;
  try {
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (in.eof()) throw model::ToolError("the line is cut off; go on with the run by --resume");
      take(Json::parse(line), number);
    }
    end();
  } catch (const DamagedLine& error) {
    throw model::ToolError(fmt::format("{}:{}: {}", file, error.line(), error.what()));
  } catch (const std::exception& error) {
    throw model::ToolError(fmt::format("{}:{}: {}", file, number, words_of(error)));
  }
}

void JournalCase::begin(const std::string& name, const std::string& given, std::size_t line) {
  name_ = name;
  text_ = "# mrproof trace v1\n" + given;
  ends_ = {{line, text_.size()}};
}

void JournalCase::add_step(const Json& step, std::size_t line) {
  text_ += fmt::format("{} -> {}\n", step.at("call").get_ref<const std::string&>(),
                       step.at("result").get_ref<const std::string&>());
  ends_.emplace_back(line, text_.size());
}

model::Trace JournalCase::trace() const {
  try {
    return model::parse_trace(text_, name_);
  } catch (const model::TraceError& error) {
    throw DamagedLine(damaged_line(), error.what());
  }
}

/// The first line up to which the text is no trace.
std::size_t JournalCase::damaged_line() const {
  for (const auto& [line, end] : ends_) {
    try {
      model::parse_trace(text_.substr(0, end), name_);
    } catch (const model::TraceError&) {
      return line;
    }
  }
  return ends_.back().first;
}

}  // namespace mrproof::conformance
