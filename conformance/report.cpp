#include "conformance/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/notation.hpp"

namespace mrproof {

using namespace model;
using Json = nlohmann::ordered_json;

namespace {

Json counts_json(const Tally& tally) {
  Json counts;
  for (std::size_t i = 0; i < kVerdicts; ++i)
    counts[std::string(kVerdictNames.at(i))] = tally.counts.at(i);
  return counts;
}

Json findings_json(const Tally& tally) {
  Json all = Json::array();
  for (const auto& f : tally.findings)
    all.push_back({{"rule", f.name.rule},
                   {"condition", f.name.broken},
                   {"class", f.name.kind},
                   {"count", f.count},
                   {"expected", !f.expected_reason.empty()},
                   {"reason", f.expected_reason},
                   {"case", f.case_name},
                   {"first_step", f.step},
                   {"call", f.call},
                   {"result", f.result},
                   {"trace", f.trace_file}});
  return all;
}

Json incidents_json(const Tally& tally) {
  Json all = Json::array();
  for (const auto& i : tally.incidents)
    all.push_back({{"verdict", kVerdictNames.at(static_cast<std::size_t>(i.verdict))},
                   {"case", i.case_name},
                   {"step", i.step},
                   {"name", i.name},
                   {"expected", !i.expected_reason.empty()},
                   {"reason", i.expected_reason},
                   {"call", i.call},
                   {"text", i.text},
                   {"trace", i.trace_file}});
  return all;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

/// The unexpected deviations from a rule, as JUnit failures.
std::string junit_failures(const Tally& tally, std::string_view rule) {
  std::string text;
  for (const auto& f : tally.findings) {
    if (f.name.rule != rule || !f.expected_reason.empty()) continue;
    text += fmt::format(
        "    <failure type=\"{}\" message=\"{}\">{} -&gt; {}\n{} times; first in "
        "{} step {}; trace {}</failure>\n",
        f.name.kind, escaped(f.name.broken), escaped(f.call), escaped(f.result), f.count,
        escaped(f.case_name), f.step, escaped(f.trace_file));
  }
  return text;
}

std::string junit_case(std::string_view verb, std::string_view name, const std::string& inside) {
  const auto text = fmt::format("  <testcase classname=\"mrproof.{}\" name=\"{}\"", verb, name);
  return text + (inside.empty() ? "/>\n" : ">\n" + inside + "  </testcase>\n");
}

/// One test case for each rule.
std::string junit_rules(const Tally& tally) {
  std::string text;
  for (std::size_t i = 0; i < tally.judged.size(); ++i) {
    const PlainRule& rule = *tally.book->rules()[i];
    std::string inside = junit_failures(tally, rule.id);
    if (inside.empty() && tally.judged.at(i) == 0)
      inside = "    <skipped message=\"never judged in this run\"/>\n";
    text += junit_case(kVerbNames.at(static_cast<std::size_t>(rule.verb)), rule.id, inside);
  }
  return text;
}

/// One test case for each outcome seen that no rule knows.
std::string junit_unknown(const Tally& tally, std::size_t& cases) {
  std::string text;
  std::set<std::string> names;
  for (const auto& f : tally.findings)
    if (tally.book->find(f.name.rule) == nullptr && f.expected_reason.empty())
      names.insert(f.name.rule);
  for (const auto& name : names)
    text += junit_case("unknown", escaped(name), junit_failures(tally, name));
  cases += names.size();
  return text;
}

/// Unexpected deviations in full, then the expected ones, a line each.
std::string findings_text(const Tally& tally) {
  std::string text;
  std::string expected;
  for (const auto& f : tally.findings) {
    const auto name = print_annotation(f.name);
    if (!f.expected_reason.empty()) {
      expected += fmt::format("  {} ({}x): {}\n", name, f.count, f.expected_reason);
      continue;
    }
    text +=
        fmt::format("\n{}: {} ({}x)\n  {} -> {}\n", name,
                    f.trace_file.empty() ? f.case_name : f.trace_file, f.count, f.call, f.result);
    for (const auto& remark : f.remarks) text += "  " + remark + "\n";
  }
  return expected.empty() ? text : text + "\nexpected:\n" + expected;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f ? '?' : c;
    }
  }
  return out;
}

std::string report_json(const Plan& plan, const Tally& tally, const RunFacts& facts) {
  const auto& d = tally.device;
  Json rules = Json::array();
  for (std::size_t i = 0; i < tally.judged.size(); ++i)
    rules.push_back({{"rule", tally.book->rules()[i]->id}, {"judged", tally.judged.at(i)}});
  const Json report = {{"format", "mrproof-report"},
                       {"version", 1},
                       {"target",
                        {{"device", d.device},
                         {"driver", d.driver},
                         {"kernel", d.kernel},
                         {"rdma_core", d.rdma_core},
                         {"firmware", d.firmware},
                         {"place", facts.place}}},
                       {"dialect", plan.dialect},
                       {"seed", plan.seed},
                       {"seeds", plan.seeds},
                       {"steps", tally.steps},
                       {"cases", {{"planned", plan.cases()}, {"finished", tally.cases}}},
                       {"cut_short", facts.cut_short},
                       {"error", facts.error},
                       {"counts", counts_json(tally)},
                       {"rules", rules},
                       {"deviations", findings_json(tally)},
                       {"incidents", incidents_json(tally)},
                       {"timing",
                        {{"seconds", facts.seconds},
                         {"boot_seconds", facts.boot_seconds},
                         {"steps_per_second", tally.steps_per_second()},
                         {"undisturbed_steps_per_second", tally.undisturbed_steps_per_second()},
                         {"inside_share", tally.inside_share()}}}};
  // What kernels print may be no UTF-8.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string report_junit(const Tally& tally, const RunFacts& facts) {
  std::size_t tests = tally.judged.size();
  std::string cases = junit_rules(tally) + junit_unknown(tally, tests);
  std::size_t errors = 0;
  for (const auto& i : tally.incidents) {
    if (i.verdict == Verdict::inconclusive || !i.expected_reason.empty()) continue;
    const auto verdict = kVerdictNames.at(static_cast<std::size_t>(i.verdict));
    cases += junit_case("incident", fmt::format("{} {}", verdict, ++errors),
                        fmt::format("    <error type=\"{}\" message=\"{}\">{}</error>\n", verdict,
                                    escaped(i.text), escaped(i.call)));
  }
  const auto failures = std::count_if(tally.findings.begin(), tally.findings.end(),
                                      [](const auto& f) { return f.expected_reason.empty(); });
  std::size_t skipped = 0;
  for (std::size_t at = cases.find("<skipped"); at != std::string::npos;
       at = cases.find("<skipped", at + 1))
    ++skipped;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"mrproof\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "skipped=\"{}\" time=\"{:.3f}\">\n{}</testsuite>\n",
      tests + errors, failures, errors, skipped, facts.seconds, cases);
}

