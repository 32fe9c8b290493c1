#include "conformance/report/diagram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/report/report.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

// Pixels. A character of the 12 pixel sans-serif of labels is 6.4 wide on average.
constexpr double kStateHeight = 46;
constexpr double kLetter = 6.4;
constexpr double kStateLetter = 8.2;
constexpr double kLine = 15;
constexpr double kMargin = 24;
constexpr std::size_t kMostLines = 5;

Box state_box(const DiagramState& state) {
  const double longest = std::max(kStateLetter * static_cast<double>(state.name.size()),
                                  kLetter * static_cast<double>(state.note.size()));
  const double width = std::max(110.0, longest + 28);
  return {state.x - width / 2, state.y - kStateHeight / 2, width, kStateHeight};
}

/// Where the straight line from the middle of the box to the point leaves the box.
Point border(const Box& box, const Point& to) {
  const Point middle{box.left + box.width / 2, box.top + box.height / 2};
  const double dx = to.x - middle.x;
  const double dy = to.y - middle.y;
  const double across = dx == 0 ? std::numeric_limits<double>::max() : box.width / 2 / std::abs(dx);
  const double down = dy == 0 ? std::numeric_limits<double>::max() : box.height / 2 / std::abs(dy);
  const double part = std::min(across, down);
  return {middle.x + dx * part, middle.y + dy * part};
}

Box grown(const Box& box, double by) {
  return {box.left - by, box.top - by, box.width + 2 * by, box.height + 2 * by};
}

/// Whether the arrow runs through a state that it does not join.
bool runs_through(const Arrow& arrow, const std::vector<Box>& states) {
  for (std::size_t i = 0; i < states.size(); ++i)
    for (int at = 1; at < 25 && i != arrow.from && i != arrow.to; ++at)
      if (grown(states.at(i), 6).contains(point_of(arrow, at * 0.04))) return true;
  return false;
}

/// The arrow bent to its left by a part of its length.
Arrow bent(Arrow arrow, const std::vector<Box>& states, const Diagram& diagram, double part) {
  const auto& a = diagram.states.at(arrow.from);
  const auto& b = diagram.states.at(arrow.to);
  arrow.bend = {(a.x + b.x) / 2 + (b.y - a.y) * part, (a.y + b.y) / 2 - (b.x - a.x) * part};
  arrow.start = border(states.at(arrow.from), arrow.bend);
  arrow.end = border(states.at(arrow.to), arrow.bend);
  return arrow;
}

void route(Arrow& arrow, const Layout& layout, const Diagram& diagram) {
  const bool returns = std::any_of(
      layout.arrows.begin(), layout.arrows.end(),
      [&](const Arrow& other) { return other.from == arrow.to && other.to == arrow.from; });
  // There and back bend to their own left, so they run apart.
  std::vector<double> parts{0, 0.16, -0.16, 0.3, -0.3, 0.45, -0.45};
  if (returns) parts = {0.14, 0.24, 0.34, 0.48, -0.3};
  for (const double part : parts) {
    arrow = bent(arrow, layout.states, diagram, part);
    if (!runs_through(arrow, layout.states)) return;
  }
}

/// How bad a place for the label of arrow `own` is; below 1 nothing is covered.
double cost(const Layout& layout, std::size_t own, const Box& box, double way) {
  double sum = std::abs(way - 0.5);
  const Box padded = grown(box, 3);
  for (const Box& state : layout.states) sum += padded.overlaps(state) ? 1000 : 0;
  for (std::size_t i = 0; i < layout.arrows.size(); ++i) {
    const Arrow& other = layout.arrows.at(i);
    if (i == own) continue;
    if (i < own && padded.overlaps(other.place)) sum += 1000;
    for (int at = 1; at < 50; ++at) sum += box.contains(point_of(other, at * 0.02)) ? 8 : 0;
  }
  const bool inside = box.left > 4 && box.top > 4 && box.left + box.width < layout.width - 4 &&
                      box.top + box.height < layout.height - 4;
  return inside ? sum : sum + 1000;
}

void place_label(Layout& layout, std::size_t own) {
  Arrow& arrow = layout.arrows.at(own);
  if (arrow.label.empty()) return;
  std::size_t longest = 0;
  for (const auto& line : arrow.label) longest = std::max(longest, line.size());
  const double width = kLetter * static_cast<double>(longest) + 10;
  const double height = kLine * static_cast<double>(arrow.label.size()) + 4;
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i <= 20; ++i)
    for (const double way = 0.2 + i * 0.03; const double aside : {0.0, -0.7, 0.7, -1.2, 1.2}) {
      const Point at = point_of(arrow, way);
      for (const bool across : {false, true}) {
        const double dx = across ? aside * width : 0;
        const double dy = across ? 0 : aside * height;
        const Box box{at.x + dx - width / 2, at.y + dy - height / 2, width, height};
        const double bad = cost(layout, own, box, way) + std::abs(aside);
        if (bad >= best) continue;
        best = bad;
        arrow.place = box;
      }
    }
}

