#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "conformance/notation.hpp"
#include "conformance/trace_scanner.hpp"
#include "model/layout.hpp"

namespace mrproof {

using namespace model;

namespace {

constexpr std::uint64_t kMostAddress = ~std::uint64_t{0};
constexpr std::uint64_t kMostWord = 0xffffffffU;

std::uint64_t parse_address(LineScanner& in) {
  in.skip_blanks();
  if (!in.rest().starts_with("buf")) return in.number(kMostAddress, "an address");
  const auto buffer = in.handle("buf", kBufferCount);
  const bool minus = in.take("-");
  if (!minus) in.expect("+");
  const auto offset = in.number(kBufferStride / 2, "an offset in bytes");
  return minus ? buffer_address(buffer) - offset : buffer_address(buffer) + offset;
}

std::uint32_t parse_access(LineScanner& in) {
  std::uint32_t access = 0;
  do {
    in.skip_blanks();
    const std::size_t start = in.position();
    if (!in.at_end() && std::isdigit(static_cast<unsigned char>(in.rest().front())) != 0) {
      access |= static_cast<std::uint32_t>(in.number(kMostWord, "access bits"));
      continue;
    }
    const auto name = in.word("an access flag");
    const auto flag = access_by_name(name);
    if (!flag) in.fail_at(start, fmt::format("unknown access flag '{}'", name));
    access |= *flag;
  } while (in.take("|"));
  return access;
}

KeyName parse_key(LineScanner& in) {
  KeyName key;
  in.skip_blanks();
  if (!in.rest().starts_with("mr")) {
    key.value = static_cast<std::uint32_t>(in.number(kMostWord, "a key"));
    return key;
  }
  key.mr = in.handle("mr", Plain::kRegions);
  in.expect(".");
  const std::size_t start = in.position();
  const auto which = in.word("lkey or rkey");
  if (which != "lkey" && which != "rkey")
    in.fail_at(start, fmt::format("a region has an lkey and an rkey, no '{}'", which));
  key.kind = which == "lkey" ? KeyName::Kind::lkey : KeyName::Kind::rkey;
  if (in.take("^")) key.flip = static_cast<std::uint32_t>(in.number(kMostWord, "bits to flip"));
  return key;
}

void parse_range(LineScanner& in, Step& step, std::uint64_t most) {
  step.call.address = Plain::address(parse_address(in));
  in.expect(",");
  step.call.length = Plain::address(in.number(most, "a length in bytes"));
}

void parse_arguments(LineScanner& in, Step& step) {
  auto& c = step.call;
  in.expect("(");
  switch (c.verb) {
    case Verb::alloc_pd: break;
    case Verb::dealloc_pd: c.pd = in.handle("pd", Plain::kPds); break;
    case Verb::reg_mr:
      c.pd = in.handle("pd", Plain::kPds);
      in.expect(",");
      parse_range(in, step, kMostAddress);
      in.expect(",");
      c.access = Plain::flags(parse_access(in));
      break;
    case Verb::dereg_mr: c.mr = in.handle("mr", Plain::kRegions); break;
    case Verb::post_recv:
    case Verb::send:
    case Verb::rdma_write:
    case Verb::rdma_read:
      c.qp = in.handle("qp", Plain::kQps);
      in.expect(",");
      step.lkey = parse_key(in);
      in.expect(",");
      parse_range(in, step, kMostWord);
      if (c.verb == Verb::post_recv || c.verb == Verb::send) break;
      in.expect(",");
      step.rkey = parse_key(in);
      in.expect(",");
      c.remote = Plain::address(parse_address(in));
      break;
    case Verb::query_qp:
    case Verb::connect: c.qp = in.handle("qp", Plain::kQps); break;
    case Verb::fill:
      parse_range(in, step, kBufferSize);
      in.expect(",");
      c.seed = static_cast<std::uint8_t>(in.number(255, "a pattern seed"));
      break;
  }
  in.expect(")");
}

Outcome parse_outcome(LineScanner& in) {
  in.skip_blanks();
  const std::size_t start = in.position();
  const auto name = in.word("an outcome");
  if (name == "SUCCESS") return Outcome::ok;
  const auto found = index_of(kOutcomeNames, name);
  if (!found)
    in.fail_at(start, fmt::format("unknown outcome '{}'; use ok, SUCCESS, refused or a completion "
                                  "status without its IBV_WC_ prefix",
                                  name));
  return static_cast<Outcome>(*found);
}

std::uint32_t parse_errno(LineScanner& in) {
  in.skip_blanks();
  if (in.take("errno=")) {
    const bool minus = in.take("-");
    const auto value = static_cast<std::uint32_t>(in.number(kMostWord, "an errno"));
    return minus ? 0U - value : value;
  }
  const std::size_t start = in.position();
  const auto name = in.word("an errno name, or errno=N");
  const auto error = errno_by_name(name);
  if (!error) in.fail_at(start, fmt::format("unknown errno name '{}'", name));
  return *error;
}

Plain::Small parse_state(LineScanner& in) {
  const std::size_t start = in.position();
  const auto found = index_of(kQpStateNames, in.word("a state"));
  if (!found) in.fail_at(start, "unknown queue pair state; use RTS, ERR or OTHER");
  return Plain::small(*found);
}

std::byte parse_byte(LineScanner& in) {
  const auto digit = [&](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    in.fail("bytes are written as pairs of 0-9a-f");
  };
  if (in.rest().size() < 2) in.fail("bytes are written as pairs of 0-9a-f");
  const auto value = digit(in.rest()[0]) * 16 + digit(in.rest()[1]);
  in.take(in.rest().substr(0, 2));
  return static_cast<std::byte>(value);
}

ByteRun parse_bytes(LineScanner& in) {
  ByteRun run;
  run.address = parse_address(in);
  in.expect("=");
  if (in.at_end() || in.rest().front() == ' ') in.fail("expected bytes as pairs of 0-9a-f");
  while (!in.at_end() && in.rest().front() != ' ') run.bytes.push_back(parse_byte(in));
  return run;
}

/// Takes the value of a detail whose name, with its '=' if it has one, has been read.
void parse_detail(LineScanner& in, std::string_view name, Step& step) {
  auto& r = step.result;
  if (name == "lkey=") r.lkey = Plain::key(in.number(kMostWord, "a key"));
  if (name == "rkey=") r.rkey = Plain::key(in.number(kMostWord, "a key"));
  if (name == "qp=") r.qp_state = parse_state(in);
  if (name == "peer=") r.peer_state = parse_state(in);
  if (name == "own_receive=") r.own_receive = as_small<Plain>(parse_outcome(in));
  if (name == "peer_receive=") r.peer_receive = as_small<Plain>(parse_outcome(in));
  if (name == "received=") r.received = Plain::address(in.number(kMostWord, "a length in bytes"));
  if (name == "mismatch") r.completion_matches = Bit(false);
  if (name == "timed_out") step.timed_out = true;
  if (name == "bytes ") step.bytes.push_back(parse_bytes(in));
}

/// A detail's name, and whose results have it.
struct Detail {
  std::string_view name;
  bool (*belongs_to)(Verb);
};
constexpr bool any_verb(Verb /*verb*/) { return true; }
constexpr bool registers(Verb verb) { return verb == Verb::reg_mr; }
constexpr bool has_state(Verb verb) { return is_transfer(verb) || verb == Verb::query_qp; }
constexpr std::array<Detail, 10> kDetails{{{"lkey=", registers},
                                           {"rkey=", registers},
                                           {"qp=", has_state},
                                           {"peer=", is_transfer},
                                           {"own_receive=", is_transfer},
                                           {"peer_receive=", is_transfer},
                                           {"received=", is_transfer},
                                           {"mismatch", is_transfer},
                                           {"timed_out", any_verb},
                                           {"bytes ", any_verb}}};

/// Reads the details of a result, each at most once but for runs of bytes; which were there.
unsigned parse_details(LineScanner& in, Step& step) {
  unsigned seen = 0;
  for (in.skip_blanks(); !in.at_end(); in.skip_blanks()) {
    const std::size_t start = in.position();
    const auto* found = std::find_if(kDetails.begin(), kDetails.end(),
                                     [&](const Detail& detail) { return in.take(detail.name); });
    if (found == kDetails.end())
      in.fail_at(start, fmt::format("unknown detail '{}'", in.word("a detail of the result")));
    if (!found->belongs_to(step.call.verb))
      in.fail_at(start, fmt::format("'{}' is no detail of this verb's result", found->name));
    const unsigned bit = 1U << static_cast<unsigned>(found - kDetails.begin());
    if ((seen & bit) != 0 && found->name != "bytes ")
      in.fail_at(start, fmt::format("'{}' stands here twice", found->name));
    seen |= bit;
    parse_detail(in, found->name, step);
  }
  return seen;
}

void parse_result(LineScanner& in, Step& step) {
  auto& r = step.result;
  step.observed = true;
  r.completion_matches = Bit(true);
  in.skip_blanks();
  const std::size_t start = in.position();
  r.outcome = parse_outcome(in);
  if (r.outcome == Outcome::refused) r.error = Plain::key(parse_errno(in));
  const unsigned keys = parse_details(in, step) & 3U;
  if (keys == 1 || keys == 2)
    in.fail_at(start, "a registration has both keys, lkey= and rkey=, or leaves them to be given");
  step.keys_seen = keys == 3;
}

Step parse_step(LineScanner& in, std::size_t line) {
  Step step;
  step.line = line;
  step.result.own_receive = as_small<Plain>(Outcome::none);
  step.result.peer_receive = as_small<Plain>(Outcome::none);
  const bool makes_pd = in.rest().starts_with("pd");
  const bool makes_mr = in.rest().starts_with("mr");
  if (makes_pd) step.call.pd = in.handle("pd", Plain::kPds);
  if (makes_mr) step.call.mr = in.handle("mr", Plain::kRegions);
  if (makes_pd || makes_mr) in.expect("=");
  in.skip_blanks();
  const std::size_t start = in.position();
  const auto name = in.word("a verb");
  const auto verb = index_of(kVerbNames, name);
  if (!verb) in.fail_at(start, fmt::format("unknown verb '{}'", name));
  step.call.verb = static_cast<Verb>(*verb);
  if (makes_pd != (step.call.verb == Verb::alloc_pd) ||
      makes_mr != (step.call.verb == Verb::reg_mr))
    in.fail_at(0,
               "alloc_pd needs a 'pdN =' before it, reg_mr an 'mrN =', and no other verb has one");
  parse_arguments(in, step);
  if (in.take("->")) parse_result(in, step);
  in.expect_end();
  return step;
}

void parse_given(LineScanner& in, Trace& trace) {
  in.skip_blanks();
  auto& setup = trace.setup;
  if (in.take("capabilities(")) {
    trace.can.claimed = Plain::flags(parse_access(in));
    in.expect(",");
    trace.can.max_message = Plain::address(in.number(kMostAddress, "the longest message"));
    in.expect(")");
  } else if (in.rest().starts_with("pd")) {
    setup.pd.at(in.handle("pd", Plain::kPds)) = true;
  } else {
    const std::size_t start = in.position();
    std::uint8_t first = 0;
    for (std::uint8_t end = 0; end < 2; ++end) {
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
  std::string more;
  words >> a.rule >> a.kind >> a.broken;
  if (a.rule.empty()) in.fail("a rule's id, or '-', has to follow the verdict");
  const bool may_be_named = a.verdict == Verdict::deviates || a.verdict == Verdict::hang;
  const bool named = a.verdict == Verdict::deviates || (may_be_named && !a.kind.empty());
  if (named == a.broken.empty() || (!a.kind.empty() && !may_be_named) || words >> more)
    in.fail("after the rule a deviation, and only a deviation, has its class and its conditions");
  if (!a.kind.empty() && !index_of(kClassNames, a.kind)) in.fail("unknown class of deviation");
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
    trace.steps.push_back(parse_step(in, number));
  }
}

}  // namespace

Trace parse_trace(std::string_view text, const std::string& file) {
  Trace trace;
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
      if (!in.at_end()) parse_line(in, number, trace);
    }
    if (end == std::string_view::npos)
      in.fail_at(line.size(), "the last line does not end: the file is cut off");
    text.remove_prefix(end + 1);
  }
  if (number == 0)
    throw TraceError(file +
                     ":1:1: the file is empty; a trace starts with the line "
                     "'# mrproof trace v1'");
  return trace;
}

Trace load_trace(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  bool readable = in.is_open();
  try {
    text.assign(std::istreambuf_iterator<char>(in), {});
  } catch (const std::exception&) {
    readable = false;  // a folder, say
  }
  if (!readable || in.bad())
    throw TraceError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  return parse_trace(text, file);
}

}  // namespace mrproof
