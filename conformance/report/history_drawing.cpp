#include "conformance/report/history_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "conformance/report/report.hpp"
#include "model/trace/notation.hpp"
#include "model/trace/trace_form.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

constexpr std::size_t kMostSteps = 30;
constexpr double kColumn = 46, kLane = 40, kNames = 10, kTop = 22, kBar = 14, kLetter = 6.3;

/// From one step to another, both inclusive; drawn from the middle of the first to the middle of
/// the last.
struct Bar {
  std::size_t from = 0, to = 0;
  std::string text;    ///< in full, for who points at it
  bool called = true;  ///< it is a call or a request, and no object's life
  bool ends = false;   ///< a right is about to end: it may be gone at any moment in between
};

struct Lane {
  std::string name;
  const char* color = "--idle";
  std::vector<Bar> bars;
  std::uint8_t last = 0;  ///< label of the last call of its thread, or of its request
};

/// The object that a key belongs to, as a name in a trace.
std::optional<std::string> object_of(const KeyName& key) {
  switch (key.kind) {
    case KeyName::Kind::value: return std::nullopt;
    case KeyName::Kind::window_rkey:
    case KeyName::Kind::old_window_rkey: return fmt::format("mw{}", key.slot);
    default: return fmt::format("mr{}", key.slot);
  }
}

/// The object that the call makes or ends, if there is one.
std::optional<std::string> object_of(const Call<Plain>& call) {
  if (makes_region(call.verb) || call.verb == Verb::dereg_mr) return fmt::format("mr{}", call.mr);
  if (call.verb == Verb::alloc_mw || call.verb == Verb::dealloc_mw)
    return fmt::format("mw{}", call.mw);
  return std::nullopt;
}

bool ends_object(Verb verb) { return verb == Verb::dereg_mr || verb == Verb::dealloc_mw; }

class History {
 public:
  explicit History(const Evidence& evidence)
      : evidence_(evidence),
        steps_(evidence.trace.steps),
        first_(steps_.size() > kMostSteps ? steps_.size() - kMostSteps : 0) {}

  std::string draw() {
    gather_calls();
    if (lanes_.size() < 2) return "";
    gather_objects();
    return svg();
  }

 private:
  /// What the program does itself, and what is under way.
  void gather_calls() {
    lanes_.push_back({"program", "--idle", {}});
    for (std::size_t i = first_; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      if (step.call.part == Part::whole || !is_under_way(i))
        lanes_.front().bars.push_back({i, i, print_call(step)});
      else if (step.call.part == Part::posted)
        add_call(i);
    }
  }

  /// Behind another call it begins when that has returned.
  void add_call(std::size_t i) {
    Lane& lane = lane_of(steps_[i]);
    const std::size_t from = lane.bars.empty() ? i : lane.bars.back().to;
    lane.bars.push_back({from, end_of(i), print_call(steps_[i])});
  }