void add_label(Arrow& arrow, const std::string& line) {
  if (std::find(arrow.label.begin(), arrow.label.end(), line) == arrow.label.end())
    arrow.label.push_back(line);
}

std::vector<Arrow> arrows_of(const Diagram& diagram) {
  std::vector<Arrow> arrows;
  for (const Transition& t : diagram.transitions) {
    if (t.from == t.to) continue;
    auto found = std::find_if(arrows.begin(), arrows.end(), [&](const Arrow& arrow) {
      return arrow.from == t.from && arrow.to == t.to;
    });
    if (found == arrows.end()) {
      arrows.push_back({});
      found = std::prev(arrows.end());
      found->from = t.from;
      found->to = t.to;
    }
    found->taken |= !t.taken.empty();
    const std::string verb(kVerbNames.at(static_cast<std::size_t>(t.rule->verb)));
    if (!diagram.of_path)
      add_label(*found, diagram.of_one_verb ? t.rule->name : verb);
    else if (!t.taken.empty())
      add_label(*found, t.taken);
  }
  for (Arrow& arrow : arrows) {
    if (arrow.label.size() <= kMostLines) continue;
    const auto more = arrow.label.size() - (kMostLines - 1);
    arrow.label.resize(kMostLines - 1);
    arrow.label.push_back(fmt::format("and {} more", more));
  }
  return arrows;
}

std::string draw_arrow(const Arrow& arrow, const std::string& marker) {
  return fmt::format(
      "<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" stroke=\"var({})\" "
      "stroke-width=\"{}\" marker-end=\"url(#{})\"/>\n",
      arrow.start.x, arrow.start.y, arrow.bend.x, arrow.bend.y, arrow.end.x, arrow.end.y,
      arrow.taken ? "--blue" : "--line", arrow.taken ? "3" : "1.6", marker);
}

std::string draw_label(const Arrow& arrow) {
  if (arrow.label.empty()) return "";
  const Box& box = arrow.place;
  std::string text = fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" "
      "fill=\"var(--paper)\" opacity=\".88\"/>\n",
      box.left, box.top, box.width, box.height);
  for (std::size_t i = 0; i < arrow.label.size(); ++i)
    text += fmt::format("<text class=\"arrow\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                        box.left + box.width / 2, box.top + kLine * static_cast<double>(i + 1) - 2,
                        escaped(arrow.label.at(i)));
  return text;
}

std::string draw_state(const Box& box, const DiagramState& state, bool of_path) {
  const double middle = box.left + box.width / 2;
  const double line = box.top + box.height / 2 + (state.note.empty() ? 5 : -2);
  std::string text = fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"10\" "
      "fill=\"var(--soft)\" stroke=\"var({})\" stroke-width=\"{}\"/>\n"
      "<text class=\"state\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
      box.left, box.top, box.width, box.height,
      state.here                 ? "--bad"
      : of_path && !state.passed ? "--line"
                                 : "--blue",
      of_path && (state.passed || state.here) ? "3" : "1.5", middle, line, escaped(state.name));
  if (!state.note.empty())
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", middle, line + 16,
                        escaped(state.note));
  return text;
}

}  // namespace

Point point_of(const Arrow& arrow, double way) {
  const double rest = 1 - way;
  const auto mix = [&](double a, double b, double c) {
    return rest * rest * a + 2 * rest * way * b + way * way * c;
  };
  return {mix(arrow.start.x, arrow.bend.x, arrow.end.x),
          mix(arrow.start.y, arrow.bend.y, arrow.end.y)};
}

Layout lay_out(const Diagram& diagram) {
  Layout layout;
  for (const auto& state : diagram.states) {
    layout.states.push_back(state_box(state));
    const Box& box = layout.states.back();
    layout.width = std::max(layout.width, box.left + box.width + kMargin);
    layout.height = std::max(layout.height, box.top + box.height + kMargin);
  }
  layout.arrows = arrows_of(diagram);
  for (Arrow& arrow : layout.arrows) route(arrow, layout, diagram);
  for (std::size_t i = 0; i < layout.arrows.size(); ++i) place_label(layout, i);
  return layout;
}

std::string draw_diagram(const Diagram& diagram) {
  const Layout layout = lay_out(diagram);
  const std::string marker = "head-" + diagram.id;
  std::string text = fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n"
      "<defs><marker id=\"{}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"6\" "
      "markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"var(--idle)\"/>"
      "</marker></defs>\n",
      layout.width, layout.height, escaped(diagram.title), marker);
  for (const Arrow& arrow : layout.arrows) text += draw_arrow(arrow, marker);
  for (const Arrow& arrow : layout.arrows) text += draw_label(arrow);
  for (std::size_t i = 0; i < layout.states.size(); ++i)
    text += draw_state(layout.states.at(i), diagram.states.at(i), diagram.of_path);
  return text + "</svg>\n";
}

}  // namespace mrproof::conformance
