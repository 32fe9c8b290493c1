#include "conformance/report/finding_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "conformance/report/report.hpp"
#include "model/trace/layout.hpp"
#include "model/trace/notation.hpp"
#include "model/view.hpp"
#include "specs/explain/shown_objects.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

// Pixels. A character of the 11 pixel sans-serif is at most 6.6 wide on average.
constexpr double kWidth = 360;
constexpr double kLeft = 6;
constexpr double kRight = kWidth - 6;
constexpr double kLine = 14;
constexpr std::size_t kLetters = 52;  // in a line of text

/// A stretch of a buffer and what is to be said of it.
struct Stretch {
  std::uint64_t first = 0;  ///< offset in the buffer
  std::uint64_t end = 0;    ///< past its last byte; may lie past the buffer's
  std::string style;
  std::vector<std::string> words;  ///< a line each
};

/// The buffer that an address lies in, or just behind.
std::optional<std::size_t> buffer_of(std::uint64_t address) {
  for (std::size_t i = 0; i < model::kBufferCount; ++i)
    if (address - model::buffer_address(i) <= model::buffer_size(i)) return i;
  return std::nullopt;
}

/// Words in lines that fit.
void add_words(std::vector<std::string>& lines, const std::string& text) {
  std::string rest = text;
  while (rest.size() > kLetters) {
    std::size_t end = rest.find_last_of(" |", kLetters);
    if (end == std::string::npos || end < kLetters / 2) end = kLetters - 1;
    lines.emplace_back(rest, 0, end + 1);
    rest.erase(0, end + 1);
  }
  if (!rest.empty()) lines.push_back(rest);
}

class Drawing {
 public:
  explicit Drawing(const Evidence& evidence) : evidence_(evidence) {}

  std::string draw() {
    collect();
    std::string body;
    double top = 4;
    for (std::size_t i = 0; i < model::kBufferCount; ++i)
      if (!shelves_.at(i).empty()) body += draw_shelf(i, top);
    if (body.empty()) return body;
    return fmt::format(
               "<svg class=\"memory\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
               "aria-label=\"buffers, regions and windows before the step\">\n",
               kWidth, top) +
           body + "</svg>\n";
  }

 private:
  void add(std::uint64_t address, std::uint64_t length, const std::string& style,
           const std::string& words) {
    const auto index = buffer_of(address);
    if (!index) return;
    const std::uint64_t first = address - model::buffer_address(*index);
    const std::uint64_t room = model::kBufferStride - first;
    Stretch stretch{first, first + std::min(length, room), style, {}};
    add_words(stretch.words, words);
    shelves_.at(*index).push_back(stretch);
  }

  void collect() {
    const auto& state = evidence_.state;
    for (std::size_t i = 0; i < model::kBufferCount; ++i) {
      const auto& b = state.buffers.at(i);
      if (b.hole.truth())
        add(b.hole_first.value(), b.hole_last.value() - b.hole_first.value() + 1,
            "fill=\"none\" stroke=\"var(--idle)\" stroke-dasharray=\"4 3\"",
            b.read_only.truth() ? "read-only pages" : "pages that are not mapped");
    }
    const specs::ShownObjects shown(state, evidence_.decisive());
    for (std::size_t i = 0; i < state.regions.size(); ++i)
      if (shown.region(i)) add_region(i, state.regions.at(i));
    for (std::size_t i = 0; i < state.windows.size(); ++i)
      if (shown.window(i)) add_window(i, state.windows.at(i));
    add_step();
    for (const auto& run : evidence_.decisive().bytes)
      add(run.address, run.bytes.size(), "fill=\"var(--bad)\"",
          fmt::format("changed, and should not have: {} byte{}", run.bytes.size(),
                      run.bytes.size() == 1 ? "" : "s"));
  }

  void add_region(std::size_t slot, const Region<Plain>& r) {
    if (!r.live.truth() || r.null.truth() || r.outside_buffers.truth()) return;
    add(r.memory.value(), r.empty.truth() ? 0 : r.last.value() - r.first.value() + 1,
        fmt::format("fill=\"var(--pd{})\"", r.pd.value()),
        fmt::format("mr{} in pd{}, lkey {:#x}, rkey {:#x}: {}", slot, r.pd.value(), r.lkey.value(),
                    r.rkey.value(),
                    model::print_access(static_cast<std::uint32_t>(r.access.value()))));
  }

  void add_window(std::size_t slot, const Window<Plain>& w) {
    if (!w.live.truth() || !w.bound.truth()) return;
    add(w.memory.value(), w.last.value() - w.first.value() + 1,
        fmt::format("fill=\"none\" stroke=\"var(--pd{})\" stroke-width=\"2\"", w.pd.value()),
        fmt::format("mw{} in pd{}, rkey {:#x}, bound to mr{}: {}", slot, w.pd.value(),
                    w.rkey.value(), w.region.value(),
                    model::print_access(static_cast<std::uint32_t>(w.access.value()))));
  }

