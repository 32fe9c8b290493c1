// What is told, as a page: a time line of the objects that findings are about, and for each
// finding where its memory lies.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "conformance/report/page_style.hpp"
#include "conformance/report/report.hpp"
#include "conformance/watch/watching.hpp"

namespace mrproof::watch {
namespace {

using conformance::escaped;

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>mrproof watch</title><style>)";
constexpr std::string_view kStyle =
    R"(body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:60rem;margin:2rem auto;padding:0 1rem}
section{border-top:1px solid var(--line);margin-top:1.2rem}h2{overflow-wrap:anywhere}
li,p{overflow-wrap:anywhere}.what{font-family:ui-monospace,monospace;font-size:13px}
svg{max-width:100%;height:auto;display:block}text{fill:var(--ink);font:11px sans-serif}
a{color:var(--blue)}.program{color:var(--bad)}.provider{color:var(--warn)}.known{color:var(--idle)}
</style></head><body>
)";
constexpr double kLeft = 190, kWide = 500;  // pixels: of the names, and of what stands behind

/// A time as the reader counts: since the first event.
std::string since(std::uint64_t time, const Told& told) {
  return fmt::format("{:.3f} ms", static_cast<double>(time - told.began) / 1e6);
}

/// Lanes of the objects from where they were made to where they ended, with a mark where a finding
/// is about them. Objects of one name and birth are one.
std::string time_line(const Told& told) {
  constexpr std::size_t kMost = 40;
  constexpr double kRow = 18;
  std::vector<std::pair<const Involved*, std::vector<std::size_t>>> lanes;
  for (std::size_t i = 0; i < told.findings.size(); ++i)
    for (const auto& object : told.findings[i].objects) {
      if (object.made == 0) continue;
      auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const auto& known) {
        return known.first->name == object.name && known.first->made == object.made;
      });
      if (lane == lanes.end()) lane = lanes.insert(lane, {&object, {}});
      lane->second.push_back(i);
    }
  if (lanes.empty()) return "";
  const std::size_t left_out = lanes.size() - std::min(lanes.size(), kMost);
  lanes.resize(lanes.size() - left_out);
  const double span = static_cast<double>(std::max<std::uint64_t>(told.ended - told.began, 1));
  const auto x = [&](std::uint64_t time) {
    return kLeft + kWide * std::min(1.0, static_cast<double>(time - told.began) / span);
  };
  std::string rows;
  for (std::size_t row = 0; row < lanes.size(); ++row) {
    const auto& [object, findings] = lanes[row];
    const double y = kRow * static_cast<double>(row);
    const double from = x(object->made), to = object->ended == 0 ? kLeft + kWide : x(object->ended);
    rows += fmt::format(
        "<text x=\"0\" y=\"{:.0f}\">{}</text><rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" "
        "height=\"10\" fill=\"var({})\"><title>{}</title></rect>\n",
        y + 11, escaped(object->name), from, y + 2, std::max(1.5, to - from),
        object->ended == 0 ? "--pd0" : "--idle", escaped(object->history));
    for (const auto i : findings) {
      const auto& f = told.findings[i];
      rows += fmt::format(
          "<a href=\"#f{}\"><path d=\"M{:.1f} {:.0f}l4 7l-4 7l-4 -7z\" fill=\"var({})\"><title>{} "
          "at {}</title></path></a>\n",
          i + 1, x(f.time), y, f.whose == Whose::program ? "--bad" : "--warn", escaped(f.name),
          since(f.time, told));
    }
  }
  const double height = kRow * static_cast<double>(lanes.size());
  return fmt::format(
      "<h2>Time line</h2>\n<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"when "
      "objects lived\">{}<text x=\"{:.0f}\" y=\"{:.0f}\">0</text><text x=\"{:.0f}\" y=\"{:.0f}\" "
      "text-anchor=\"end\">{}</text></svg>\n<p>An object's bar ends where it was destroyed; a "
      "diamond is a finding about it.{}</p>\n",
      kLeft + kWide + 8, height + 18, rows, kLeft, height + 14, kLeft + kWide, height + 14,
      since(told.ended, told),
      left_out == 0 ? "" : fmt::format(" {} more objects are not drawn.", left_out));
}

