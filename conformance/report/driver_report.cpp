#include "conformance/report/driver_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <compare>
#include <map>
#include <nlohmann/json.hpp>

#include "conformance/report/report.hpp"

namespace mrproof::conformance {
namespace {

/// Instructions, and how many of them were reached.
struct Share {
  std::size_t all = 0, reached = 0;
  void add(const CodeFunction& f) {
    all += f.reached.size();
    reached += static_cast<std::size_t>(std::count(f.reached.begin(), f.reached.end(), true));
  }
  [[nodiscard]] double percent() const {
    return all == 0 ? 0 : 100.0 * static_cast<double>(reached) / static_cast<double>(all);
  }
};

/// A module, a file of it, or a function of that; by these names in their order.
struct Row {
  std::string module, file, function;
  auto operator<=>(const Row&) const = default;
};

std::map<Row, Share> shares(const DriverCoverage& coverage) {
  std::map<Row, Share> rows;
  for (const auto& f : coverage.functions()) {
    rows[{f.module, "", ""}].add(f);
    if (!f.file.empty()) rows[{f.module, f.file, ""}].add(f);
    rows[{f.module, f.file, f.name}].add(f);
  }
  return rows;
}

/// What of the file's name is not that of its folder, which all of a module's share.
std::string base_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

std::string cell_of(const Row& row) {
  if (!row.function.empty()) return "&nbsp; &nbsp; " + escaped(row.function);
  if (!row.file.empty()) return "&nbsp; " + escaped(base_name(row.file));
  return "<b>" + escaped(row.module) + "</b>";
}

std::string name_of(const Row& row) {
  if (!row.function.empty()) return "    " + row.function;
  return row.file.empty() ? row.module : "  " + base_name(row.file);
}

}  // namespace

std::string driver_table(const std::vector<NamedCoverage>& runs, bool functions) {
  DriverCoverage all = runs.front().second;
  for (const auto& run : runs) all.add(run.second);  // they are of one image, or this tells
  std::vector<std::map<Row, Share>> columns;
  std::string text = fmt::format("{:44}{:>8}", "reached of the driver", "of");
  for (const auto& [name, coverage] : runs) {
    columns.push_back(shares(coverage));
    text += fmt::format("{:>{}}", name, std::max<std::size_t>(name.size() + 2, 10));
  }
  text += "\n";
  for (const auto& [row, first] : columns.front()) {
    if (!row.function.empty() && !functions) continue;
    text += fmt::format("{:44}{:>8}", name_of(row), first.all);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto width = std::max<std::size_t>(runs[i].first.size() + 2, 10);
      text += fmt::format("{:>{}.1f} %", columns[i][row].percent(), width - 2);
    }
    text += "\n";
  }
  return text;
}

std::string driver_line(const DriverCoverage& coverage) {
  std::string text;
  for (const auto& [row, share] : shares(coverage))
    if (row.file.empty() && row.function.empty())
      text += fmt::format("{} {:.1f} % of {}, ", row.module, share.percent(), share.all);
  return "instructions reached: " + text + "by file: mrproof reached\n";
}

std::string only_reached_by(const DriverCoverage& one, const DriverCoverage& other) {
  DriverCoverage both = one;
  both.add(other);  // they are of one image, or this tells
  std::vector<std::pair<std::size_t, std::string>> lines;
  for (std::size_t i = 0; i < one.functions().size(); ++i) {
    const auto& mine = one.functions()[i];
    const auto& theirs = other.functions()[i].reached;
    std::size_t more = 0;
    for (std::size_t at = 0; at < theirs.size(); ++at)
      more += mine.reached[at] && !theirs[at] ? 1 : 0;
    const bool whole = std::find(theirs.begin(), theirs.end(), true) == theirs.end();
    if (more > 0)
      lines.emplace_back(more, fmt::format("{:>6} of {:>5}  {} {}{}\n", more, theirs.size(),
                                           mine.file.empty() ? mine.module : base_name(mine.file),
                                           mine.name, whole ? " (the other: nothing of it)" : ""));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& line : lines) text += line.second;
  return text;
}

