#include "conformance/run/changed_traces.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

using Json = nlohmann::json;

/// Reads records one after the other.
class Collector {
 public:
  Collector(const std::map<std::string, FingerprintEntry>& entries, const std::string& dialect)
      : entries_(entries) {
    if (dialect != "linux") dialect_ = fmt::format("given dialect({})\n", dialect);
  }

  void add(const Json& record) {
    const std::string kind = record.at("record");
    if (kind == "device") can_ = record.at("given");
    if (kind == "case") {
      case_ = record.at("case");
      given_ = record.at("given");
      steps_.clear();
    }
    if (kind == "step") add_step(record);
    if (kind == "incident") add_incident(record);
  }

  std::map<std::string, std::string> traces() && { return std::move(traces_); }

 private:
  void add_step(const Json& record) {
    const std::string call = record.at("call"), result = record.at("result");
    const std::string verdict = record.at("verdict");
    steps_.push_back(call + (result.empty() ? "" : " -> " + result) + "\n");
    if (verdict.starts_with("deviates ")) return found(verdict, verdict);
    const std::string rule = verdict.substr(verdict.find(' ') + 1);
    found(result.starts_with("refused ") ? rule + ": " + result : rule, verdict);
  }

  /// A call that has no result: the entry says where it was made.
  void add_incident(const Json& record) {
    if (!record.contains("call") || record.at("case") != case_) return;
    const std::string verdict = record.at("verdict");
    for (const auto& [name, entry] : entries_) {
      if (!name.starts_with(verdict + " ") || entry.case_name != case_ ||
          entry.call != record.at("call").get_ref<const std::string&>())
        continue;
      if (steps_.empty() || !steps_.back().starts_with(entry.call))
        steps_.push_back(entry.call + "\n");
      found(name, name);
    }
  }

  void found(const std::string& name, const std::string& verdict) {
    if (!entries_.contains(name)) return;
    const auto [length, is_first] = lengths_.try_emplace(name, steps_.size());
    if (!is_first && length->second <= steps_.size()) return;
    length->second = steps_.size();
    std::string& text = traces_[name] = "# mrproof trace v1\n# from " + case_ + "\n";
    text += dialect_ + can_ + given_;
    for (const auto& step : steps_) text += step;
    text += "! " + verdict + "\n";
  }

  const std::map<std::string, FingerprintEntry>& entries_;
  std::string dialect_, can_, case_, given_;
  std::vector<std::string> steps_;
  std::map<std::string, std::size_t> lengths_;
  std::map<std::string, std::string> traces_;
};

}  // namespace

std::map<std::string, std::string> shortest_traces(
    const std::string& folder, const std::map<std::string, FingerprintEntry>& entries,
    const std::string& dialect) {
  const std::string file = folder + "/journal.jsonl";
  std::ifstream in(file);
  if (!in)
    throw model::ToolError(
        fmt::format("{}: cannot be read: {}; traces take a run's folder with its journal", file,
                    std::strerror(errno)));
  Collector collector(entries, dialect);
  std::size_t number = 0;
  try {
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (!line.empty()) collector.add(Json::parse(line));
    }
  } catch (const Json::exception& error) {
    throw model::ToolError(
        fmt::format("{}:{}: no record of a journal: {}", file, number, error.what()));
  }
  return std::move(collector).traces();
}

}  // namespace mrproof::conformance
