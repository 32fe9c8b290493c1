#include "specs/explain/shown_objects.hpp"

#include <fmt/format.h>

#include "model/trace/trace_form.hpp"

namespace mrproof::specs {

using namespace model;

ShownObjects::ShownObjects(const State<Plain>& state, const model::Step& step) {
  name(step);
  for (const std::uint32_t slot : windows_.named) {
    const auto& window = state.windows.at(slot);
    if ((window.live & window.bound).truth()) regions_.named.insert(window.region.value());
  }
  for (const auto& region : state.regions) regions_.live += region.live.truth() ? 1 : 0;
  for (const auto& window : state.windows) windows_.live += window.live.truth() ? 1 : 0;
}

void ShownObjects::name(const model::KeyName& key) {
  using Kind = model::KeyName::Kind;
  if (key.kind == Kind::value) return;
  const bool window = key.kind == Kind::window_rkey || key.kind == Kind::old_window_rkey;
  (window ? windows_ : regions_).named.insert(key.slot);
}

void ShownObjects::name(const model::Step& step) {
  const auto add = [&](model::Argument argument) {
    if (argument == model::Argument::mr) regions_.named.insert(step.call.mr);
    if (argument == model::Argument::source) regions_.named.insert(step.call.source);
    if (argument == model::Argument::mw) windows_.named.insert(step.call.mw);
    if (argument == model::Argument::rkey) name(step.rkey);
    if (argument != model::Argument::elements) return;
    name(step.lkey);
    if (step.call.elements == 2) name(step.second);
  };
  const model::Form form = model::form_of(step.call.verb);
  add(form.target);
  for (const model::Argument argument : form.arguments) add(argument);
}

std::string ShownObjects::hidden() const {
  std::string text;
  const auto tell = [&](const Some& kind, const char* what) {
    if (!kind.few()) text += fmt::format("{}{} {}", text.empty() ? "" : " and ", kind.live, what);
  };
  tell(regions_, "regions");
  tell(windows_, "windows");
  return text.empty() ? text : text + ", of which those are shown that the step names";
}

}  // namespace mrproof::specs