std::string report_text(const Plan& plan, const Tally& tally, const RunFacts& facts) {
  const auto& d = tally.device;
  std::string text = fmt::format("\ndevice {}  driver {}  kernel {}  rdma-core {}  on {}\n",
                                 d.device, d.driver, d.kernel, d.rdma_core, facts.place);
  text += fmt::format(
      "{} steps in {} of {} cases, {:.1f} s (boot {:.1f} s), {} steps/s, "
      "{} steps/s undisturbed, {:.0f} % inside the implementation\n",
      grouped(tally.steps), grouped(tally.cases), grouped(plan.cases()), facts.seconds,
      facts.boot_seconds, grouped(static_cast<std::uint64_t>(tally.steps_per_second())),
      grouped(static_cast<std::uint64_t>(tally.undisturbed_steps_per_second())),
      100 * tally.inside_share());
  for (std::size_t i = 0; i < kVerdicts; ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", grouped(tally.counts.at(i)),
                        kVerdictNames.at(i));
  const auto judged =
      std::count_if(tally.judged.begin(), tally.judged.end(), [](const auto n) { return n != 0; });
  text += fmt::format("; {} of {} rules judged\n", judged, tally.judged.size());
  text += findings_text(tally);
  for (const auto& i : tally.incidents)
    text += fmt::format("\n{} {}in {} step {}: {}{}\n  {}\n",
                        kVerdictNames.at(static_cast<std::size_t>(i.verdict)),
                        i.name.empty() ? "" : i.name + " ", i.case_name, i.step, i.text,
                        i.expected_reason.empty() ? "" : " (expected: " + i.expected_reason + ")",
                        i.call.empty() ? "(between steps)" : i.call);
  if (facts.cut_short) text += "\nended before the plan was done\n";
  if (!facts.error.empty()) text += "\ngave up: " + facts.error + "\n";
  return text;
}

}  // namespace mrproof
