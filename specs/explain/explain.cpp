#include "specs/explain/explain.hpp"

#include <fmt/format.h>

#include "model/oracle/judge_trace.hpp"
#include "model/trace/notation.hpp"
#include "specs/explain/explain_deviation.hpp"
#include "specs/explain/shown_objects.hpp"

namespace mrproof::specs {

using namespace model;

namespace {

std::string access_of(const Plain::Flags& flags) {
  return model::print_access(static_cast<std::uint32_t>(flags.value()));
}

/// "64 bytes at buf0+0", as keys address them; where the memory is, if that is elsewhere.
template <class Holder>
std::string range_of(const Holder& holder) {
  const auto length = holder.last.value() - holder.first.value() + 1;
  std::string text = length == 0 ? "all addresses" : fmt::format("{} bytes", length);
  if (length != 0) text += " at " + model::print_address(holder.first.value());
  if (holder.memory.value() != holder.first.value())
    text += ", which are memory at " + model::print_address(holder.memory.value());
  return text;
}

std::string describe(std::size_t slot, const Region<Plain>& r) {
  std::string text = fmt::format("mr{}: in pd{}, ", slot, r.pd.value());
  if (r.null.truth()) return text + fmt::format("null region, lkey {:#x}", r.lkey.value());
  text += r.empty.truth() ? "no bytes" : range_of(r);
  text += ", access " + access_of(r.access);
  text += fmt::format(", lkey {:#x}, rkey {:#x}", r.lkey.value(), r.rkey.value());
  if (r.outside_buffers.truth()) text += ", of memory that is not in the buffers";
  if (r.unmapped.truth())
    text += fmt::format(", holds pages that the program unmapped ({} to {})",
                        model::print_address(r.unmapped_first.value()),
                        model::print_address(r.unmapped_last.value()));
  if (r.undefined.truth()) text += "; undefined: it may only be deregistered";
  return text;
}

std::string describe(std::size_t slot, const Window<Plain>& w) {
  std::string text = fmt::format("mw{}: type {}, in pd{}, rkey {:#x}", slot, w.two.truth() ? 2 : 1,
                                 w.pd.value(), w.rkey.value());
  if (w.bound.truth()) {
    text += fmt::format(", bound to mr{}", w.region.value());
    if (w.two.truth()) text += fmt::format(" through qp{}", w.qp.value());
    text += fmt::format(": {}, access {}", range_of(w), access_of(w.access));
  } else {
    text += ", not bound";
  }
  if (w.undefined.truth()) text += "; undefined: nothing says whether it still is as it was";
  return text;
}

std::string describe(std::size_t slot, const QueuePair<Plain>& qp) {
  std::string text =
      fmt::format("qp{}: in pd{}, {}", slot, qp.pd.value(), kQpStateNames.at(qp.state.value()));
  if (!qp.posted.truth()) return text + ", no receive posted";
  text += ", receive posted:";
  for (std::size_t i = 0; i < (qp.two.truth() ? 2U : 1U); ++i) {
    const auto& e = qp.elements.at(i);
    text += fmt::format("{} {} bytes at {} by lkey {:#x}", i == 0 ? "" : " +", e.length.value(),
                        model::print_address(e.address.value()), e.lkey.value());
  }
  return text;
}

std::string describe(std::size_t slot, const Buffer<Plain>& b) {
  return fmt::format("buf{}: {} to {} {}", slot, model::print_address(b.hole_first.value()),
                     model::print_address(b.hole_last.value()),
                     b.read_only.truth() ? "read-only" : "not mapped");
}

/// The rule's terms: what had to hold, and which of its reasons do.
void tell_rule(const PlainRule& rule, const PlainView& view, std::vector<std::string>& lines) {
  const auto tell = [&](const char* title, const Term<Plain>& term) {
    lines.push_back(fmt::format("  {}{}{}", title, term.holds ? "" : "it is not so that ",
                                term.condition->sentence));
  };
  for (const auto& term : rule.requires_all) tell("since ", term);
  for (const auto& term : rule.reasons)
    if (term.condition->holds(view).truth() == term.holds) tell("for the reason that ", term);
}

std::string others(const Rulebook& book, const PlainView& view) {
  const OutcomeSet set = allowed(book, view);
  std::string names;
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    if (!set.contains(outcome) || outcome == view.result.outcome) continue;
    names += names.empty() ? "" : ", ";
    names += model::print_outcome(outcome, is_transfer(view.call.verb));
  }
  return names;
}

void tell_step(const model::Step& step, const Rulebook& book, const State<Plain>& before,
               std::vector<std::string>& lines) {
  const PlainView view{before, step.call, step.result};
  const model::Annotation& a = step.annotations.front();
  lines.push_back(model::print_annotation(a));
  const PlainRule* rule = book.find(a.rule);
  if (a.verdict == Verdict::deviates) {
    for (const auto& remark : step.remarks) lines.push_back("  " + remark);
    return;
  }
  if (a.verdict == Verdict::hang || rule == nullptr) return;
  tell_rule(*rule, view, lines);
  if (const auto names = others(book, view); !names.empty())
    lines.push_back("also allowed here: " + names);
}

}  // namespace

