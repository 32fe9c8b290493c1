#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "conformance/run/journal.hpp"
#include "conformance/run/read_back.hpp"
#include "model/trace/notation.hpp"
#include "property-tests/series/series.hpp"

namespace mrproof::conformance {

using Json = nlohmann::json;

namespace {

/// Whether nothing more comes of the case that the line belongs to.
bool ends_case(const Json& line) {
  const std::string record = line.at("record");
  if (record != "incident") return record == "case_end";
  return line.at("verdict") == "crash" || line.at("verdict") == "hang";
}

/// Feeds a tally with a journal's lines.
class JournalReader {
 public:
  /// Without a plan the journal's is taken for right.
  JournalReader(const property_tests::Plan* plan, Tally& tally) : tally_(tally) {
    if (plan != nullptr) plan_ = *plan;
  }

  void take(const Json& line) {
    const std::string record = line.at("record");
    if (record == "device") {
      tally_.device = parse_description(line.at("device").dump());
      const std::string given = line.value("given", "");
      tally_.can = model::parse_trace("# mrproof trace v1\n" + given, "journal").can;
      if (plan_) property_tests::fit_series(*plan_, tally_.can);
    } else if (record == "case") {
      begin_case(line.at("index"), line.at("case"));
    } else if (record == "step") {
      add_step(line);
    } else if (record == "case_end") {
      Record end;
      end.inside_ns = line.at("inside_ns");
      end.reset_ns = line.value("reset_ns", end.inside_ns);
      end.elapsed_ns = line.at("elapsed_ns");
      end.skip_reason = line.value("skipped", "");
      tally_.add_case(end);
      next_case_ = line.at("index").get<std::uint64_t>() + 1;
    } else if (record == "incident") {
      add_incident(line);
    }
  }

  [[nodiscard]] std::uint64_t next_case() const { return next_case_; }

 private:
  void begin_case(std::uint64_t index, const std::string& name) {
    if (plan_ && (index >= plan_->cases() || plan_->case_name(index) != name))
      throw model::ToolError("it belongs to another plan; give the same options as before");
    next_case_ = index;
    step_hung_ = false;
    tally_.begin_case(name);
  }

  /// A trace's line is made of the journal's texts, so that its own reader understands them.
  model::Step parse_step(const Json& line) {
    const std::string verdict = line.at("verdict");
    const std::string call = line.at("call");
    std::string bare = call, needed;  // by what it names
    if (call.size() == 1 && posted_.contains(call)) needed = posted_.at(call) + "\n";
    while (bare.starts_with("after ")) {
      if (const auto follows = posted_.find(bare.substr(6, 1));
          bare[7] == ':' && follows != posted_.end())
        needed = follows->second + "\n";
      bare.erase(0, bare.find(": ") + 2);
    }
    const std::string label = bare.substr(0, 1);
    const std::string text = fmt::format(
        "# mrproof trace v1\n{}{} -> {}\n{}", needed, call, line.at("result").get<std::string>(),
        verdict.empty() ? "" : "! " + verdict + "\n");
    if (bare.size() > 1 && bare[1] == ':')
      posted_[label] = fmt::format("{} -> {}", bare, line.at("result").get<std::string>());
    return model::parse_trace(text, "journal").steps.back();
  }

  void add_step(const Json& line) {
    const model::Step step = parse_step(line);
    step_hung_ =
        !step.annotations.empty() && step.annotations.front().verdict == model::Verdict::hang;
    Record end;
    end.index = line.at("step");
    end.inside_ns = line.at("inside_ns");
    end.elapsed_ns = line.at("elapsed_ns");
    end.rebuilt = line.at("rebuilt");
    end.process = line.value("process", std::uint8_t{0});
    if (!step.annotations.empty())
      if (const auto* rule = tally_.book->find(step.annotations.front().rule))
        if (step.annotations.front().verdict != model::Verdict::deviates)
          end.rule = static_cast<std::uint16_t>(tally_.book->index(*rule));
    if (Finding* finding = tally_.add(end, step, line.at("case")))
      finding->trace_file = trace_name(tally_.findings.size(), finding->name);
  }

