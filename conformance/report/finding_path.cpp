#include "conformance/report/finding_path.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/explain/shown_objects.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

/// From one state of the diagram to another, by the step of that index.
struct Move {
  std::size_t step, from, to;
};
constexpr std::size_t kMostMoves = 12;  // that a drawing has room for

/// Marks in the diagram how the object went; false if it was never there.
template <class StageOf>
bool mark(const Evidence& evidence, Diagram& diagram, StageOf&& stage_of) {
  diagram.of_path = true;
  const auto place = [&](std::size_t stage) { return "“" + diagram.states.at(stage).name + "”"; };
  for (auto& state : diagram.states) state.note.clear();
  StateCursor states(evidence);
  std::size_t now = stage_of(states.before(0));
  std::vector<Move> moves;
  for (std::size_t i = 0; i + 1 < evidence.trace.steps.size(); ++i) {
    const std::size_t next = stage_of(states.before(i + 1));
    if (next != now) moves.push_back({i, now, next});
    now = next;
  }
  const std::size_t hidden = moves.size() > kMostMoves ? moves.size() - kMostMoves : 0;
  const std::size_t first = moves.empty() ? now : moves.at(hidden).from;
  diagram.states.at(first).passed = true;
  diagram.caption = place(first);
  if (hidden > 0) diagram.caption += fmt::format(", after {} moves that are not drawn", hidden);
  for (std::size_t i = hidden; i < moves.size(); ++i) {
    const auto& [index, from, to] = moves.at(i);
    const model::Step& step = evidence.trace.steps.at(index);
    const auto* rule = evidence.book->find(step.annotations.front().rule);
    const auto verb = kVerbNames.at(static_cast<std::size_t>(step.call.verb));
    diagram.transitions.push_back({from, to, rule, fmt::format("step {}: {}", index + 1, verb)});
    if (rule == nullptr) diagram.transitions.back().rule = evidence.book->rules().front();
    diagram.caption += fmt::format(", by step {} {}", index + 1, place(to));
    diagram.states.at(to).passed = true;
  }
  diagram.caption += fmt::format("; there step {} is made.", evidence.trace.steps.size());
  diagram.states.at(now).here = true;
  diagram.states.at(now).note = fmt::format("step {} is made here", evidence.trace.steps.size());
  return !moves.empty() || now != 0;
}

/// A title for one object: "mw0: life of a memory window of type 2".
std::string title_of(const char* kind, std::size_t slot, std::string title) {
  title.front() = static_cast<char>(title.front() - 'A' + 'a');
  return fmt::format("{}{}: {}", kind, slot, title);
}

}  // namespace

std::vector<Diagram> paths_of(const Evidence& evidence) {
  const specs::ShownObjects shown(evidence.state, evidence.decisive());
  std::vector<Diagram> paths;
  if (shown.named_regions().empty() && shown.named_windows().empty()) return paths;
  const auto cycles = life_cycles(*evidence.book);
  const auto find = [&](const std::string& id) {
    return *std::find_if(cycles.begin(), cycles.end(), [&](const auto& d) { return d.id == id; });
  };
  for (const std::uint32_t slot : shown.named_windows()) {
    const bool two = evidence.state.windows.at(slot).two.truth();
    Diagram diagram = find(two ? "mw2" : "mw1");
    diagram.id = fmt::format("mw-{}", slot);
    diagram.title = title_of("mw", slot, diagram.title);
    if (mark(evidence, diagram, [&](const auto& state) { return window_stage(state, slot); }))
      paths.push_back(std::move(diagram));
  }
  for (const std::uint32_t slot : shown.named_regions()) {
    Diagram diagram = find("mr");
    diagram.id = fmt::format("mr-{}", slot);
    diagram.title = title_of("mr", slot, diagram.title);
    if (mark(evidence, diagram, [&](const auto& state) { return region_stage(state, slot); }))
      paths.push_back(std::move(diagram));
  }
  return paths;
}

}  // namespace mrproof::conformance