std::vector<std::string> describe_state(const State<Plain>& state, const model::Step& step) {
  constexpr std::size_t kManyPds = 40;
  std::vector<std::string> lines;
  std::string pds;
  std::size_t count = 0;
  for (std::size_t i = 0; i < state.pds.size(); ++i)
    if (state.pds.at(i).live.truth() && ++count <= kManyPds)
      pds += fmt::format("{}pd{}", pds.empty() ? "" : ", ", i);
  if (count > kManyPds) pds += fmt::format(" and {} more PDs", count - kManyPds);
  lines.push_back(pds.empty() ? "no PD" : pds);
  const auto add = [&](const auto& slots, auto&& is_shown) {
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (slots.at(i).live.truth() && is_shown(i)) lines.push_back(describe(i, slots.at(i)));
  };
  const ShownObjects shown(state, step);
  add(state.regions, [&](std::size_t i) { return shown.region(i); });
  add(state.windows, [&](std::size_t i) { return shown.window(i); });
  if (!shown.hidden().empty()) lines.push_back(shown.hidden());
  add(state.qps, [](std::size_t) { return true; });
  for (std::size_t i = 0; i < state.buffers.size(); ++i)
    if (state.buffers.at(i).hole.truth()) lines.push_back(describe(i, state.buffers.at(i)));
  return lines;
}

std::string explain_trace(const model::Trace& trace, const Rulebook& book,
                          const std::string& file) {
  const model::Trace judged = model::judge_trace(trace, book, file, explain_deviation);
  std::string text = fmt::format("dialect {}\nat the start:\n", book.dialect());
  const auto tell_state = [&](const State<Plain>& state, const model::Step& step = {}) {
    for (const auto& line : describe_state(state, step)) text += "    " + line + "\n";
  };
  model::RecordedCase recorded(judged, book);
  tell_state(recorded.oracle().state());
  for (int number = 1; const model::Step* step = recorded.next(); ++number) {
    const auto result = model::print_result(*step);
    text += fmt::format("\n{}. {}{}{}\n", number, model::print_call(*step),
                        result.empty() ? "" : " -> ", result);
    std::vector<std::string> lines;
    tell_step(*step, book, recorded.oracle().state(), lines);
    for (const auto& line : lines) text += "  " + line + "\n";
    const auto verdict = recorded.judge().verdict;
    if (verdict == Verdict::deviates || verdict == Verdict::hang) break;
    text += "  after it:\n";
    tell_state(recorded.oracle().state(), *step);
  }
  if (judged.steps.size() < trace.steps.size())
    text += fmt::format("\n{} more steps are not judged: the state is not known any more\n",
                        trace.steps.size() - judged.steps.size());
  return text;
}

}  // namespace mrproof::specs