  void add_incident(const Json& line) {
    Incident incident;
    const auto verdict =
        model::index_of(model::kVerdictNames, line.at("verdict").get<std::string>());
    if (!verdict) throw model::ToolError("it has an unknown verdict");
    incident.verdict = static_cast<model::Verdict>(*verdict);
    incident.case_name = line.at("case");
    incident.step = line.at("step");
    incident.call = line.at("call");
    incident.text = line.at("text");
    incident.trace_file = line.at("trace");
    const std::string name = line.at("name");
    incident.name = model::parse_name(name);
    if (!incident.name && !name.empty()) throw model::ToolError("it has an unknown name");
    if (ends_case(line) && !incident.case_name.empty()) ++next_case_;
    // What the worker saw itself was counted with its step.
    const bool of_a_step = *verdict == static_cast<std::size_t>(model::Verdict::hang) && step_hung_;
    const bool between = line.at("verdict") == "kernel_warning" && incident.case_name.empty();
    if ((ends_case(line) && !of_a_step) || between) ++tally_.counts.at(*verdict);
    tally_.add(incident);
  }

  std::optional<property_tests::Plan> plan_;
  Tally& tally_;
  std::uint64_t next_case_ = 0;
  std::map<std::string, std::string> posted_;  ///< calls in flight, by their labels
  bool step_hung_ = false;  ///< whether the last step of the case has that verdict
};

/// Tells of the first option that is another than when the run began.
void compare_begun(const Json& before, const std::string& text) {
  if (text.empty()) return;
  const Json now = Json::parse(text);
  for (const auto& [option, value] : now.items())
    if (const Json was = before.value(option, Json()); was != value)
      throw model::ToolError(fmt::format(
          "the run was begun with {} {}, not {}; give the same options, or another --out", option,
          was.dump(), value.dump()));
}

}  // namespace

Resumption read_journal(const std::string& path, const property_tests::Plan& plan,
                        const std::string& begun_with, Tally& tally) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw model::ToolError(fmt::format("{}: cannot be read: {}; there is nothing to resume", path,
                                       std::strerror(errno)));
  JournalReader reader(&plan, tally);
  Resumption resumption;
  std::vector<Json> pending;  // of a case that is not over yet
  std::uintmax_t read = 0;
  std::size_t number = 0;
  std::string line;
  for (; std::getline(in, line) && !in.eof(); line.clear()) {
    ++number;
    read += line.size() + 1;
    try {
      pending.push_back(Json::parse(line));
      if (pending.back().at("record") == "run")
        compare_begun(pending.back().at("begun_with"), begun_with);
      if (pending.back().at("record") == "case" && pending.back().at("index") >= kBehindThePlan)
        break;
      if (!ends_case(pending.back())) continue;
      for (const auto& record : pending) reader.take(record);
    } catch (const std::exception& error) {
      throw model::ToolError(fmt::format("{}:{}: {}", path, number, error.what()));
    }
    pending.clear();
    resumption.bytes = read;
  }
  // A run that was killed at once may have written half a line.
  const std::string_view begins = R"({"record":)";
  if (number == 0 && line.compare(0, begins.size(), begins, 0, line.size()) != 0)
    throw model::ToolError(fmt::format("{}:1: it is no journal; choose another --out", path));
  resumption.first_case = reader.next_case();
  return resumption;
}

std::string read_shard(const std::string& path, Tally& tally) {
  JournalReader reader(nullptr, tally);
  std::string begun_with;
  read_lines(path, "a shard is merged by its journal", [&](const Json& line, std::size_t) {
    reader.take(line);
    if (line.at("record") == "run") begun_with = line.at("begun_with").dump();
  });
  return begun_with;
}

}  // namespace mrproof::conformance
