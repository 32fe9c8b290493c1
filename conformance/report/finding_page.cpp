#include "conformance/report/finding_page.hpp"

#include <fmt/format.h>

#include "conformance/report/diagram.hpp"
#include "conformance/report/finding_drawing.hpp"
#include "conformance/report/finding_path.hpp"
#include "conformance/report/finding_words.hpp"
#include "conformance/report/history_drawing.hpp"
#include "conformance/report/page_style.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/repro.hpp"
#include "model/trace/notation.hpp"
#include "model/trace/trace_loops.hpp"
#include "specs/explain/explain.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
)";
constexpr std::string_view kStyle = R"(
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0}
main{max-width:56rem;margin:0 auto;padding:1.2rem 1rem 4rem}
h1{font-size:1.45rem;line-height:1.25;margin:.4rem 0;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2rem 0 .5rem}
p{margin:.4rem 0;overflow-wrap:anywhere}
.seen{color:var(--idle);font-size:.9rem}
code,pre{font-family:ui-monospace,monospace;font-size:13px}
ol.steps{list-style:none;margin:0;padding:0}
ol.steps li{border-left:3px solid var(--line);padding:.25rem .7rem;margin:.3rem 0;
display:grid;grid-template-columns:1.6rem 1fr}
ol.steps li.bad{border-color:var(--bad);background:var(--soft)}
ol.steps li.loop{border:0;padding-bottom:0;color:var(--idle)}ol.steps li.round{margin-left:1.6rem}
ol.steps .n{color:var(--idle)}
ol.steps code{overflow-wrap:anywhere}
.result{display:block;color:var(--idle)}.bad .result{color:var(--bad);font-weight:600}
.note{display:block;color:var(--idle);font-size:13px}
.bad .note{color:var(--ink);font-size:14px;margin-top:.25rem}
pre{background:var(--soft);padding:.8rem;overflow-x:auto;border-radius:6px;line-height:1.4}
svg.memory{display:block;width:100%;max-width:34rem;height:auto}
svg text{fill:var(--ink);font:11px system-ui,sans-serif}
svg text.name{font-weight:600}svg text.offset{fill:var(--idle);font-size:10px}
.scroll{overflow-x:auto}.scroll svg{display:block;min-width:40rem;width:100%;height:auto}
@media(max-width:42rem){.scroll::before{content:"to be moved sideways";color:var(--idle);
font-size:12px;position:sticky;left:0}}
.scroll svg text{font-size:12px;text-anchor:middle}
.scroll svg text.state{font-size:14px;font-weight:600}
figure{margin:1rem 0}figcaption{font-size:.9rem;color:var(--idle);margin-bottom:.3rem}
ul{padding-left:1.1rem;margin:.3rem 0}li{margin:.2rem 0}
.objects{font-size:14px;overflow-wrap:anywhere}
.objects li{margin:.1rem 0}
table{border-collapse:collapse;font-size:14px}td,th{text-align:left;padding:.15rem .9rem .15rem 0;
border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}
</style></head><body><main>
)";

std::string list_of(const std::vector<std::string>& lines, const char* style) {
  std::string text = fmt::format("<ul class=\"{}\">\n", style);
  for (const auto& line : lines) text += "<li>" + escaped(line) + "</li>\n";
  return text + "</ul>\n";
}

/// What a step's row holds: the call, in the next line the result, and what is to be said of it.
std::string row_of(const Evidence& evidence, const model::Step& step, bool bad) {
  auto result = model::print_result(step);
  if (bad && result.empty()) result = model::print_annotation(evidence.finding());
  std::string text = "<code>" + escaped(model::print_call(step)) + "</code>\n";
  if (!result.empty()) text += "<code class=\"result\">" + escaped(result) + "</code>";
  for (const auto& remark : step.remarks)
    if (!remark.starts_with("by: ") && !is_provenance(remark))  // the trace has them
      text += "<span class=\"note\">" + escaped(remark) + "</span>";
  return text;
}

/// The steps, the decisive one marked. Those that repeat stand there once.
std::string steps_section(const Evidence& evidence) {
  const model::Trace annotated = annotated_trace(evidence);
  std::string text = "<h2>What happened</h2>\n<ol class=\"steps\">\n";
  std::vector<std::string> rows;
  const auto add = [&](std::string row, const std::string& number, const char* style) {
    // Handles grow in the first line, which is the call.
    if (const auto end = row.find('\n'); end != std::string::npos) row.erase(end, 1);
    text +=
        fmt::format("<li{}><span class=\"n\">{}</span><div>{}</div></li>\n", style, number, row);
  };
  const std::size_t last = annotated.steps.size() - 1;
  const bool many = last > 40;
  for (std::size_t i = 0; i < last; ++i) {
    model::Step step = annotated.steps.at(i);
    if (many) step.keys_seen = false;  // all differ: the trace has them
    rows.push_back(row_of(evidence, step, false));
  }
  for (const model::Loop& loop : model::loops_of_steps(rows)) {
    if (loop.rounds > 1)
      add(fmt::format("{} times, i = 0, 1, 2...:", loop.rounds), "", " class=\"loop\"");
    for (std::size_t k = 0; k < loop.size; ++k) {
      const auto& row = rows.at(loop.begin + k);
      const auto number = std::to_string(loop.begin + k + 1);
      const bool round = loop.rounds > 1;
      add(round ? model::with_growth(row, loop.grows.at(k)) : row, number,
          round ? " class=\"round\"" : "");
    }
  }
  const bool bad = evidence.is_deviation();
  add(row_of(evidence, annotated.steps.back(), bad), std::to_string(last + 1),
      bad ? " class=\"bad\"" : "");
  return text + "</ol>\n";
}