std::string lines_by_file(const DriverCoverage& coverage) {
  std::map<std::string, std::map<unsigned, bool>> files;
  for (const auto& f : coverage.functions())
    for (const auto& [place, reached] : f.lines)
      if (place.second > 0 && place.first.ends_with(".c"))
        files[place.first][place.second] |= reached;
  std::string text;
  for (const auto& [file, lines] : files) {
    std::vector<std::string> missed;
    std::size_t reached = 0;
    unsigned first = 0, last = 0;  // of lines in a row that were not reached
    const auto end_row = [&] {
      if (first > 0)
        missed.push_back(first == last ? std::to_string(first) : fmt::format("{}-{}", first, last));
      first = 0;
    };
    for (const auto& [line, is_reached] : lines) {
      if (is_reached) end_row(), ++reached;
      if (!is_reached && first == 0) first = line;
      if (!is_reached) last = line;
    }
    end_row();
    text += fmt::format("{}: {} of {} lines{}{}\n", file, reached, lines.size(),
                        missed.empty() ? "" : "; not ", fmt::join(missed, " "));
  }
  return text;
}

std::string driver_section(const DriverCoverage& coverage) {
  std::string text =
      "<h2>Reached of the driver</h2>\n<table><tr><th>code</th><th></th>"
      "<th>instructions</th><th>reached</th></tr>\n";
  for (const auto& [row, share] : shares(coverage)) {
    if (!row.function.empty() && share.reached == share.all) continue;
    text += fmt::format(
        "<tr{}><td>{}</td><td><svg viewBox=\"0 0 100 8\" width=\"100\" height=\"8\" role=\"img\" "
        "aria-label=\"{:.0f} percent\"><rect width=\"100\" height=\"8\" fill=\"var(--soft)\"/>"
        "<rect width=\"{:.1f}\" height=\"8\" fill=\"var(--good)\"/></svg></td>"
        "<td class=\"n\">{}</td><td class=\"n\">{:.1f} %</td></tr>\n",
        row.function.empty() ? "" : " class=\"known\"", cell_of(row), share.percent(),
        share.percent(), share.all, share.percent());
  }
  text += "</table>\n<p>Functions of which everything was reached are left out.</p>\n";
  if (const auto lines = lines_by_file(coverage); !lines.empty())
    text += "<details><summary>By line</summary><pre>" + escaped(lines) + "</pre></details>\n";
  return text;
}

std::string guided_line(std::uint64_t cases, const std::vector<KeptCase>& kept) {
  std::size_t first = 0;
  for (const auto& one : kept) first += one.first.count();
  return fmt::format(
      "guided: {} cases, of which {} reached {} instructions first; their traces: corpus/\n", cases,
      kept.size(), first);
}

std::string guided_section(std::uint64_t cases, const std::vector<KeptCase>& kept) {
  std::string text = "<h2>Led by what was reached</h2>\n<p>" + guided_line(cases, kept) +
                     "</p>\n<table><tr><th>trace</th><th>calls</th><th>was the first to reach, in "
                     "instructions</th></tr>\n";
  for (const auto& one : kept)
    text +=
        fmt::format("<tr><td>{}{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n", corpus_file(one),
                    one.alone ? "" : " (not on its own)", one.trace.steps.size(),
                    escaped(fmt::format("{}", fmt::join(first_reached(one), ", "))));
  return text + "</table>\n";
}

nlohmann::ordered_json guided_json(std::uint64_t cases, const std::vector<KeptCase>& kept) {
  nlohmann::ordered_json json{{"cases", cases}, {"kept", nlohmann::ordered_json::array()}};
  for (const auto& one : kept)
    json["kept"].push_back({{"case", guided_name(one.number)},
                            {"trace", corpus_file(one)},
                            {"steps", one.trace.steps.size()},
                            {"alone", one.alone},
                            {"first_reached", first_reached(one)}});
  return json;
}

}  // namespace mrproof::conformance
