#include "conformance/report/finding_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/trace/trace_form.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

/// The slots that a step names, by its arguments or by its keys.
struct Named {
  std::set<std::uint32_t> regions;
  std::set<std::uint32_t> windows;
};

void add_key(const model::KeyName& key, Named& named) {
  using Kind = model::KeyName::Kind;
  if (key.kind == Kind::value) return;
  const bool window = key.kind == Kind::window_rkey || key.kind == Kind::old_window_rkey;
  (window ? named.windows : named.regions).insert(key.slot);
}

Named named_by(const model::Step& step) {
  Named named;
  const model::Form form = model::form_of(step.call.verb);
  const auto add = [&](model::Argument argument) {
    if (argument == model::Argument::mr) named.regions.insert(step.call.mr);
    if (argument == model::Argument::source) named.regions.insert(step.call.source);
    if (argument == model::Argument::mw) named.windows.insert(step.call.mw);
    if (argument == model::Argument::rkey) add_key(step.rkey, named);
    if (argument != model::Argument::elements) return;
    add_key(step.lkey, named);
    if (step.call.elements == 2) add_key(step.second, named);
  };
  add(form.target);
  for (const model::Argument argument : form.arguments) add(argument);
  return named;
}

/// Marks in the diagram how the object went; false if it was never there.
template <class StageOf>
bool mark(const Evidence& evidence, Diagram& diagram, StageOf&& stage_of) {
  diagram.of_path = true;
  const auto place = [&](std::size_t stage) { return "“" + diagram.states.at(stage).name + "”"; };
  for (auto& state : diagram.states) state.note.clear();
  bool moved = false;
  std::size_t now = stage_of(evidence.before.front());
  diagram.states.at(now).passed = true;
  diagram.caption = place(now);
  for (std::size_t i = 0; i + 1 < evidence.before.size(); ++i) {
    const std::size_t next = stage_of(evidence.before.at(i + 1));
    if (next == now) continue;
    const model::Step& step = evidence.trace.steps.at(i);
    const auto* rule = evidence.book->find(step.annotations.front().rule);
    const auto verb = kVerbNames.at(static_cast<std::size_t>(step.call.verb));
    diagram.transitions.push_back({now, next, rule, fmt::format("step {}: {}", i + 1, verb)});
    if (rule == nullptr) diagram.transitions.back().rule = evidence.book->rules().front();
    diagram.caption += fmt::format(", by step {} {}", i + 1, place(next));
    diagram.states.at(next).passed = moved = true;
    now = next;
  }
  diagram.caption += fmt::format("; there step {} is made.", evidence.before.size());
  diagram.states.at(now).here = true;
  diagram.states.at(now).note = fmt::format("step {} is made here", evidence.before.size());
  return moved || now != 0;
}

/// A title for one object: "mw0: life of a memory window of type 2".
std::string title_of(const char* kind, std::size_t slot, std::string title) {
  title.front() = static_cast<char>(title.front() - 'A' + 'a');
  return fmt::format("{}{}: {}", kind, slot, title);
}

}  // namespace

std::vector<Diagram> paths_of(const Evidence& evidence) {
  const Named named = named_by(evidence.decisive());
  std::vector<Diagram> paths;
  if (named.regions.empty() && named.windows.empty()) return paths;
  const auto cycles = life_cycles(*evidence.book);
  const auto find = [&](const std::string& id) {
    return *std::find_if(cycles.begin(), cycles.end(), [&](const auto& d) { return d.id == id; });
  };
  for (const std::uint32_t slot : named.windows) {
    const bool two = evidence.before.back().windows.at(slot).two.truth();
    Diagram diagram = find(two ? "mw2" : "mw1");
    diagram.id = fmt::format("mw-{}", slot);
    diagram.title = title_of("mw", slot, diagram.title);
    if (mark(evidence, diagram, [&](const auto& state) { return window_stage(state, slot); }))
      paths.push_back(std::move(diagram));
  }
  Named regions = named;  // those that windows open, too
  for (const std::uint32_t slot : named.windows) {
    const auto& window = evidence.before.back().windows.at(slot);
    if ((window.live & window.bound).truth()) regions.regions.insert(window.region.value());
  }
  for (const std::uint32_t slot : regions.regions) {
    Diagram diagram = find("mr");
    diagram.id = fmt::format("mr-{}", slot);
    diagram.title = title_of("mr", slot, diagram.title);
    if (mark(evidence, diagram, [&](const auto& state) { return region_stage(state, slot); }))
      paths.push_back(std::move(diagram));
  }
  return paths;
}

}  // namespace mrproof::conformance