std::string history_section(const Evidence& evidence) {
  const auto drawing = draw_history(evidence);
  if (drawing.empty()) return "";
  return "<h2>What was under way</h2>\n<figure><figcaption>Steps from left to right, by their "
         "numbers. A dot: bytes have changed when the step was over. Green: a region or a window, "
         "pale while the call that ends it is under way.</figcaption>\n<div class=\"scroll\">" +
         drawing + "</div></figure>\n";
}

std::string memory_section(const Evidence& evidence) {
  std::string text = fmt::format("<h2>Before step {}</h2>\n", evidence.trace.steps.size());
  if (const auto drawing = draw_finding(evidence); !drawing.empty())
    text +=
        "<figure><figcaption>Order is right, lengths are not to scale. Filled: regions; "
        "outlined: windows, both in the colour of their protection domain; blue and red: "
        "what the step means.</figcaption>\n" +
        drawing + "</figure>\n";
  if (!tells_keys(evidence))
    text += "<p class=\"seen\">The trace does not tell its keys; those shown stand for them.</p>\n";
  return text + list_of(specs::describe_state(evidence.state, evidence.decisive()), "objects");
}

std::string hex_of(std::byte byte) { return fmt::format("{:02x}", std::to_integer<int>(byte)); }

/// Bytes that changed and should not have, or did not and should.
std::string bytes_section(const Evidence& evidence) {
  constexpr std::size_t kMost = 64;
  if (evidence.decisive().bytes.empty()) return "";
  model::Memory wanted = evidence.memory;
  const auto* rule = evidence.book->find(evidence.finding().rule);
  // What must not succeed must not change anything either.
  if (rule != nullptr && rule->transfer != nullptr && evidence.allows(rule->outcome) &&
      evidence.due.exact)
    wanted.move(evidence.due, evidence.carried);
  std::string text =
      "<h2>Bytes</h2>\n<table><tr><th>address</th><th>before</th><th>due</th><th>seen</th></tr>\n";
  std::size_t count = 0;
  for (const auto& run : evidence.decisive().bytes)
    for (std::size_t i = 0; i < run.bytes.size(); ++i) {
      if (++count > kMost) continue;
      const auto address = run.address + i;
      text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                          model::print_address(address), hex_of(evidence.memory.at(address)),
                          hex_of(wanted.at(address)), hex_of(run.bytes[i]));
    }
  text += "</table>\n";
  if (count > kMost) text += fmt::format("<p>and {} more</p>\n", count - kMost);
  return text;
}

std::string paths_section(const Evidence& evidence) {
  const auto paths = paths_of(evidence);
  if (paths.empty()) return "";
  std::string text = "<h2>The way there</h2>\n";
  for (const auto& path : paths)
    text += "<figure><figcaption>" + escaped(path.title + ". " + path.caption) +
            "</figcaption><div class=\"scroll\">\n" + draw_diagram(path) + "</div></figure>\n";
  return text;
}

std::string clauses_section(const Evidence& evidence) {
  std::vector<std::string> lines;
  for (const auto& clause : finding_clauses(evidence))
    lines.push_back(fmt::format("{}: {}", clause.citation, clause.text));
  return lines.empty() ? "" : "<h2>What the pages say</h2>\n" + list_of(lines, "clauses");
}

}  // namespace

std::string finding_page(const Evidence& evidence, const std::string& program,
                         const std::string& seen_on) {
  const auto title = finding_title(evidence);
  const auto target = seen_on.empty() ? finding_target(evidence) : seen_on;
  std::string text(kHead);
  text += "<title>" + escaped(title) + "</title><style>";
  text += kPageColors;
  text += kStyle;
  text += "<h1>" + escaped(title) + "</h1>\n";
  if (!target.empty()) text += "<p class=\"seen\">Seen on: " + escaped(target) + "</p>\n";
  if (const auto story = finding_story(evidence); !story.empty())
    text += "<p>" + escaped(story) + "</p>\n";
  text += steps_section(evidence) + history_section(evidence) + memory_section(evidence) +
          bytes_section(evidence) + paths_section(evidence) + clauses_section(evidence);
  text += "<h2>The program</h2>\n<p><code>" + escaped(repro_command(program)) +
          "</code> ends with 0 if the device conforms, 1 if it deviates, 4 if it cannot run "
          "there.</p>\n<pre>" +
          escaped(program) + "</pre>\n";
  return text + "</main></body></html>\n";
}

}  // namespace mrproof::conformance
