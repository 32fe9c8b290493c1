// Files of expectations, read and brought up to date (expectations.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "conformance/run/expectations.hpp"
#include "conformance/run/list_lines.hpp"
#include "conformance/run/read_back.hpp"
#include "model/trace/notation.hpp"
#include "model/trace/trace_scanner.hpp"

namespace mrproof::conformance {
namespace {

using model::Verdict;

constexpr std::array<std::string_view, 4> kStatusNames{"Deviates", "Hang", "Crash",
                                                       "KernelWarning"};
constexpr std::array<Verdict, 4> kStatusVerdicts{Verdict::deviates, Verdict::hang, Verdict::crash,
                                                 Verdict::kernel_warning};
constexpr std::string_view kOr = "or ", kRace = "race ", kWire = "wire ";
constexpr std::string_view kPatternLetters = "*?[](|)";

/// Whether the name begins with the word, which is taken off.
bool take_word(std::string& name, std::string_view word) {
  if (!name.starts_with(word)) return false;
  name.erase(0, word.size());
  return true;
}

Expectation parse_expectation(ListLine line) {
  Expectation e;
  e.alternative = take_word(line.name, kOr);
  e.wire = take_word(line.name, kWire);
  e.race = e.wire || take_word(line.name, kRace);
  e.line = line.number;
  e.reason = line.reason;
  const auto at = line.status.find('@');
  if (at != std::string::npos) e.place = line.status.substr(at + 1);
  const auto known = model::index_of(kStatusNames, line.status.substr(0, at));
  if (!known) line.fail("the status is none of Deviates, Hang, Crash, KernelWarning");
  e.verdict = kStatusVerdicts.at(*known);
  const auto colon = line.name.find(':');
  if (colon != std::string::npos) e.cases = line.name.substr(0, colon);
  auto parts = model::split_name(
      trimmed(std::string_view(line.name).substr(colon == std::string::npos ? 0 : colon + 1)));
  if (!parts) line.fail("the name has not three parts");
  e.rule = std::move(parts->at(0));
  e.kind = std::move(parts->at(1));
  e.broken = std::move(parts->at(2));
  if (e.rule.empty() || e.broken.empty())
    line.fail("the name has not three parts, or an empty one");
  if (e.kind.find_first_of(kPatternLetters) == std::string::npos && !model::parse_class(e.kind))
    line.fail("the class is unknown");
  if (e.verdict != Verdict::deviates &&
      e.broken.find_first_of(kPatternLetters) != std::string::npos)
    line.fail("the conditions of a call that hangs, kills or is complained of are no pattern");
  const bool may_have_place = e.verdict == Verdict::kernel_warning || e.verdict == Verdict::hang;
  const bool whole = !e.place.empty() && e.place.front() != ':' && e.place.back() != ':';
  if ((at != std::string::npos || e.broken == "-") && (!may_have_place || !whole))
    line.fail(
        "a place (KernelWarning@FILE.c, Hang@FILE.c, with or without :FUNCTION) is of warnings and "
        "hangs, and those without conditions need one");
  return e;
}

std::vector<Expectation> parse_list(const std::string& text, const std::string& file) {
  std::vector<Expectation> list;
  each_line(text, file, "RULE/CLASS/CONDITION,Deviates (or Hang, Crash, KernelWarning)",
            [&](const ListLine& line) {
              list.push_back(parse_expectation(line));
              if (list.size() == 1 && list.front().alternative)
                line.fail("an entry that begins with \"or\" is another form of the one before it");
            });
  return list;
}

std::vector<Skip> load_skips(const std::string& file) {
  std::vector<Skip> list;
  each_line(text_of_list(file), file, "CASE,Skip", [&](const ListLine& line) {
    if (line.status != "Skip") line.fail("the status is not Skip");
    if (line.name.empty()) line.fail("the case is missing");
    list.push_back({line.name, line.reason, line.number});
  });
  return list;
}

/// "DRIVER-TARGET-skips.txt" beside "DRIVER-TARGET-fails.txt"; empty where there is none. A link
/// to nothing is one that cannot be read.
std::string beside(const std::string& fails_file, const char* kind) {
  constexpr std::string_view kEnd = "-fails.txt";
  if (!fails_file.ends_with(kEnd)) return "";
  const auto file =
      fmt::format("{}-{}.txt", fails_file.substr(0, fails_file.size() - kEnd.size()), kind);
  return std::filesystem::exists(std::filesystem::symlink_status(file)) ? file : "";
}

/// The entries that the report names as unexpected, as files have them.
std::set<std::string> unexpected_entries(const nlohmann::json& report) {
  std::set<std::string> entries;
  for (const auto& d : report.at("deviations"))
    if (!d.at("expected").get<bool>() && !d.at("flaky").get<bool>())
      entries.insert(model::print_name(deviation_in(d)) + ",Deviates");
  for (const auto& i : report.at("incidents")) {
    const auto verdict = model::index_of(model::kVerdictNames, i.at("verdict").get<std::string>());
    const auto status = std::find(kStatusVerdicts.begin(), kStatusVerdicts.end(),
                                  static_cast<Verdict>(verdict.value_or(0)));
    const auto name = i.at("name").get<std::string>();
    if (!i.at("expected").get<bool>() && !name.empty() && status != kStatusVerdicts.end())
      entries.insert(
          fmt::format("{},{}", name,
                      kStatusNames.at(static_cast<std::size_t>(status - kStatusVerdicts.begin()))));
  }
  return entries;
}

}  // namespace

Expectations load_expectations(const std::string& fails_file) {
  Expectations all;
  all.fails = parse_list(text_of_list(fails_file), fails_file);
  if (const auto file = beside(fails_file, "skips"); !file.empty()) all.skips = load_skips(file);
  return all;
}

void check_expectations(const std::string& text, const std::string& file) {
  parse_list(text, file);
}

std::string print_entry(const Expectation& e) {
  const auto status = std::find(kStatusVerdicts.begin(), kStatusVerdicts.end(), e.verdict);
  return fmt::format("{}{}{}{}{}/{}/{},{}{}{}", e.alternative ? kOr : "",
                     e.wire ? kWire : (e.race ? kRace : ""), e.cases, e.cases.empty() ? "" : ": ",
                     e.rule, e.kind, e.broken,
                     kStatusNames.at(static_cast<std::size_t>(status - kStatusVerdicts.begin())),
                     e.place.empty() ? "" : "@", e.place);
}

std::string updated_expectations(const std::string& file_text, const std::string& report_json,
                                 const std::string& reason) try {
  const auto report = nlohmann::json::parse(report_json);
  const auto& cases = report.at("cases");
  if (!cases.at("all_expected").get<bool>())
    throw model::ToolError(
        "the report is not of a whole run with --full and --expect; make one first");
  const auto gone = cases.at("unmatched").get<std::set<std::string>>();
  auto added = unexpected_entries(report);
  std::string text;
  std::istringstream in(file_text);
  for (std::string line; std::getline(in, line);) {
    const auto entry = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (!entry.empty() && gone.count(entry) != 0) continue;
    text += line + "\n";
    added.erase(entry);  // as where the update is made for the second time
  }
  const auto control = [](unsigned char c) { return std::iscntrl(c) != 0; };
  if (std::any_of(reason.begin(), reason.end(), control))
    throw model::ToolError(
        "the reason has a control character in it; a reason is one line of plain text");
  if (!added.empty() && trimmed(reason).empty())
    throw model::ToolError(
        fmt::format("{} deviations are to be added, {} first; say why with --reason", added.size(),
                    *added.begin()));
  for (const auto& entry : added) text += fmt::format("{}  # {}\n", entry, reason);
  return text;
} catch (const nlohmann::json::exception& error) {
  throw model::ToolError(fmt::format("the report cannot be read: {}", error.what()));
}

}  // namespace mrproof::conformance
