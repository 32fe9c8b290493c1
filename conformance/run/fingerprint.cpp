#include "conformance/run/fingerprint.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "conformance/run/read_back.hpp"

namespace mrproof::conformance {
namespace {

using Json = nlohmann::json;

void add_claims(const std::string& flags, Fingerprint& fingerprint) {
  std::istringstream in(flags);
  for (std::string flag; std::getline(in, flag, '|');)
    if (flag != "0") fingerprint.entries["claims " + flag];
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
  return fmt::format("{}{:<44} {}  # {} step {}\n", mark, name, entry.call, entry.case_name,
                     entry.step + 1);
}

}  // namespace

Fingerprint load_fingerprint(const std::string& report) {
  const std::string file = std::filesystem::is_directory(report) ? report + "/report.json" : report;
  const Json loaded = load_report(file);
  Fingerprint fingerprint;
  look_into(file, [&] { fingerprint = read(loaded); });
  return fingerprint;
}

std::string print_fingerprint(const Fingerprint& fingerprint) {
  std::string text = "# mrproof fingerprint v1   " + fingerprint.target + "\n";
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

}  // namespace mrproof::conformance
