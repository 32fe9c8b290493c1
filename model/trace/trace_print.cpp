#include <fmt/format.h>

#include <cctype>

#include "model/trace/notation.hpp"
#include "model/trace/trace.hpp"
#include "model/trace/trace_form.hpp"
#include "model/trace/trace_loops.hpp"

namespace mrproof::model {

namespace {

void append_receive(std::string& text, const char* name, const Plain::Small& seen) {
  const auto outcome = static_cast<Outcome>(seen.value());
  if (outcome == Outcome::none) return;
  text += name;
  text += print_outcome(outcome, true);
}

void append_state(std::string& text, const char* name, const Plain::Small& seen) {
  if (seen.value() == 0) return;
  text += name;
  text += kQpStateNames.at(seen.value());
}

std::string refusal(const Step& step) {
  const auto error = static_cast<std::uint32_t>(step.result.error.value());
  const auto reason = static_cast<std::uint32_t>(step.result.reason.value());
  if (step.call.verb != Verb::rereg_mr) return " " + print_errno(error);
  if (const auto code = name_of_value(kReregCodeNames, error))
    return fmt::format(" {} {}", *code, print_errno(reason));
  return " " + print_errno(error) + (reason == 0 ? "" : " " + print_errno(reason));
}

/// The keys that the result tells, unless nobody has given it any yet.
void append_keys(std::string& text, const Step& step) {
  const auto& r = step.result;
  const bool given = step.keys_seen || r.lkey.value() != 0 || r.rkey.value() != 0;
  if (!given || !tells_keys(step.call.verb, r)) return;
  if (tells_lkey(step.call.verb)) append_hexadecimal(text += " lkey=", r.lkey.value());
  append_hexadecimal(text += " rkey=", r.rkey.value());
}

void append_transfer(std::string& text, const Step& step) {
  const auto& r = step.result;
  append_state(text, " qp=", r.qp_state);
  append_state(text, " peer=", r.peer_state);
  append_receive(text, " own_receive=", r.own_receive);
  append_receive(text, " peer_receive=", r.peer_receive);
  if (r.received.value() != 0) append_number(text += " received=", r.received.value());
  if (r.outcome != Outcome::refused && !r.completion_matches.truth()) text += " mismatch";
}

void append_bytes(std::string& text, const Step& step) {
  for (const auto& run : step.bytes) {
    text += fmt::format(" bytes {}=", print_address(run.address));
    for (const auto byte : run.bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  }
}

}  // namespace

std::string print_capabilities(const Capabilities<Plain>& can) {
  const auto features = static_cast<std::uint32_t>(can.features.value());
  return fmt::format("given capabilities({}, {}{})\n",
      print_access(static_cast<std::uint32_t>(can.claimed.value())), can.max_message.value(),
      features == 0 ? "" : ", " + print_flags(kFeatureNames, features));
}

std::string print_guest(const GuestSetup& guest) {
  return fmt::format("seed {}, processors {}{}{}{}", guest.seed, guest.processors,
                     guest.preempt ? ", preempt" : "", guest.wire.empty() ? "" : ", wire ",
                     guest.wire);
}

std::string print_setup(const Setup& setup) {
  std::string text;
  for (std::size_t i = 0; i < setup.pd.size(); ++i)
    if (setup.pd.at(i))
      text += fmt::format("given pd{}{}\n", i, setup.process.at(i) == 0 ? ""
                                              : setup.hosts            ? " on host 1"
                                                                       : " in process 1");
  for (std::size_t i = 0; i < setup.qp_pd.size(); i += 2) {
    if (setup.qp_pd.at(i) == Setup::kAbsent) continue;
    text += fmt::format(
        "given qp{}(pd{}) <-> qp{}(pd{})\n", i, setup.qp_pd.at(i), i + 1, setup.qp_pd.at(i + 1));
  }
  return text;
}

void append_result(std::string& text, const Step& step) {
  if (!step.observed) return;
  const auto& r = step.result;
  if (is_in_flight(step)) {
    text += begun_word(step.call.verb);
    return append_bytes(text, step);
  }
  text += print_outcome(r.outcome, is_transfer(step.call.verb));
  if (r.outcome == Outcome::refused) text += refusal(step);
  append_keys(text, step);
  if (is_transfer(step.call.verb)) append_transfer(text, step);
  if (step.call.verb == Verb::query_qp) append_state(text, " qp=", r.qp_state);
  if (const auto rights = static_cast<std::uint32_t>(r.rights.value()); rights != 0)
    text += " access=" + print_access(rights & ~kRightsTold);
  append_bytes(text, step);
  if (step.timed_out) text += " timed_out";
}

std::string print_result(const Step& step) {
  std::string text;
  append_result(text, step);
  return text;
}

void append_annotation(std::string& text, const Annotation& a) {
  text += kVerdictNames.at(static_cast<std::size_t>(a.verdict));
  text += ' ';
  text += a.broken.empty() ? a.rule : print_name(a, ' ');
}

std::string print_annotation(const Annotation& a) {
  std::string text;
  append_annotation(text, a);
  return text;
}

Annotation annotate(const Judgement& judgement, const Step& step) {
  const auto* rule = judgement.rule;
  const auto unnamed = [&] {
    if (judgement.other) return rule_id(judgement.other->first, judgement.other->second);
    const auto verb = kVerbNames.at(static_cast<std::size_t>(step.call.verb));
    if (is_in_flight(step)) return fmt::format("{}.{}", verb, begun_word(step.call.verb));
    // Of calls that overlap, nothing is said of one alone.
    const bool returned = is_overlapping(step.call) && judgement.verdict == Verdict::conforms;
    return returned ? fmt::format("{}.returned", verb)
                    : rule_id(step.call.verb, step.result.outcome);
  };
  return {{rule == nullptr ? unnamed() : rule->id,
              judgement.kind, BrokenConditions(judgement.broken)},
      judgement.verdict};
}

std::string print_trace(const Trace& trace) {
  std::string text = "# mrproof trace v1\n";
  for (std::string comment : trace.comments) {
    // A comment is one line, whatever the device calls itself.
    for (char& c : comment)
      if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
    text += "#" + comment + "\n";
  }
  if (trace.dialect != "linux") text += fmt::format("given dialect({})\n", trace.dialect);
  if (trace.guest) text += fmt::format("given guest({})\n", print_guest(*trace.guest));
  if (trace.rounds != 1) text += fmt::format("given rounds({})\n", trace.rounds);
  text += print_capabilities(trace.can);
  text += print_setup(trace.setup);
  std::vector<std::string> steps;
  for (const auto& step : trace.steps) {
    std::string& lines = steps.emplace_back(print_call(step));
    if (const auto result = print_result(step); !result.empty()) lines += " -> " + result;
    lines += '\n';
    for (const auto& a : step.annotations) lines += "! " + print_annotation(a) + "\n";
    for (const auto& remark : step.remarks) lines += "!   " + remark + "\n";
  }
  return text + rolled(steps);
}

}  // namespace mrproof::model