  /// Where the bytes lie that a key opens; the address itself where the key opens nothing.
  void add_range(const Target<Plain>& target, const std::string& color, const std::string& what) {
    const bool live = target.key_is_live().truth();
    const auto at = live ? target.piece(target.length).at.value() : target.start.value();
    add(at, target.length.value(), fmt::format("fill=\"var({})\"", color),
        fmt::format("step {}: {}, {} bytes{}", evidence_.trace.steps.size(), what,
                    target.length.value(), live ? "" : ", by a key that nothing has"));
  }

  void add_step() {
    const auto view = evidence_.view();
    const auto& c = view.call;
    if (has_elements(c.verb))
      for (std::size_t i = 0; i < c.elements; ++i)
        add_range(view.element(i, 0), "--blue", "local range");
    if (is_remote(c.verb)) add_range(view.remote(), "--bad", "remote range");
    if (is_send(c.verb) && view.state.qps.at(peer_of(c.qp)).posted.truth())
      for (std::size_t i = 0; i < (view.state.qps.at(peer_of(c.qp)).two.truth() ? 2U : 1U); ++i)
        add_range(view.receive(i, true), "--bad", "receive");
    const bool registers = c.verb >= Verb::reg_mr && c.verb <= Verb::reg_mr_ex;
    if (is_bind(c.verb) || registers)
      add(c.address.value(), c.length.value(), "fill=\"var(--bad)\"",
          fmt::format("step {}: range to be {}, {} bytes", evidence_.trace.steps.size(),
                      registers ? "registered" : "bound", c.length.value()));
  }

  /// Where each offset of interest stands: equal order, lengths by their logarithm.
  static std::vector<std::pair<std::uint64_t, double>> axis(std::size_t index,
                                                            const std::vector<Stretch>& stretches) {
    std::set<std::uint64_t> offsets{0, model::buffer_size(index)};
    for (const auto& s : stretches) {
      offsets.insert(s.first);
      offsets.insert(s.end);
    }
    std::vector<double> weights;
    double sum = 0;
    for (auto it = std::next(offsets.begin()); it != offsets.end(); ++it) {
      weights.push_back(2 + std::log2(1 + static_cast<double>(*it - *std::prev(it))));
      sum += weights.back();
    }
    std::vector<std::pair<std::uint64_t, double>> places;
    double x = kLeft;
    std::size_t next = 0;
    for (const std::uint64_t offset : offsets) {
      places.emplace_back(offset, x);
      if (next < weights.size()) x += weights.at(next++) / sum * (kRight - kLeft);
    }
    return places;
  }

  static std::string text(double x, double y, const std::string& words, const char* rest = "") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x, y, rest, escaped(words));
  }

  static std::string rect(double x, double y, double width, double height,
                          const std::string& style) {
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n",
                       x, y, std::max(width, 2.0), height, style);
  }

  /// Offsets under the buffer; each in a row where it has room.
  static std::string draw_offsets(const std::vector<std::pair<std::uint64_t, double>>& places,
                                  double& top) {
    std::string body;
    std::vector<double> taken;
    for (const auto& [offset, x] : places) {
      const auto words = fmt::format("+{}", offset);
      const double width = 6.6 * static_cast<double>(words.size());
      const double left = std::clamp(x - width / 2, kLeft, kRight - width);
      std::size_t row = 0;
      while (row < taken.size() && taken.at(row) > left) ++row;
      if (row == taken.size()) taken.push_back(0);
      taken.at(row) = left + width + 5;
      const double y = top + 11 + static_cast<double>(row) * 12;
      body += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"var(--line)\"/>\n", x,
                          top - 4, y - 9);
      body += text(left, y, words, " class=\"offset\"");
    }
    top += 12 * static_cast<double>(taken.size()) + 4;
    return body;
  }

  std::string draw_shelf(std::size_t index, double& top) const {
    const auto& stretches = shelves_.at(index);
    const auto places = axis(index, stretches);
    const auto x_of = [&](std::uint64_t offset) {
      return std::find_if(places.begin(), places.end(),
                          [&](const auto& place) { return place.first == offset; })
          ->second;
    };
    std::string body =
        text(kLeft, top + 11, fmt::format("buf{} at {:#x}", index, model::buffer_address(index)),
             " class=\"name\"");
    top += 16;
    const double buffer_end = x_of(model::buffer_size(index));
    body += rect(kLeft, top, buffer_end - kLeft, 12, "fill=\"var(--soft)\" stroke=\"var(--line)\"");
    top += 16;
    body += draw_offsets(places, top);
    for (const auto& s : stretches) {
      for (const auto& words : s.words) body += text(kLeft, top += kLine, words);
      top += 4;
      body += rect(x_of(s.first), top, x_of(s.end) - x_of(s.first), 6, s.style);
      top += 8;
    }
    top += 14;
    return body;
  }

  const Evidence& evidence_;
  std::array<std::vector<Stretch>, model::kBufferCount> shelves_;
};

}  // namespace

std::string draw_finding(const Evidence& evidence) { return Drawing(evidence).draw(); }

}  // namespace mrproof::conformance
