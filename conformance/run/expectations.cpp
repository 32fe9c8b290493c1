#include "conformance/run/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include "conformance/trace/notation.hpp"

namespace mrproof {
namespace {

using model::Verdict;

constexpr std::array<std::string_view, 4> kStatusNames{"Deviates", "Hang", "Crash",
                                                       "KernelWarning"};
constexpr std::array<Verdict, 4> kStatusVerdicts{Verdict::deviates, Verdict::hang, Verdict::crash,
                                                 Verdict::kernel_warning};

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") + 1 - first));
}

Expectation parse_line(const std::string& text, const std::string& file, std::size_t number) {
  const auto fail = [&](const char* what) {
    throw ToolError(fmt::format(
        "{}:{}: {}; write RULE/CLASS/CONDITION,Deviates (or Hang, Crash, KernelWarning)  # reason",
        file, number, what));
  };
  const auto hash = text.find('#');
  Expectation e;
  e.line = number;
  e.reason = hash == std::string::npos ? "" : trimmed(std::string_view(text).substr(hash + 1));
  if (e.reason.empty()) fail("the reason is missing");
  const std::string entry = trimmed(std::string_view(text).substr(0, hash));
  const auto comma = entry.find(',');
  const std::string status = comma == std::string::npos ? "" : entry.substr(comma + 1);
  const auto known = index_of(kStatusNames, status);
  if (!known) fail("the status is none of Deviates, Hang, Crash, KernelWarning");
  e.verdict = kStatusVerdicts.at(*known);
  const auto first = entry.find('/');
  const auto second = first == std::string::npos ? first : entry.find('/', first + 1);
  if (second == std::string::npos || second > comma || entry.find('/', second + 1) < comma)
    fail("the name has not three parts");
  e.rule = entry.substr(0, first);
  e.kind = entry.substr(first + 1, second - first - 1);
  e.broken = entry.substr(second + 1, comma - second - 1);
  if (e.rule.empty() || e.broken.empty()) fail("the name has not three parts, or an empty one");
  if (!index_of(model::kClassNames, e.kind)) fail("the class is unknown");
  return e;
}

bool is_of(const Expectation& e, const Finding& finding) {
  return e.verdict == Verdict::deviates && e.rule == finding.name.rule &&
         e.kind == finding.name.kind && e.broken == finding.name.broken;
}

/// A case is as expected if all is that was seen in it.
void mark_cases(Tally& tally) {
  std::set<std::string> known;
  for (const auto& f : tally.findings)
    if (!f.counts()) known.insert(print_annotation(f.name));
  for (const auto& i : tally.incidents)
    if (!i.expected_reason.empty()) known.insert(i.case_entry());
  for (auto& outcome : tally.outcomes)
    outcome.expected = std::all_of(outcome.seen.begin(), outcome.seen.end(),
                                   [&](const auto& name) { return known.count(name) != 0; });
}

}  // namespace

std::vector<Expectation> load_expectations(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw ToolError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  std::vector<Expectation> expectations;
  std::size_t number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    const auto start = text.find_first_not_of(" \t\r");
    if (start == std::string::npos || text[start] == '#') continue;
    expectations.push_back(parse_line(text, file, number));
  }
  return expectations;
}

void avoid_expected(const std::vector<Expectation>& expectations, WalkOptions& walk) {
  for (const auto& e : expectations)
    if (e.verdict != Verdict::deviates && e.broken != "-")
      walk.known.push_back(
          {e.rule.substr(0, e.rule.find('.')) + ".ok", KnownDeviation::kTrouble, e.broken});
}

void mark_expected(const std::vector<Expectation>& expectations, Tally& tally) {
  for (const auto& e : expectations) {
    for (auto& finding : tally.findings)
      if (is_of(e, finding)) finding.expected_reason = e.reason;
    const std::string begin = e.rule + "/" + e.kind + "/";
    for (auto& incident : tally.incidents)
      if (e.verdict == incident.verdict && incident.name.starts_with(begin) &&
          covers(e.broken, incident.name.substr(begin.size())))
        incident.expected_reason = e.reason;
  }
  mark_cases(tally);
}

std::vector<Expectation> unmatched(const std::vector<Expectation>& expectations,
                                   const Tally& tally) {
  std::set<std::string> met;
  for (const auto& f : tally.findings) met.insert(f.expected_reason);
  std::vector<Expectation> left;
  for (const auto& e : expectations)
    if (e.verdict == Verdict::deviates && met.count(e.reason) == 0) left.push_back(e);
  return left;
}

std::string print_entry(const Expectation& e) {
  const auto status = std::find(kStatusVerdicts.begin(), kStatusVerdicts.end(), e.verdict);
  return fmt::format("{}/{}/{},{}", e.rule, e.kind, e.broken,
                     kStatusNames.at(static_cast<std::size_t>(status - kStatusVerdicts.begin())));
}

}  // namespace mrproof
