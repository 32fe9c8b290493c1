#include "conformance/report/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/report/report.hpp"
#include "model/oracle/memory.hpp"
#include "model/oracle/recorded_case.hpp"
#include "model/trace/layout.hpp"
#include "model/trace/notation.hpp"
#include "model/view.hpp"
#include "specs/explain/shown_objects.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

/// Pixels of the drawing: buffers to the right of their names.
constexpr double kLeft = 50;
constexpr double kScale = 640.0 / static_cast<double>(model::kLastBufferSize);
constexpr double kRow = 52;

std::string box(std::uint64_t address, std::uint64_t length, double top, double height,
                const std::string& style, const std::string& title) {
  const std::uint64_t index = (address - model::kBufferBase) / model::kBufferStride;
  const double x =
      kLeft + static_cast<double>((address - model::kBufferBase) % model::kBufferStride) * kScale;
  const double width = std::max(2.0, static_cast<double>(length) * kScale);
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}>"
      "<title>{}</title></rect>\n",
      x, 6 + static_cast<double>(index) * kRow + top, width, height, style, escaped(title));
}

/// A live region or bound window, if its memory is in a buffer.
template <class Holder>
std::string draw_holder(const Holder& h, double top, const char* color, const std::string& name) {
  const std::uint64_t length = h.last.value() - h.first.value() + 1;
  if (!model::Memory::contains(h.memory.value(), length)) return "";
  return box(h.memory.value(), length, top, 4, fmt::format("fill=\"var({})\"", color),
             fmt::format("{} in pd{}, {} bytes, {}", name, h.pd.value(), length,
                         model::print_access(static_cast<std::uint32_t>(h.access.value()))));
}

std::string draw_holders(const State<Plain>& state, const specs::ShownObjects& shown) {
  std::string text;
  for (std::size_t i = 0; i < state.regions.size(); ++i) {
    const auto& r = state.regions.at(i);
    if (r.live.truth() && !r.null.truth() && shown.region(i))
      text += draw_holder(r, static_cast<double>(i % 4) * 5 + 1, "--idle", fmt::format("mr{}", i));
  }
  for (std::size_t i = 0; i < state.windows.size(); ++i) {
    const auto& w = state.windows.at(i);
    if (w.live.truth() && w.bound.truth() && shown.window(i))
      text += draw_holder(w, 21 + static_cast<double>(i % 2) * 5, "--good", fmt::format("mw{}", i));
  }
  return text;
}

std::string draw_buffers(const State<Plain>& state) {
  std::string text;
  for (std::size_t i = 0; i < model::kBufferCount; ++i) {
    text += fmt::format("<text x=\"4\" y=\"{:.0f}\">buf{}</text>\n",
                        24 + static_cast<double>(i) * kRow, i);
    text += box(model::buffer_address(i), model::buffer_size(i), 0, 46, "fill=\"var(--soft)\"",
                fmt::format("buf{}, {} bytes", i, model::buffer_size(i)));
    const auto& b = state.buffers.at(i);
    if (b.hole.truth())
      text += box(b.hole_first.value(), b.hole_last.value() - b.hole_first.value() + 1, 0, 46,
                  "fill=\"none\" stroke=\"var(--bad)\" stroke-dasharray=\"4 3\"",
                  b.read_only.truth() ? "read-only pages" : "pages that are not mapped");
  }
  return text;
}

/// The range that a side of the step means, if its key leads anywhere.
std::string draw_side(const Target<Plain>& target, double top, const char* color,
                      const char* what) {
  if (target.length.value() == 0 || !target.key_is_live().truth()) return "";
  const std::uint64_t address = target.piece(target.length).at.value();
  const std::uint64_t length = std::min<std::uint64_t>(target.length.value(), model::kBufferSize);
  if (!model::Memory::contains(address, 0)) return "";
  return box(address, length, top, 6, fmt::format("fill=\"var({})\"", color),
             fmt::format("{}, {} bytes", what, target.length.value()));
}

std::string draw_ranges(const PlainView& view) {
  const auto& call = view.call;
  std::string text;
  if (has_elements(call.verb))
    for (std::size_t i = 0; i < call.elements; ++i)
      text += draw_side(view.element(i, 0), 32, "--blue", "local range");
  if (is_remote(call.verb)) text += draw_side(view.remote(), 39, "--bad", "remote range");
  if (is_send(call.verb) && view.state.qps.at(peer_of(call.qp)).posted.truth())
    for (std::size_t i = 0; i < 2; ++i) text += draw_side(view.receive(i), 39, "--bad", "receive");
  if (is_bind(call.verb) && model::Memory::contains(call.address.value(), 1))
    text += box(call.address.value(), std::min(call.length.value(), model::kLastBufferSize), 39, 6,
                "fill=\"var(--bad)\"", "range to be bound");
  return text;
}

}  // namespace

std::string draw(const model::Trace& trace, const Rulebook& book) {
  if (trace.steps.empty()) return "";
  const model::Oracle oracle = model::oracle_before(trace, book, trace.steps.size() - 1);
  model::Step step = trace.steps.back();
  oracle.resolve(step);
  const PlainView view{oracle.state(), step.call, step.result};
  return fmt::format(
             "<svg viewBox=\"0 0 700 {:.0f}\" role=\"img\" aria-label=\"buffers, regions and "
             "windows before the step\">\n",
             kRow * model::kBufferCount + 38) +
         draw_buffers(oracle.state()) + draw_holders(oracle.state(), {oracle.state(), step}) +
         draw_ranges(view) +
         fmt::format(
             "<text x=\"{0:.0f}\" y=\"{1:.0f}\">grey: regions; green: windows; dashed: pages taken "
             "away</text>\n<text x=\"{0:.0f}\" y=\"{2:.0f}\">blue: local ranges; red: remote "
             "range, "
             "receive or bind</text></svg>\n",
             kLeft, kRow * model::kBufferCount + 16, kRow * model::kBufferCount + 32);
}

}  // namespace mrproof::conformance