/// Both ranges to one scale; those far apart are drawn side by side, with a gap that is not to
/// scale.
std::string memory_drawing(const Finding& f) {
  if (f.used.empty() || f.region.empty()) return "";
  const auto first = std::min(f.used.first, f.region.first);
  const auto last = std::max(f.used.last, f.region.last);
  const auto sizes = static_cast<double>(f.used.last - f.used.first) +
                     static_cast<double>(f.region.last - f.region.first) + 2;
  const bool apart = static_cast<double>(last - first) > 4 * sizes;
  const auto bar = [&](const Range& r, const Range& other, double y, const char* color,
                       const char* name) {
    const double all = apart ? sizes * 1.2 : static_cast<double>(last - first) + 1;
    double at = static_cast<double>(r.first - first);
    if (apart && r.first > other.first)
      at = static_cast<double>(other.last - other.first) + sizes * 0.2;
    const double width =
        std::max(2.0, kWide * (static_cast<double>(r.last - r.first) + 1) / all);
    return fmt::format(
        "<text x=\"0\" y=\"{:.0f}\">{}</text><rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" "
        "height=\"12\" fill=\"var({})\"><title>{} [{:#x}, {:#x}], {} bytes</title></rect>\n",
        y + 11, name, kLeft + kWide * at / all, y, width, color, name, r.first, r.last,
        r.last - r.first + 1);
  };
  return fmt::format(
      "<svg viewBox=\"0 0 {:.0f} 54\" role=\"img\" aria-label=\"memory\">{}{}<text x=\"{:.0f}\" "
      "y=\"50\">{:#x}</text><text x=\"{:.0f}\" y=\"50\" text-anchor=\"end\">{:#x}{}</text></svg>\n",
      kLeft + kWide + 8, bar(f.region, f.used, 2, "--pd0", "the region"),
      bar(f.used, f.region, 20, "--bad", "the request"), kLeft, first, kLeft + kWide, last,
      apart ? ", with a gap that is not to scale" : "");
}

std::string section(const Finding& f, std::size_t number, const Told& told) {
  auto text = fmt::format(
      "<section id=\"f{}\"><h2 class=\"{}\">{}: {}</h2>\n<p class=\"what\">{}</p>\n<p>{}{}</p>\n",
      number, name_of(f.whose), name_of(f.whose), escaped(f.name), escaped(f.what),
      escaped(f.wrong), f.clauses.empty() ? "" : " [" + escaped(f.clauses) + "]");
  text += memory_drawing(f) + "<ul>\n";
  for (const auto& object : f.objects)
    text += fmt::format("<li>{}</li>\n", escaped(object.history));
  text += fmt::format("</ul>\n<p>at <b>{}</b>, process {}, {}{}</p>\n", escaped(f.place), f.pid,
                      f.time < told.began ? "at the end" : since(f.time, told),
                      f.count > 1 ? fmt::format(", {} times", f.count) : "");
  if (!f.trace.empty())
    text += fmt::format("<p>{} shows it alone:</p>\n<pre>{}</pre>\n", f.trace_file,
                        escaped(f.trace));
  if (!f.remedy.empty()) text += "<p>Remedy: " + escaped(f.remedy) + ".</p>\n";
  return text + "</section>\n";
}

}  // namespace

std::string told_html(const Told& told) {
  std::string text = std::string(kHead).append(conformance::kPageColors).append(kStyle);
  text += fmt::format(
      "<h1>{} findings</h1>\n<p>{} events seen in {}, {} judged, {} unknown, {} passed "
      "through.{}</p>\n",
      told.findings.size(), told.counts.events, since(told.ended, told), told.counts.judged,
      told.counts.unknown, told.counts.passed,
      told.lost == 0 ? ""
                     : fmt::format(" {} events could not be written: nothing is told of what came "
                                   "then.",
                                   told.lost));
  text += time_line(told);
  for (std::size_t i = 0; i < told.findings.size(); ++i)
    text += section(told.findings[i], i + 1, told);
  if (!told.suppressed.empty()) text += "<section><h2>Suppressed</h2>\n<ul>\n";
  for (const auto& f : told.suppressed)
    text += fmt::format("<li class=\"known\">{} at {}, {} times: {}</li>\n", escaped(f.name),
                        escaped(f.place), f.count, escaped(f.known));
  if (!told.suppressed.empty()) text += "</ul></section>\n";
  return text + "</body></html>\n";
}

}  // namespace mrproof::watch
