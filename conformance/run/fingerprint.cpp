#include "conformance/run/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "conformance/run/read_back.hpp"
#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFirstLine = "# mrproof fingerprint v1";
constexpr std::string_view kClaims = "claims ";

void add_claims(const std::string& flags, Fingerprint& fingerprint) {
  std::istringstream in(flags);
  for (std::string flag; std::getline(in, flag, '|');)
    if (flag != "0") fingerprint.entries[std::string(kClaims) + flag];
}

Fingerprint read(const Json& report) {
  const Json& target = report.at("target");
  Fingerprint fingerprint;
  fingerprint.target = fmt::format(
      "{}, kernel {}, rdma-core {}", target.at("driver").get<std::string>(),
      target.at("kernel").get<std::string>(), target.at("rdma_core").get<std::string>());
  fingerprint.dialect = report.at("dialect");
  add_claims(report.at("capabilities").at("access"), fingerprint);
  add_claims(report.at("capabilities").at("features"), fingerprint);
  for (const Json& choice : report.at("choices")) {
    const std::string answer = choice.at("answer");
    const std::string name =
        choice.at("rule").get<std::string>() + (answer.empty() ? "" : ": " + answer);
    fingerprint.entries[name] = {choice.at("call"), choice.at("case"), choice.at("step")};
  }
  for (const Json& d : report.at("deviations"))
    fingerprint.entries[model::print_annotation(deviation_in(d))] = {d.at("call"), d.at("case"),
                                                                     d.at("first_step")};
  for (const Json& i : report.at("incidents"))
    if (const std::string name = i.at("name"); !name.empty())
      fingerprint.entries[i.at("verdict").get<std::string>() + " " + name] = {
          i.at("call"), i.at("case"), i.at("step")};
  return fingerprint;
}

std::string line_of(const char* mark, const std::string& name, const FingerprintEntry& entry) {
  if (entry.call.empty()) return fmt::format("{}{}\n", mark, name);
  return fmt::format("{}{:<44}  {}  # {} step {}\n", mark, name, entry.call, entry.case_name,
                     entry.step + 1);
}

/// Whether the entry is of a deviation or of trouble: those are expected, or not, on their own.
bool is_verdict(const std::string& name) {
  const auto word = name.substr(0, name.find(' '));
  constexpr auto& kNames = model::kVerdictNames;
  return std::find(kNames.begin(), kNames.end(), word) != kNames.end();
}

/// Packets are lost on purpose, or are not: that is how the run was made.
bool is_of_the_run(const std::string& name) { return name == "claims LOSSLESS"; }

}  // namespace

Fingerprint load_fingerprint(const std::string& report) {
  const std::string file = std::filesystem::is_directory(report) ? report + "/report.json" : report;
  const Json loaded = load_report(file);
  Fingerprint fingerprint;
  look_into(file, [&] { fingerprint = read(loaded); });
  return fingerprint;
}

Fingerprint fingerprint_of(const std::string& report) { return read(Json::parse(report)); }

std::string print_fingerprint(const Fingerprint& fingerprint) {
  std::string text = std::string(kFirstLine) + "   " + fingerprint.target + "\n";
  for (const auto& [name, entry] : fingerprint.entries) text += line_of("", name, entry);
  return text;
}

std::map<std::string, FingerprintEntry> only_in(const Fingerprint& first,
                                                const Fingerprint& second) {
  auto entries = first.entries;
  std::erase_if(entries, [&](const auto& entry) { return second.entries.contains(entry.first); });
  return entries;
}

std::string print_changes(const Fingerprint& first, const Fingerprint& second) {
  std::string text;
  for (const auto& [name, entry] : only_in(first, second)) text += line_of("- ", name, entry);
  for (const auto& [name, entry] : only_in(second, first)) text += line_of("+ ", name, entry);
  if (text.empty()) return text;
  return fmt::format("--- {}\n+++ {}\n{}", first.target, second.target, text);
}

Pin load_pin(const std::string& file) {
  std::ifstream in(file);
  const auto fail = [&](int line, const char* what) {
    throw model::ToolError(fmt::format(
        "{}:{}: {}; write the file by: mrproof fingerprint REPORT >{}", file, line, what, file));
  };
  if (!in) fail(1, "cannot be read");
  Pin pin;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    if (++number == 1 && !line.starts_with(kFirstLine)) fail(1, "is no fingerprint");
    if (line.empty() || line.starts_with('#')) continue;
    const auto name = line.substr(0, line.find("  "));
    if (name.find_first_of(". ") == std::string::npos) fail(number, "is no entry of a fingerprint");
    pin.insert(name);
  }
  if (number == 0) fail(1, "is empty");
  return pin;
}

std::vector<std::string> drift(const Pin& pin, const Fingerprint& now) {
  std::vector<std::string> lines;
  for (const auto& name : pin)
    if (name.starts_with(kClaims) && !is_of_the_run(name) && !now.entries.contains(name))
      lines.push_back("no longer " + name);
  for (const auto& [name, entry] : now.entries) {
    if (is_verdict(name) || is_of_the_run(name) || pin.contains(name)) continue;
    auto line = line_of("", name, entry);
    line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace mrproof::conformance
