#include <fmt/format.h>

#include <algorithm>

#include "conformance/report/drawing.hpp"
#include "conformance/report/driver_report.hpp"
#include "conformance/report/page_style.hpp"
#include "conformance/report/report.hpp"
#include "model/trace/notation.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>mrproof report</title><style>)";
constexpr std::string_view kStyle =
    R"(body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:60rem;margin:2rem auto;padding:0 1rem}
pre{background:var(--soft);padding:.7rem;overflow-x:auto;font-size:13px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.15rem .5rem;
border-bottom:1px solid var(--line)}td.n{text-align:right;font-variant-numeric:tabular-nums}
h3{overflow-wrap:anywhere}svg{max-width:100%;height:auto}text{fill:var(--ink);font:12px sans-serif}
a{color:var(--blue)}.bad{color:var(--bad)}.known{color:var(--idle)}
</style></head><body>
)";

std::string verdict_bar(const Tally& tally) {
  static constexpr std::array<const char*, kVerdicts> kColors{"--good", "--bad",  "--bad", "--bad",
                                                              "--bad",  "--idle", "--warn"};
  std::string bar = "<svg viewBox=\"0 0 700 20\" role=\"img\" aria-label=\"verdicts\">";
  double x = 0;
  for (std::size_t i = 0; i < kVerdicts; ++i) {
    if (tally.counts.at(i) == 0 || tally.steps == 0) continue;
    const double width = std::max(
        2.0, 690.0 * static_cast<double>(tally.counts.at(i)) / static_cast<double>(tally.steps));
    bar += fmt::format(
        "<rect x=\"{:.1f}\" width=\"{:.1f}\" height=\"20\" fill=\"var({})\"><title>"
        "{} {}</title></rect>",
        x, width, kColors.at(i), tally.counts.at(i), kVerdictNames.at(i));
    x += width;
  }
  std::string legend;
  for (std::size_t i = 0; i < kVerdicts; ++i)
    legend += fmt::format("{}{} {}", i == 0 ? "" : ", ", tally.counts.at(i), kVerdictNames.at(i));
  return bar + "</svg><p>" + legend + "</p>\n";
}

/// The last steps of a trace.
std::string steps_of(const model::Trace& trace) {
  constexpr std::size_t kShown = 8;
  std::string steps;
  for (std::size_t i = trace.steps.size() - std::min(trace.steps.size(), kShown);
       i < trace.steps.size(); ++i) {
    const model::Step& step = trace.steps[i];
    steps +=
        model::print_call(step) + (step.observed ? " -> " + model::print_result(step) : "") + "\n";
  }
  return steps;
}

/// Where the shrunk trace is, or why there is none.
std::string shrunk_paragraph(const std::optional<ShrunkTrace>& shrunk) {
  if (!shrunk) return "";
  if (shrunk->file.empty()) return "<p>" + escaped(shrunk->outcome) + "</p>\n";
  return fmt::format(
      "<p>shrunk to {} steps in {:.1f} s: <a href=\"{}\">{}</a>, <a href=\"{}/report.html\">all "
      "about it</a>; {}</p>\n",
      shrunk->trace.steps.size(), shrunk->seconds, escaped(shrunk->file), escaped(shrunk->file),
      escaped(shrunk->folder), escaped(shrunk->outcome));
}

/// The trace to show: the shrunk one, if there is one.
const model::Trace& shown(const model::Trace& found, const std::optional<ShrunkTrace>& shrunk) {
  return shrunk && !shrunk->file.empty() ? shrunk->trace : found;
}

std::string finding_section(const Finding& f, const Rulebook& book) {
  const model::Trace& trace = shown(f.trace, f.shrunk);
  std::string steps = steps_of(trace);
  const auto& remarks = trace.steps.empty() ? f.remarks : trace.steps.back().remarks;
  for (const auto& remark : remarks) steps += "!   " + remark + "\n";
  return fmt::format(
      "<h3 class=\"{}\">{}</h3>\n<p>{} times{}; first in {} step {}; trace {}</p>\n{}"
      "{}<pre>{}</pre>\n",
      f.counts() ? "bad" : "known", escaped(model::print_annotation(f.name)), f.count,
      f.flaky                     ? ", flaky: its calls made again did not show it"
      : f.expected_reason.empty() ? ""
                                  : ", expected: " + escaped(f.expected_reason),
      escaped(f.case_name), f.step, escaped(f.trace_file), shrunk_paragraph(f.shrunk),
      draw(trace, book), escaped(steps));
}

