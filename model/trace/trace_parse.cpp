#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "model/trace/notation.hpp"
#include "model/trace/trace_form.hpp"
#include "model/trace/trace_loops.hpp"
#include "model/trace/trace_parse.hpp"

namespace mrproof::model {

namespace {

/// The label that stands before the sign, which is left, or alone; 0 if there is none.
std::uint8_t label_before(LineScanner& in, std::string_view sign) {
  const auto word = in.next_word();
  if (word.size() != 1 || word[0] < 'a' || word[0] > 'z') return 0;
  LineScanner behind = in;
  behind.take(word);
  behind.skip_blanks();
  if (!behind.rest().starts_with(sign) && (sign != "->" || !behind.at_end())) return 0;
  in = behind;
  return static_cast<std::uint8_t>(word[0] - 'a' + 1);
}

/// The request in flight of that label; null if there is none.
const Step* in_flight(std::uint8_t label, const std::vector<Step>& steps) {
  const auto posted = std::find_if(
      steps.rbegin(), steps.rend(), [&](const Step& step) { return step.call.label == label; });
  if (posted == steps.rend() || posted->call.part != Part::posted) return nullptr;
  if (posted->observed && posted->result.outcome != Outcome::none) return nullptr;
  const bool abandoned = std::any_of(steps.rbegin(), posted, [&](const Step& step) {
    return abandons(step.call, posted->call) && step.result.outcome == Outcome::ok;
  });
  return abandoned ? nullptr : &*posted;
}

/// "after a:", the label of a call that was begun; 0 if it is not there.
std::uint8_t parse_follows(LineScanner& in, const std::vector<Step>& steps) {
  LineScanner behind = in;
  if (!behind.take("after ")) return 0;
  const auto label = label_before(behind, ":");
  if (label == 0) return 0;
  behind.expect(":");
  const Step* before = in_flight(label, steps);
  if (before == nullptr || is_transfer(before->call.verb))
    in.fail_at(0, "no call of this label has begun; begin one before, as "
                  "'a: reg_mr(...) -> begun'");
  in = behind;
  return label;
}

/// "after 37 us:"; 0 if it is not there.
std::uint32_t parse_delay(LineScanner& in) {
  if (in.next_word() != "after") return 0;
  in.expect("after");
  const std::size_t start = in.position();
  const auto delay = in.number(kMostDelay, "how many microseconds are waited before the call");
  if (delay == 0) in.fail_at(start, "a delay is one microsecond at least; take it away");
  in.expect("us:");
  return static_cast<std::uint32_t>(delay);
}

/// "a: rdma_write(...)", "a" or a whole call, behind what it follows and the delay, if they are
/// there.
void parse_part(LineScanner& in, const std::vector<Step>& steps, Step& step) {
  const auto follows = parse_follows(in, steps);
  const auto delay = parse_delay(in);
  if (const auto label = label_before(in, "->")) {
    if (delay != 0 || follows != 0)
      in.fail_at(0, "completions are waited for in any case; take 'after' away");
    const Step* posted = in_flight(label, steps);
    if (posted == nullptr)
      in.fail_at(0, "no request of this label is in flight, and no call has begun; post one "
                    "before, as 'a: rdma_write(...) -> posted', or begin one, as "
                    "'a: dereg_mr(...) -> begun'");
    static_cast<PlannedCall&>(step) = end_of(*posted);
    return;
  }
  const auto label = label_before(in, ":");
  if (label != 0) in.expect(":");
  parse_call(in, step);
  step.call.delay = delay;
  step.call.follows = follows;
  if (follows != 0 && (label == 0 || is_transfer(step.call.verb)))
    in.fail_at(0, "what a thread makes behind another call has a label and is no work request; "
                  "write 'after a: b: dereg_mr(...)', for instance");
  if (label == 0 && is_transfer(step.call.verb) && (step.call.flags.value() & kLinked) != 0)
    in.fail_at(0, "what is linked with the next request is in flight; put a label before it, as "
                  "'a: '");
  if (label == 0) return;
  if (!is_transfer(step.call.verb) && !may_overlap(step.call.verb))
    in.fail_at(0, "work requests of a send queue can be in flight, and calls on objects can "
                  "overlap; take the label away");
  if (in_flight(label, steps) != nullptr)
    in.fail_at(0, "a request of this label is in flight already; take another letter");
  step.call.label = label;
  step.call.part = Part::posted;
}

Step parse_step(LineScanner& in, std::size_t line, const std::vector<Step>& steps) {
  Step step;
  step.line = line;
  step.result.own_receive = Plain::small(Outcome::none);
  step.result.peer_receive = Plain::small(Outcome::none);
  parse_part(in, steps, step);
  if (in.take("->")) parse_result(in, step);
  in.expect_end();
  return step;
}

std::string parse_dialect(LineScanner& in) {
  in.skip_blanks();
  const auto name =
      in.rest().substr(0, in.rest().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"));
  if (name.empty()) in.fail("expected a dialect's name, such as linux or mlnx-exp");
  in.take(name);
  return std::string(name);
}

void parse_capabilities(LineScanner& in, Capabilities<Plain>& can) {
  can.claimed = Plain::flags(parse_flags(in, kAccessNames, "an access flag"));
  in.expect(",");
  can.max_message = Plain::address(in.number(kMostAddress, "the longest message"));
  can.features = Plain::flags(in.take(",") ? parse_flags(in, kFeatureNames, "a feature") : 0);
}

/// "pd0", "pd1 in process 1", or "pd1 on host 1".
void parse_pd(LineScanner& in, Setup& setup) {
  const auto pd = in.handle("pd", Plain::kPds);
  setup.pd.at(pd) = true;
  const bool host = in.take("on host");
  if (!host && !in.take("in process")) return;
  setup.process.at(pd) = static_cast<std::uint8_t>(
      in.number(1, host ? "0 or 1, a host's number" : "0 or 1, a process's number"));
  setup.hosts = setup.hosts || host;
}

/// "qp0(pd0) <-> qp1(pd0)".
void parse_pair(LineScanner& in, Setup& setup) {
  const std::size_t start = in.position();
  std::uint32_t first = 0;
  for (std::uint32_t end = 0; end < 2; ++end) {
    if (end == 1) in.expect("<->");
    const auto qp = in.handle("qp", Plain::kQps);
    in.expect("(");
    const auto pd = in.handle("pd", Plain::kPds);
    in.expect(")");
    if (!setup.pd.at(pd)) in.fail(fmt::format("pd{} is not given before this line", pd));
    if (qp % 2 != end || (end == 1 && qp != first + 1))
      in.fail_at(start, "queue pairs come as qp0 <-> qp1 or qp2 <-> qp3");
    setup.qp_pd.at(qp) = pd;
    if (end == 0) first = qp;
  }
}

/// What netem does to packets, up to the bracket.
std::string parse_wire(LineScanner& in) {
  in.skip_blanks();
  const std::string text(in.rest().substr(0, in.rest().find(')')));
  if (!is_of_wire(text))
    in.fail("what netem(8) does to packets is expected: loss 5% duplicate 2%, for instance");
  in.expect(text);
  return text;
}

/// "seed 3, processors 2, preempt, wire loss 5% duplicate 2%".
GuestSetup parse_guest(LineScanner& in) {
  GuestSetup guest;
  in.expect("seed");
  guest.seed = static_cast<std::uint32_t>(in.number(0xffffffff, "the guest's seed"));
  in.expect(",");
  in.expect("processors");
  const std::size_t start = in.position();
  guest.processors = static_cast<std::uint32_t>(in.number(64, "how many processors it has"));
  if (guest.processors == 0) in.fail_at(start, "a guest has one processor at least");
  bool more = in.take(",");
  in.skip_blanks();
  if (more && in.take("preempt")) {
    guest.preempt = true;
    more = in.take(",");
  }
  if (more) {
    in.expect("wire", guest.preempt ? "" : "; or preempt");
    guest.wire = parse_wire(in);
  }
  return guest;
}

std::uint32_t parse_rounds(LineScanner& in) {
  const std::size_t start = in.position();
  const auto rounds = in.number(1'000'000, "how often the calls are made");
  if (rounds == 0) in.fail_at(start, "the calls are made once at least");
  return static_cast<std::uint32_t>(rounds);
}

void parse_given(LineScanner& in, Trace& trace) {
  in.skip_blanks();
  if (in.take("capabilities(")) {
    parse_capabilities(in, trace.can);
    in.expect(")");
  } else if (in.take("dialect(")) {
    trace.dialect = parse_dialect(in);
    in.expect(")");
  } else if (in.take("guest(")) {
    trace.guest = parse_guest(in);
    in.expect(")");
  } else if (in.take("rounds(")) {
    trace.rounds = parse_rounds(in);
    in.expect(")");
  } else if (in.rest().starts_with("pd")) {
    parse_pd(in, trace.setup);
  } else {
    parse_pair(in, trace.setup);
  }
  in.expect_end();
}

void parse_annotation(LineScanner& in, Step& step) {
  if (in.rest().starts_with("   ")) {
    step.remarks.emplace_back(in.rest().substr(3));
    return;
  }
  Annotation a;
  in.skip_blanks();
  const std::size_t start = in.position();
  const auto verdict = index_of(kVerdictNames, in.word("a verdict"));
  if (!verdict) in.fail_at(start, "unknown verdict");
  a.verdict = static_cast<Verdict>(*verdict);
  in.skip_blanks();
  std::istringstream words{std::string(in.rest())};
  std::string kind, broken, more;
  words >> a.rule >> kind >> broken;
  a.broken = std::string_view(broken);
  if (a.rule.empty()) in.fail("a rule's id, or '-', has to follow the verdict");
  const bool may_be_named = a.verdict == Verdict::deviates || a.verdict == Verdict::hang ||
                            a.verdict == Verdict::crash || a.verdict == Verdict::kernel_warning;
  const bool named = a.verdict == Verdict::deviates || (may_be_named && !kind.empty());
  if (named == broken.empty() || (!kind.empty() && !may_be_named) || words >> more)
    in.fail("after the rule a deviation, and only a deviation, has its class and its conditions");
  if (named) {
    const auto known = parse_class(kind);
    if (!known) in.fail("unknown class of deviation");
    a.kind = *known;
  }
  step.annotations.push_back(a);
}

void parse_line(LineScanner& in, std::size_t number, Trace& trace) {
  if (in.take("!")) {
    if (trace.steps.empty()) in.fail("no step stands before this annotation");
    parse_annotation(in, trace.steps.back());
  } else if (in.take("given ")) {
    if (!trace.steps.empty()) in.fail_at(0, "'given' lines come before the first step");
    parse_given(in, trace);
  } else {
    trace.steps.push_back(parse_step(in, number, trace.steps));
  }
}

/// Reads lines that are no comments, those of `repeat N` again and again.
class LineReader {
 public:
  LineReader(Trace& trace, const std::string& file) : trace_(trace), file_(file) {}

  void take(LineScanner& in, std::size_t number) {
    if (in.next_word() == "repeat") {
      begin(in, number);
    } else if (in.next_word() == "end") {
      if (begun_ == 0) in.fail("'end' without 'repeat N' before it");
      in.take("end");
      in.expect_end();
      begun_ = 0;
      for (std::uint32_t round = 1; round < rounds_; ++round)
        for (const auto& [line, at] : lines_) {
          LineScanner again(line, file_, at);
          again.skip_blanks();
          again.set_round(round);
          read(again, at);
        }
    } else {
      if (begun_ != 0) {
        lines_.push_back({std::string(in.rest()), number});
        in.set_round(0);
      }
      read(in, number);
    }
  }
  /// Fails if something is missing after the last line.
  void finish() const {
    if (begun_ != 0) LineScanner("", file_, begun_).fail("'end' is missing for this 'repeat'");
  }

 private:
  void begin(LineScanner& in, std::size_t number) {
    if (begun_ != 0) in.fail("a 'repeat' inside another; write 'end' first");
    in.take("repeat");
    const std::size_t start = in.position();
    rounds_ = in.number(kMostTraceSteps, "how often the steps up to 'end' are made");
    if (rounds_ == 0) in.fail_at(start, "the steps are made once at least");
    in.expect_end();
    begun_ = number;
    lines_.clear();
  }
  void read(LineScanner& in, std::size_t number) {
    if (trace_.steps.size() >= kMostTraceSteps)
      in.fail(fmt::format("a trace has {} steps at most", kMostTraceSteps));
    parse_line(in, number, trace_);
  }
  Trace& trace_;
  const std::string& file_;
  std::uint64_t rounds_ = 0;  // of the steps that repeat
  std::size_t begun_ = 0;     // the line of their 'repeat', while they are read
  std::vector<std::pair<std::string, std::size_t>> lines_;
};

}  // namespace

bool is_of_wire(std::string_view text) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_there = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '%' || c == ' ';
  };
  return !text.empty() && is_letter(text.front()) && text.back() != ' ' &&
         std::all_of(text.begin(), text.end(), is_there);
}

Trace parse_trace(std::string_view text, const std::string& file) {
  Trace trace;
  LineReader reader(trace, file);
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    LineScanner in(line, file, number);
    if (line.size() > 65536) in.fail("the line is longer than 65536 characters");
    for (std::size_t i = 0; i < line.size(); ++i)
      if (std::iscntrl(static_cast<unsigned char>(line[i])) != 0 && line[i] != '\t')
        in.fail_at(i, "control character; traces are plain text with LF line ends");
    if (number == 1) {
      if (line != "# mrproof trace v1")
        in.fail("a trace starts with the line '# mrproof trace v1'");
    } else if (line.starts_with("#")) {
      trace.comments.emplace_back(line.substr(1));
    } else {
      in.skip_blanks();
      if (!in.at_end()) reader.take(in, number);
    }
    if (end == std::string_view::npos)
      in.fail_at(line.size(), "the last line does not end: the file is cut off");
    text.remove_prefix(end + 1);
  }
  if (number == 0)
    throw TraceError(file +
                     ":1:1: the file is empty; a trace starts with the line "
                     "'# mrproof trace v1'");
  reader.finish();
  return trace;
}

Trace load_trace(const std::string& file) { return parse_trace(read_text(file), file); }

}  // namespace mrproof::model