  /// Its thread's, if the thread makes it behind another call; else a new one.
  Lane& lane_of(const Step& step) {
    const auto before = std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& lane) {
      return step.call.follows != 0 && lane.last == step.call.follows;
    });
    Lane& lane = before != lanes_.end() ? *before : lanes_.emplace_back();
    lane.name += (lane.name.empty() ? "" : "; ") + print_call(step);
    lane.color = is_transfer(step.call.verb) ? "--blue" : "--warn";
    lane.last = step.call.label;
    return lane;
  }

  [[nodiscard]] bool is_under_way(std::size_t i) const {
    return steps_[i].call.part == Part::completion || is_in_flight(steps_[i]);
  }

  /// Where what began at that step came to its end; the last step if it did not.
  [[nodiscard]] std::size_t end_of(std::size_t begin) const {
    for (std::size_t i = begin + 1; i < steps_.size(); ++i)
      if (steps_[i].call.part == Part::completion &&
          steps_[i].call.label == steps_[begin].call.label)
        return i;
    return steps_.size() - 1;
  }

  /// The lives of the objects that what was under way names.
  void gather_objects() {
    std::map<std::string, Lane> named;
    for (std::size_t i = first_; i < steps_.size(); ++i) {
      if (!is_in_flight(steps_[i])) continue;
      for (const auto& name :
           {object_of(steps_[i].lkey), object_of(steps_[i].rkey), object_of(steps_[i].call)})
        if (name) named[*name] = {*name, "--good", {}};
    }
    for (auto& [name, lane] : named) {
      follow(name, lane);
      lanes_.push_back(lane);
    }
  }

  void follow(const std::string& name, Lane& lane) const {
    constexpr auto kNever = std::string::npos;
    std::size_t born = kNever;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      if (step.call.part == Part::completion || object_of(step.call) != name) continue;
      const std::size_t returns = is_in_flight(step) ? end_of(i) : i;
      if (steps_[returns].result.outcome != Outcome::ok) continue;
      if (!ends_object(step.call.verb)) {
        born = returns;
      } else if (born != kNever) {
        const std::size_t begin = std::max(born, i);  // its own thread may have made it
        add(lane, born, begin, false);
        add(lane, begin, returns, true);
        born = kNever;
      }
    }
    if (born != kNever) add(lane, born, steps_.size() - 1, false);
  }

  void add(Lane& lane, std::size_t from, std::size_t to, bool ends) const {
    if (to < first_) return;
    lane.bars.push_back(
        {std::max(from, first_), to, ends ? "it is about to end" : "it is there", false, ends});
  }

  [[nodiscard]] double x_of(std::size_t step) const {
    return kNames + (static_cast<double>(step - first_) + 0.5) * kColumn;
  }

  [[nodiscard]] std::string svg() const {
    std::size_t longest = 0;
    for (const Lane& lane : lanes_) longest = std::max(longest, lane.name.size());
    const double width =
        2 * kNames + std::max(static_cast<double>(steps_.size() - first_) * kColumn,
                              static_cast<double>(longest) * kLetter);
    const double height = kTop + static_cast<double>(lanes_.size()) * kLane + 8;
    std::string text = fmt::format(
        "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" "
        "aria-label=\"What was under way when\">\n",
        width, height);
    for (std::size_t i = first_; i < steps_.size(); ++i) text += column(i, height);
    double top = kTop;
    for (const Lane& lane : lanes_) {
      text += fmt::format(
          "<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"11\" fill=\"var(--ink)\" "
          "stroke=\"var(--paper)\" stroke-width=\"3\" paint-order=\"stroke\">{}"
          "</text>\n",
          kNames, top + 12, escaped(lane.name));
      for (const Bar& bar : lane.bars) text += drawn(bar, lane.color, top + 18);
      top += kLane;
    }
    return text + "</svg>\n";
  }

  [[nodiscard]] bool is_decisive(std::size_t step) const {
    return step + 1 == steps_.size() && evidence_.is_deviation();
  }

  /// The number of a step, a line for it, and a mark if it saw bytes that had changed.
  [[nodiscard]] std::string column(std::size_t i, double height) const {
    const bool decisive = is_decisive(i);
    const char* color = decisive ? "--bad" : "--line";
    std::string text = fmt::format(
        "<line x1=\"{0:.0f}\" x2=\"{0:.0f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\" stroke=\"var({3})\"/>\n"
        "<text x=\"{0:.0f}\" y=\"11\" font-size=\"11\" text-anchor=\"middle\" "
        "fill=\"var({4})\">{5}</text>\n",
        x_of(i), kTop - 4, height, color, decisive ? "--bad" : "--idle", i + 1);
    if (!steps_[i].bytes.empty())
      text += fmt::format(
          "<circle cx=\"{:.0f}\" cy=\"{:.0f}\" r=\"4\" fill=\"var({})\"><title>"
          "bytes have changed</title></circle>\n",
          x_of(i), kTop - 4, decisive ? "--bad" : "--blue");
    return text;
  }

  [[nodiscard]] std::string drawn(const Bar& bar, const char* color, double top) const {
    constexpr double kLeast = 8;
    const double left = x_of(bar.from) - kLeast / 2;
    return fmt::format(
        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"3\" "
        "fill=\"var({})\"{}><title>{}</title></rect>\n",
        left, top, x_of(bar.to) - x_of(bar.from) + kLeast, kBar,
        bar.called && is_decisive(bar.to) ? "--bad" : color,
        bar.ends ? " fill-opacity=\"0.35\"" : "", escaped(bar.text));
  }

  const Evidence& evidence_;
  const std::vector<Step>& steps_;
  std::size_t first_;
  std::vector<Lane> lanes_;
};

}  // namespace

std::string draw_history(const Evidence& evidence) { return History(evidence).draw(); }

}  // namespace mrproof::conformance