std::string incident_section(const Incident& i) {
  const std::string steps =
      i.shrunk && !i.shrunk->file.empty() ? steps_of(i.shrunk->trace) : i.call;
  return fmt::format("<h3>{}: {}</h3><p>in {} step {}; trace {}</p>{}<pre>{}</pre>\n",
                     kVerdictNames.at(static_cast<std::size_t>(i.verdict)), escaped(i.text),
                     escaped(i.case_name), i.step, escaped(i.trace_file),
                     shrunk_paragraph(i.shrunk), escaped(steps));
}

/// The cases by how they ended, and by name those that the device has to answer for.
std::string case_list(const Tally& tally, const RunFacts& facts) {
  std::array<std::size_t, kVerdicts> ended{};
  std::string named;
  std::string skipped;
  for (const auto& line : facts.lacking) skipped += "<p>" + escaped(line) + "</p>\n";
  for (const auto& line : skipped_cases(tally))
    skipped += "<p>skipped: " + escaped(line) + "</p>\n";
  for (const auto& o : tally.outcomes) {
    if (!o.skip_reason.empty()) continue;
    ++ended.at(static_cast<std::size_t>(o.verdict()));
    if (o.expected || o.seen.empty()) continue;
    named += fmt::format("<tr><td>{}</td><td class=\"bad\">", escaped(o.name));
    for (const auto& name : o.seen) named += escaped(name) + "<br>";
    named += "</td></tr>\n";
  }
  std::string text = "<h2>Cases</h2>\n<p>";
  for (std::size_t i = 0; i < kVerdicts; ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", ended.at(i), kVerdictNames.at(i));
  text += fmt::format(", {} missing</p>\n", facts.missing.size()) + skipped;
  for (const auto& name : facts.missing)
    text += "<p class=\"bad\">missing: " + escaped(name) + "</p>";
  for (const auto& name : facts.unmatched)
    text += "<p class=\"bad\">expected and never met: " + escaped(name) + "</p>";
  for (const auto& line : facts.drift)
    text += "<p class=\"bad\">chosen otherwise than pinned: " + escaped(line) + "</p>";
  return named.empty() ? text : text + "<table>" + named + "</table>\n";
}

std::string rule_table(const Tally& tally) {
  std::string rows;
  for (std::size_t i = 0; i < tally.judged.size(); ++i)
    rows += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td></tr>\n", tally.book->rules()[i]->id,
                        tally.judged.at(i));
  return "<table><tr><th>rule</th><th>times judged</th></tr>\n" + rows + "</table>\n";
}

}  // namespace

std::string report_html(const property_tests::Plan& plan, const Tally& tally,
                        const RunFacts& facts) {
  const auto& d = tally.device;
  std::string text = std::string(kHead).append(kPageColors).append(kStyle);
  text += fmt::format(
      "<h1>{} ({})</h1>\n<p>kernel {}, rdma-core {}, on {}; seeds {} to {}; {} steps "
      "in {} of {} cases, {:.1f} s</p>\n",
      escaped(d.device), escaped(d.driver), escaped(d.kernel), escaped(d.rdma_core),
      escaped(facts.place), plan.seed, plan.seed + plan.seeds - 1, tally.steps, tally.cases,
      facts.planned(plan), facts.seconds);
  if (!facts.error.empty()) text += "<p class=\"bad\">gave up: " + escaped(facts.error) + "</p>\n";
  text += verdict_bar(tally) + "<h2>Deviations</h2>\n";
  if (tally.findings.empty()) text += "<p>none</p>\n";
  for (const bool counts : {true, false})
    for (const auto& f : tally.findings)
      if (f.counts() == counts) text += finding_section(f, *tally.book);
  text += "<h2>Crashes, hangs, warnings, interruptions</h2>\n";
  if (tally.incidents.empty()) text += "<p>none</p>\n";
  for (const auto& i : tally.incidents) text += incident_section(i);
  text += case_list(tally, facts);
  if (facts.driver) text += driver_section(*facts.driver);
  if (facts.guided_cases > 0) text += guided_section(facts.guided_cases, facts.kept);
  return text + "<h2>Rules</h2>\n" + rule_table(tally) + "</body></html>\n";
}

}  // namespace mrproof::conformance
