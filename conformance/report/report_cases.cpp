#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/report/report.hpp"
#include "model/trace/notation.hpp"

namespace mrproof::conformance {

using namespace model;
using Json = nlohmann::ordered_json;

namespace {

/// What a case is to those who only ask whether it passed.
enum class Ending : std::uint8_t { passed, failed, broke, nothing_learnt };

Ending ending_of(const CaseOutcome& outcome) {
  if (!outcome.skip_reason.empty()) return Ending::nothing_learnt;
  switch (outcome.verdict()) {
    case Verdict::conforms: return Ending::passed;
    case Verdict::unsupported:
    case Verdict::inconclusive: return Ending::nothing_learnt;
    case Verdict::deviates: return outcome.expected ? Ending::passed : Ending::failed;
    default: return outcome.expected ? Ending::passed : Ending::broke;
  }
}

/// Its verdict, or why there is none.
std::string verdict_name(const CaseOutcome& outcome) {
  if (!outcome.skip_reason.empty()) return outcome.skip_reason;
  return std::string(kVerdictNames.at(static_cast<std::size_t>(outcome.verdict())));
}

std::string joined(const std::vector<std::string>& names, const char* separator) {
  return fmt::format("{}", fmt::join(names, separator));
}

/// "scenarios.dereg_mr" and "ok-not-no_bound_window" of a name with slashes.
std::pair<std::string, std::string> split_case_name(const std::string& name) {
  const auto slash = name.rfind('/');
  if (slash == std::string::npos) return {"case", name};
  std::string group = name.substr(0, slash);
  std::replace(group.begin(), group.end(), '/', '.');
  return {group, name.substr(slash + 1)};
}

std::string junit_case(const std::string& name, const std::string& inside) {
  const auto [group, last] = split_case_name(name);
  const auto text = fmt::format("  <testcase classname=\"mrproof.{}\" name=\"{}\"", escaped(group),
                                escaped(last));
  return text + (inside.empty() ? "/>\n" : ">\n    " + inside + "\n  </testcase>\n");
}

std::string junit_inside(const CaseOutcome& outcome) {
  const auto seen = escaped(joined(outcome.seen, "\n"));
  const auto verdict = verdict_name(outcome);
  switch (ending_of(outcome)) {
    case Ending::passed:
      return seen.empty() ? "" : "<system-out>expected: " + seen + "</system-out>";
    case Ending::nothing_learnt: return fmt::format("<skipped message=\"{}\"/>", escaped(verdict));
    case Ending::failed:
      return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", verdict,
                         escaped(outcome.seen.front()), seen);
    case Ending::broke: break;
  }
  return fmt::format("<error type=\"{}\" message=\"{}\">{}</error>", verdict,
                     escaped(outcome.seen.front()), seen);
}

/// Those of cases, and of what happened between two cases.
std::vector<CaseOutcome> all_outcomes(const Tally& tally) {
  auto outcomes = tally.outcomes;
  for (const auto& incident : tally.incidents) {
    if (!incident.case_name.empty() || incident.verdict == Verdict::inconclusive) continue;
    CaseOutcome outcome;
    outcome.name =
        fmt::format("between-cases/incident-{}", outcomes.size() - tally.outcomes.size() + 1);
    outcome.counts.at(static_cast<std::size_t>(incident.verdict)) = 1;
    outcome.seen = {incident.case_entry() + incident.text};
    outcome.expected = !incident.expected_reason.empty();
    outcomes.push_back(outcome);
  }
  return outcomes;
}

std::size_t count(const std::vector<CaseOutcome>& outcomes, Ending ending) {
  return static_cast<std::size_t>(std::count_if(
      outcomes.begin(), outcomes.end(), [&](const auto& o) { return ending_of(o) == ending; }));
}

std::string finding_rows(const Tally& tally, bool counts, std::size_t& left) {
  std::string rows;
  for (const auto& f : tally.findings) {
    if (f.counts() != counts || left == 0) continue;
    --left;
    const char* what = f.flaky ? "flaky" : f.counts() ? "**unexpected**" : "expected";
    rows += fmt::format("| `{}` | {} | {} | {} |\n", model::print_annotation(f.name), f.count, what,
                        f.counts() || f.flaky ? "`" + f.trace_file + "`" : f.expected_reason);
  }
  return rows;
}

std::string incident_lines(const Tally& tally, bool expected) {
  std::string lines;
  for (const auto& i : tally.incidents)
    if (expected == !i.expected_reason.empty())
      lines += fmt::format("\n- {}{}: `{}` in {} step {}: {}",
                           kVerdictNames.at(static_cast<std::size_t>(i.verdict)),
                           expected ? " (expected)" : "", i.call, i.case_name, i.step, i.text);
  return lines.empty() ? lines : lines + "\n";
}

}  // namespace

