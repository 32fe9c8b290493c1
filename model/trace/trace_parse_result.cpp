#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/trace/trace_form.hpp"
#include "model/trace/trace_parse.hpp"

namespace mrproof::model {

namespace {

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

/// The reason of a refusal. That of rereg_mr is a return code and the errno beside it; one errno
/// alone is what the experimental verb returns.
void parse_refusal(LineScanner& in, Step& step) {
  auto& r = step.result;
  const bool rereg = step.call.verb == Verb::rereg_mr;
  if (rereg && in.next_word().starts_with("ERR_")) {
    r.error = Plain::key(parse_name(in, kReregCodeNames, "a return code", ""));
    r.reason = Plain::key(parse_errno(in));
    return;
  }
  r.error = Plain::key(parse_errno(in));
  // Beside a number that the page does not know.
  const auto next = in.next_word();
  if (rereg && (next.starts_with("E") || next == "errno")) r.reason = Plain::key(parse_errno(in));
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
  if (name == "own_receive=") r.own_receive = Plain::small(parse_outcome(in));
  if (name == "peer_receive=") r.peer_receive = Plain::small(parse_outcome(in));
  if (name == "received=") r.received = Plain::address(in.number(kMostWord, "a length in bytes"));
  if (name == "access=")
    r.rights = Plain::flags(kRightsTold | parse_flags(in, kAccessNames, "a right"));
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
constexpr bool has_state(Verb verb) { return is_transfer(verb) || verb == Verb::query_qp; }
constexpr std::array<Detail, 11> kDetails{
    {{"lkey=", tells_lkey}, {"rkey=", tells_rkey}, {"qp=", has_state}, {"peer=", is_transfer},
        {"own_receive=", is_transfer}, {"peer_receive=", is_transfer}, {"received=", is_transfer},
        {"mismatch", is_transfer}, {"timed_out", any_verb}, {"bytes ", any_verb},
        {"access=", [](Verb verb) { return verb == Verb::query_qp; }}}};

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

/// Whether the keys that the verb tells stand here; fails if they do only in part, or may not.
bool has_keys(LineScanner& in, std::size_t start, unsigned details, const Step& step) {
  const bool lkey = (details & 1U) != 0;
  const bool rkey = (details & 2U) != 0;
  if ((lkey || rkey) && !tells_keys(step.call.verb, step.result))
    in.fail_at(start, "only a success (or ERR_DO_FORK_OLD) tells keys; leave out lkey= and rkey=");
  if (tells_lkey(step.call.verb) && lkey != rkey)
    in.fail_at(start, "a registration has both keys, lkey= and rkey=, or leaves them to be given");
  return rkey;
}

}  // namespace

void parse_result(LineScanner& in, Step& step) {
  auto& r = step.result;
  step.observed = true;
  r.completion_matches = Bit(true);
  in.skip_blanks();
  const std::size_t start = in.position();
  const bool posted = step.call.part == Part::posted;
  const auto begun = begun_word(step.call.verb);
  r.outcome = posted && in.take(begun) ? Outcome::none : parse_outcome(in);
  if (posted && is_overlapping(step.call) && r.outcome != Outcome::none)
    in.fail_at(start, "a call that overlaps others has 'begun'; how it ended comes with its "
                      "return, as 'a -> ok'");
  if (posted && r.outcome != Outcome::none && r.outcome != Outcome::refused)
    in.fail_at(start, "a request that was posted is 'posted' or 'refused'; its status comes with "
                      "its completion, as 'a -> SUCCESS'");
  if (r.outcome == Outcome::refused) parse_refusal(in, step);
  step.keys_seen = has_keys(in, start, parse_details(in, step), step);
}

}  // namespace mrproof::model
