#include "specs/explore/state_graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <stdexcept>

#include "specs/explain/explain.hpp"

namespace mrproof::specs {

namespace {

constexpr int kColumn = 150, kRow = 26, kMargin = 40, kRadius = 7;

/// The states in the order in which they are met, and what leads from one to another.
struct Graph {
  std::vector<PackedState> states;
  std::vector<std::size_t> depths;
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::string>> arrows;
};

Graph graph_of(const Scope& scope, const RuleMasks& masks, StateCodec& codec) {
  const ReadyScope ready(scope, masks);
  Successors moves(ready, codec);
  Graph graph{{codec.pack(codec.initial())}, {0}, {}};
  std::map<PackedState, std::size_t> places{{graph.states.front(), 0}};
  for (std::size_t at = 0; at < graph.states.size(); ++at) {
    const PackedState from = graph.states[at];
    moves.each(from, [&](PackedState to, std::size_t call, std::size_t rule) {
      if (to == from) return;
      const auto [place, is_new] = places.try_emplace(to, graph.states.size());
      if (is_new) {
        graph.states.push_back(to);
        graph.depths.push_back(graph.depths[at] + 1);
      }
      graph.arrows[{at, place->second}].insert(
          fmt::format("{} -> {}", model::print_call(scope.calls[call]),
                      ready.calls()[call].verb->rules[rule].id));
    });
    if (graph.states.size() > kMostDrawn)
      throw std::length_error(
          fmt::format("{}: more than {} states are too many for a picture; name fewer values, or "
                      "leave out --graph",
                      scope.file, kMostDrawn));
  }
  return graph;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

struct Spot {
  int x = 0, y = 0;
};

std::string draw_arrow(Spot from, Spot to, const std::set<std::string>& calls) {
  // Ways back are bent, so that they do not lie on those there.
  const int bend = to.x > from.x ? 0 : 30 + (from.x - to.x) / 6;
  return fmt::format(
      "<path d='M{} {} Q{} {} {} {}' marker-end='url(#head)'><title>{}</title></path>\n", from.x,
      from.y, (from.x + to.x) / 2, (from.y + to.y) / 2 + bend, to.x, to.y,
      escaped(fmt::format("{}", fmt::join(calls, "\n"))));
}

}  // namespace

std::string draw_states(const Scope& scope, const RuleMasks& masks) {
  StateCodec codec(scope, masks.defined_access());
  const Graph graph = graph_of(scope, masks, codec);
  std::vector<Spot> spots;
  std::map<std::size_t, int> filled;
  int height = 0;
  for (const auto depth : graph.depths) {
    const int row = filled[depth]++;
    spots.push_back({kMargin + static_cast<int>(depth) * kColumn, kMargin + row * kRow});
    height = std::max(height, spots.back().y);
  }
  const int width = spots.back().x;
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}'>\n"
      "<style>path{{fill:none;stroke:#8a94a6;stroke-width:1}} path:hover{{stroke:#c0392b;"
      "stroke-width:3}} circle{{fill:#2d6cdf}} circle:hover{{fill:#c0392b}} "
      "text{{font:12px sans-serif;fill:#445}}</style>\n"
      "<defs><marker id='head' markerWidth='8' markerHeight='8' refX='14' refY='4' orient='auto'>"
      "<path d='M0 0L8 4L0 8z' style='fill:#8a94a6;stroke:none'/></marker></defs>\n"
      "<text x='{2}' y='16'>{3}: {4} states, a column for each number of calls</text>\n",
      width + 2 * kMargin, height + 2 * kMargin, kMargin - kRadius, escaped(scope.file),
      graph.states.size());
  for (const auto& [ends, calls] : graph.arrows)
    svg += draw_arrow(spots[ends.first], spots[ends.second], calls);
  for (std::size_t i = 0; i < spots.size(); ++i)
    svg += fmt::format(
        "<circle cx='{}' cy='{}' r='{}'><title>{}</title></circle>\n", spots[i].x, spots[i].y,
        kRadius,
        escaped(fmt::format(
            "{}", fmt::join(describe_state(plain_state(codec.unpack(graph.states[i]))), "\n"))));
  return svg + "</svg>\n";
}

}  // namespace mrproof::specs