std::string report_junit(const Tally& tally, const RunFacts& facts) {
  const auto outcomes = all_outcomes(tally);
  std::string cases;
  for (const auto& outcome : outcomes) cases += junit_case(outcome.name, junit_inside(outcome));
  for (const auto& name : facts.missing)
    cases += junit_case(name, "<error type=\"missing\" message=\"planned, and never ended\"/>");
  for (const auto& line : facts.drift)
    cases += junit_case("pin/" + line.substr(0, line.find("  ")),
                        fmt::format("<failure type=\"drift\" message=\"{}\"/>", escaped(line)));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"mrproof\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "skipped=\"{}\" time=\"{:.3f}\">\n{}</testsuite>\n",
      outcomes.size() + facts.missing.size() + facts.drift.size(),
      count(outcomes, Ending::failed) + facts.drift.size(),
      count(outcomes, Ending::broke) + facts.missing.size(),
      count(outcomes, Ending::nothing_learnt), facts.seconds, cases);
}

std::string report_ktap(const Tally& tally, const RunFacts& facts) {
  const auto outcomes = all_outcomes(tally);
  std::string text = fmt::format("KTAP version 1\n1..{}\n", outcomes.size() + facts.missing.size());
  std::size_t number = 0;
  for (const auto& outcome : outcomes) {
    const Ending ending = ending_of(outcome);
    const bool passed = ending == Ending::passed || ending == Ending::nothing_learnt;
    for (const auto& name : outcome.seen) text += "# " + name + "\n";
    text += fmt::format("{} {} {}", passed ? "ok" : "not ok", ++number, outcome.name);
    if (ending == Ending::nothing_learnt) text += " # SKIP " + verdict_name(outcome);
    if (passed && !outcome.seen.empty()) text += " # XFAIL";
    text += "\n";
  }
  for (const auto& name : facts.missing)
    text += fmt::format("# planned, and never ended\nnot ok {} {}\n", ++number, name);
  return text;
}

std::string report_markdown(const property_tests::Plan& plan, const Tally& tally,
                            const RunFacts& facts) {
  const auto& d = tally.device;
  const auto outcomes = all_outcomes(tally);
  std::string text =
      fmt::format("## mrproof: {} ({}), kernel {}, rdma-core {}\n\n", d.device, d.driver, d.kernel,
                  d.rdma_core) +
      fmt::format(
          "{} of {} cases, {} steps: {} passed, {} failed, {} broke, {} learnt nothing, {} "
          "missing.\n",
          outcomes.size(), facts.planned(plan), tally.steps, count(outcomes, Ending::passed),
          count(outcomes, Ending::failed), count(outcomes, Ending::broke),
          count(outcomes, Ending::nothing_learnt), facts.missing.size());
  for (const auto& line : facts.lacking) text += "\n" + line + "\n";
  if (!facts.error.empty()) text += "\nGave up: " + facts.error + "\n";
  text += incident_lines(tally, false);
  std::size_t left = 60;
  const std::string rows = finding_rows(tally, true, left) + finding_rows(tally, false, left);
  if (!rows.empty())
    text += "\n| deviation | times | | trace or reason |\n|---|---|---|---|\n" + rows;
  text += incident_lines(tally, true);
  for (const auto& name : facts.unmatched) text += "\n- expected and never met: `" + name + "`";
  for (const auto& line : facts.drift) text += "\n- chosen otherwise than pinned: `" + line + "`";
  return text + (text.ends_with("\n") ? "" : "\n");
}

std::string report_sarif(const Tally& tally) {
  Json results = Json::array();
  for (const auto& f : tally.findings) {
    if (!f.counts()) continue;
    const Json place = {
        {"physicalLocation",
         {{"artifactLocation", {{"uri", f.trace_file}}}, {"region", {{"startLine", 1}}}}}};
    results.push_back({{"ruleId", print_name(f.name)},
                       {"level", "error"},
                       {"message", {{"text", f.call + " -> " + f.result}}},
                       {"locations", Json::array({place})}});
  }
  const Json driver = {{"driver", {{"name", "mrproof"}}}};
  const Json run = {{"tool", driver}, {"results", results}};
  const Json sarif = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({run})}};
  return sarif.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mrproof::conformance
