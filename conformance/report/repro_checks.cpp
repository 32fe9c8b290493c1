// What the program of repro.hpp asks of the decisive step.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "conformance/report/repro_writer.hpp"
#include "model/conditions/registration.hpp"
#include "model/conditions/windows.hpp"
#include "model/trace/notation.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

bool delivers(Verb verb) { return is_send(verb) || verb == Verb::rdma_write_with_imm; }

/// Features that a device can claim (model/access.hpp).
constexpr std::uint32_t kClaimable =
    kMwType1 | kMwType2A | kMwType2B | kMemoryExtensions | kImplicitOnDemand | kAtomics;

std::string join(const std::vector<std::string>& parts, const char* with, const char* none) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : with) + part;
  return text.empty() ? none : text;
}

/// What the completion of a successful request names.
const char* completed(Verb verb) {
  switch (verb) {
    case Verb::bind_mw:
    case Verb::post_bind_mw: return "BIND_MW";
    case Verb::local_inv: return "LOCAL_INV";
    case Verb::rdma_write:
    case Verb::rdma_write_with_imm: return "RDMA_WRITE";
    case Verb::rdma_read: return "RDMA_READ";
    case Verb::atomic_fetch_and_add: return "FETCH_ADD";
    case Verb::atomic_cmp_and_swp: return "COMP_SWAP";
    default: return "SEND";
  }
}

std::string c_state(const Plain::Small& state) {
  return "IBV_QPS_" + std::string(kQpStateNames.at(state.value()));
}

/// Conditions on a return value or errno alone, in C.
std::string errno_detail(std::string_view id) {
  if (id == "errno_value" || id == "errno_set") return "errno > 0 && errno < 4096";
  if (id == "errno_of_resources" || id == "reason_of_resources")
    return "(errno == ENOMEM || errno == EAGAIN)";
  if (id == "says_not_supported") return "(errno == EOPNOTSUPP || errno == ENOSYS)";
  if (id == "says_fault") return "errno == EFAULT";
  if (id == "says_invalid") return "errno == EINVAL";
  if (id == "says_not_permitted") return "errno == EPERM";
  if (id == "says_no_entry") return "errno == ENOENT";
  if (id == "code_input") return "code == IBV_REREG_MR_ERR_INPUT";
  if (id == "code_dont_fork_new") return "code == IBV_REREG_MR_ERR_DONT_FORK_NEW";
  if (id == "code_do_fork_old") return "code == IBV_REREG_MR_ERR_DO_FORK_OLD";
  if (id == "code_cmd") return "code == IBV_REREG_MR_ERR_CMD";
  if (id == "code_cmd_and_do_fork_new") return "code == IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW";
  return "";
}

}  // namespace

DeviationClass ReproWriter::kind() const {
  const Annotation& finding = evidence_.finding();
  return finding.verdict == Verdict::deviates ? finding.kind : DeviationClass::none;
}

/// The rules for the outcome that the trace has.
std::vector<const PlainRule*> ReproWriter::rules_seen() const {
  std::vector<const PlainRule*> rules;
  for (const PlainRule* rule : evidence_.open)
    if (rule->outcome == evidence_.decisive().result.outcome) rules.push_back(rule);
  return rules;
}

/// What the trace's result breaks of what the rule wants to see.
std::vector<Term<Plain>> ReproWriter::broken_by(const PlainRule& rule) const {
  std::vector<Term<Plain>> broken;
  for (const auto& term : rule.requires_all)
    if (term.condition->about == About::observation &&
        term.condition->holds(evidence_.view()).truth() != term.holds)
      broken.push_back(term);
  return broken;
}

bool ReproWriter::checks_completion() const {
  return kind() == DeviationClass::detail &&
         evidence_.finding().broken.contains("completion_matches");
}

/// Whether success of the decisive step completes a receive.
bool ReproWriter::receive_due() const {
  const auto& call = evidence_.decisive().call;
  return delivers(call.verb) && evidence_.before.back().qps.at(peer_of(call.qp)).posted.truth();
}

/// Whether `got` is an outcome that is allowed; `but`: one that is known not to be it.
std::string ReproWriter::outcomes(std::optional<Outcome> but) const {
  const bool transfer = is_transfer(evidence_.decisive().call.verb);
  const auto may_be = [&](Outcome outcome) { return outcome == but || evidence_.allows(outcome); };
  if (!transfer && may_be(Outcome::ok) && may_be(Outcome::refused)) return "1";
  std::vector<std::string> parts;
  for (const Outcome outcome : evidence_.allowed())
    if (outcome != but)
      parts.push_back("got == " + (transfer || outcome != Outcome::ok ? c_status(outcome) : "0"));
  return join(parts, " || ", "0");
}

/// Results that say nothing about the device.
void ReproWriter::check_inconclusive() {
  // A trace may take features for granted that no device claims: the next one may not have them.
  State unclaimed = before();
  unclaimed.can.features = unclaimed.can.features & Plain::flags(kClaimable);
  auto rules = open_rules(*evidence_.book, unclaimed, evidence_.decisive().call);
  rules.insert(rules.end(), evidence_.open.begin(), evidence_.open.end());
  const auto open = [&](Weight weight, Outcome outcome) {
    return !evidence_.allows(outcome) &&
           std::any_of(rules.begin(), rules.end(), [&](const PlainRule* rule) {
             return rule->weight == weight && rule->outcome == outcome;
           });
  };
  // A refusal that is wrong in a detail is looked at below.
  const bool detailed =
      kind() == DeviationClass::detail && evidence_.decisive().result.outcome == Outcome::refused;
  const bool unsupported = !detailed && open(Weight::unsupported, Outcome::refused);
  std::vector<std::string> parts;
  if (open(Weight::inconclusive, Outcome::retry_exc_err))
    parts.emplace_back("got == IBV_WC_RETRY_EXC_ERR");
  if (unsupported)
    parts.emplace_back("got == REFUSED");
  else if (!detailed && open(Weight::inconclusive, Outcome::refused))
    parts.emplace_back(parts.empty() ? "got == REFUSED && (errno == ENOMEM || errno == EAGAIN)"
                                     : "(got == REFUSED && (errno == ENOMEM || errno == EAGAIN))");
  if (parts.empty()) return;
  line(fmt::format("if ({})", join(parts, " || ", "0")));
  line(fmt::format("cannot_run(\"{}\");", unsupported ? "not supported"
                                          : parts.size() == 1
                                              ? "out of resources"
                                              : "the transport gave up, or resources ran out"),
       8);
}

/// Where the trace waited for a receive in vain.
void ReproWriter::check_late_receive() {
  const Step& step = evidence_.decisive();
  if (!step.timed_out || step.result.outcome == Outcome::none) return;
  const bool done = step.result.outcome == Outcome::ok;
  const std::uint8_t end = done ? peer_of(step.call.qp) : step.call.qp;
  if (!before().qps.at(end).posted.truth()) return;
  line(fmt::format("if (got == {})", c_status(step.result.outcome)));
  line(fmt::format("completion(qp{}->recv_cq);", end), 8);
}

/// Whether a completion is the one of the request, and the receive's that of the message.
void ReproWriter::gather_completion() {
  const Step& step = evidence_.decisive();
  const auto& c = step.call;
  const bool done = step.result.outcome == Outcome::ok;
  line(
      fmt::format("int matches = wc.wr_id == {} && wc.qp_num == qp{}->qp_num{} && "
                  "ibv_poll_cq(qp{}->send_cq, 1, &wc) == 0;",
                  now_ + 1, c.qp,
                  done ? fmt::format(" && wc.opcode == IBV_WC_{}", completed(c.verb)) : "", c.qp));
  if (!done || !receive_due()) return;
  const std::uint8_t peer = peer_of(c.qp);
  std::size_t posted = now_;
  while (posted > 0 &&
         !(step_at(posted - 1).call.verb == Verb::post_recv && step_at(posted - 1).call.qp == peer))
    --posted;
  line(fmt::format("int received = completion(qp{}->recv_cq);", peer));
  line(fmt::format("matches &= wc.wr_id == {} && wc.qp_num == qp{}->qp_num;", posted, peer));
  line("if (received == IBV_WC_SUCCESS) {");
  std::string flags = "0", rest;
  if (c.verb == Verb::send_with_inv) {
    flags = "IBV_WC_WITH_INV";
    const auto named = key(step.rkey);
    rest = " && wc.invalidated_rkey == " + (step.rkey.flip == 0 ? named : "(" + named + ")");
  } else if (c.verb == Verb::rdma_write_with_imm) {
    flags = "IBV_WC_WITH_IMM";
    rest = " && wc.imm_data == 0x12345678";
  }
  line(fmt::format("printf(\"receive on qp{}: opcode %d, wc_flags %#x\\n\", (int)wc.opcode, "
                   "wc.wc_flags);",
                   peer),
       8);
  line(fmt::format("matches &= wc.opcode == IBV_WC_RECV{} && (wc.wc_flags & (IBV_WC_WITH_IMM | "
                   "IBV_WC_WITH_INV)) == {}{};",
                   c.verb == Verb::rdma_write_with_imm ? "_RDMA_WITH_IMM" : "", flags, rest),
       8);
  line("}");
  declared_.insert("received");
}

void ReproWriter::gather_receives(const std::set<std::string_view>& ids) {
  const auto& c = evidence_.decisive().call;
  const auto& state = before();
  const auto has = [&](std::initializer_list<std::string_view> some) {
    return std::any_of(some.begin(), some.end(), [&](auto id) { return ids.contains(id); });
  };
  const auto gather = [&](std::uint8_t qp, const char* variable, bool due) {
    if (!declared_.insert(variable).second) return;
    if (!due)
      return line(fmt::format("int {} = ibv_poll_cq(qp{}->recv_cq, 1, &wc);", variable, qp));
    line(fmt::format("int {} = completion(qp{}->recv_cq);", variable, qp));
    line(fmt::format("printf(\"receive on qp{}: %s\\n\", ibv_wc_status_str({}));", qp, variable));
  };
  // Over iWARP a receive is flushed once its end has confirmed that the connection is over.
  const auto flushed = [&](std::uint8_t qp, const char* variable, std::string_view fails) {
    if (evidence_.decisive().result.outcome == Outcome::terminated && !ids.contains(fails)) {
      need(ReproPart::ended);
      line(fmt::format("NEED(ended(qp{}));", qp));
    }
    gather(qp, variable, true);
  };
  const std::uint8_t peer = peer_of(c.qp);
  if (has({"own_receive_flushed"}) && state.qps.at(c.qp).posted.truth())
    flushed(c.qp, "own_received", "requester_fails");
  else if (has({"own_receive_flushed", "own_receive_stays"}))
    gather(c.qp, "own_strays", false);
  const bool posted = state.qps.at(peer).posted.truth();
  if (posted && has({"peer_receive_stays"}) && has({"peer_receive_fails"})) {
    // Either is right: the receive is not waited for.
    gather(peer, "strays", false);
    line("int received = strays > 0 ? (int)wc.status : IBV_WC_WR_FLUSH_ERR;");
    declared_.insert("received");
  } else if (posted && has({"receive_succeeds", "received_length", "receive_reports_length",
                            "receive_reports_protection", "peer_receive_fails"})) {
    flushed(peer, "received", "responder_fails");
  } else if (has({"peer_receive_stays", "peer_receive_fails"})) {
    gather(peer, "strays", false);
  }
}

/// Statements that learn what the conditions are about.
void ReproWriter::gather_details(const std::set<std::string_view>& ids) {
  const auto& c = evidence_.decisive().call;
  if (ids.contains("completion_matches")) gather_completion();
  const auto state = [&](std::uint8_t qp, const char* variable) {
    need(iwarp_ ? ReproPart::ended : ReproPart::settled);
    const std::string asked = iwarp_ ? fmt::format("ended(qp{}) ? IBV_QPS_ERR : IBV_QPS_RTS", qp)
                                     : fmt::format("settled(qp{})", qp);
    line(fmt::format("int {} = {};", variable, asked));
    line(
        fmt::format("printf(\"qp{} is in state %d (RTS is %d, ERR %d)\\n\", {}, IBV_QPS_RTS, "
                    "IBV_QPS_ERR);",
                    qp, variable));
  };
  if (ids.contains("requester_stays") || ids.contains("requester_fails")) state(c.qp, "own_state");
  if (ids.contains("responder_stays") || ids.contains("responder_fails"))
    state(peer_of(c.qp), "peer_state");
  gather_receives(ids);
}

std::string ReproWriter::keys_differ(const PlainCondition& condition) {
  const std::string_view id = condition.id;
  assert(id == "keys_distinct" || id == "window_key_distinct" || id == "bind_key_right");
  const auto& c = evidence_.decisive().call;
  const auto& state = before();
  std::vector<std::string> parts;
  const auto remote = [](const Region<Plain>& r) {
    return has_any<Plain>(r.access, kRemoteRights).truth() && !r.null.truth();
  };
  const bool of_region = id == "keys_distinct";
  const std::string own = of_region ? fmt::format("mr{}", c.mr) : fmt::format("mw{}", c.mw);
  const bool asks_remote =
      has_any<Plain>(asked<Plain>(evidence_.view()).access, kRemoteRights).truth() &&
      c.verb != Verb::alloc_null_mr;
  for (std::size_t i = 0; i < state.regions.size(); ++i) {
    const auto& r = state.regions.at(i);
    if (!r.live.truth() || (of_region && i == c.mr)) continue;
    if (of_region) parts.push_back(fmt::format("{}->lkey != mr{}->lkey", own, i));
    if (of_region ? (asks_remote || remote(r)) && !r.null.truth() && c.verb != Verb::alloc_null_mr
                  : remote(r))
      parts.push_back(id == "window_key_distinct"
                          ? fmt::format("{}->rkey >> 8 != mr{}->rkey >> 8", own, i)
                          : fmt::format("{}->rkey != mr{}->rkey", own, i));
  }
  for (std::size_t i = 0; i < state.windows.size(); ++i) {
    const auto& w = state.windows.at(i);
    if (!w.live.truth() || w.undefined.truth() || (of_region && !asks_remote)) continue;
    if (id == "bind_key_right")
      parts.push_back(i == c.mw ? fmt::format("{}->rkey != old_key", own)
                                : fmt::format("{}->rkey != mw{}->rkey", own, i));
    else
      parts.push_back(fmt::format("{}->rkey >> 8 != mw{}->rkey >> 8", own, i));
  }
  // The key of such a bind is what the program itself puts into the window.
  if (c.verb == Verb::post_bind_mw) parts.clear();
  return join(parts, " && ", "1");
}

/// The condition, which is about what was seen, in C.
std::string ReproWriter::detail(const PlainCondition& condition) {
  const std::string_view id = condition.id;
  const Step& step = evidence_.decisive();
  const auto& c = step.call;
  const auto& own = before().qps.at(c.qp);
  const auto& peer = before().qps.at(peer_of(c.qp));
  if (const auto text = errno_detail(id); !text.empty()) return text;
  if (id == "completion_matches") return "matches";
  if (id == "qp_state_true") return "attr.qp_state == " + c_state(own.state);
  if (id == "qp_state_ended") return "attr.qp_state != IBV_QPS_RTS && attr.qp_state != IBV_QPS_ERR";
  if (id == "requester_stays") return "own_state == " + c_state(own.state);
  if (id == "responder_stays") return "peer_state == " + c_state(peer.state);
  if (id == "requester_fails") return "own_state == IBV_QPS_ERR";
  if (id == "responder_fails") return "peer_state == IBV_QPS_ERR";
  if (id == "own_receive_stays") return "own_strays == 0";
  if (id == "own_receive_flushed")
    return own.posted.truth() ? "own_received == IBV_WC_WR_FLUSH_ERR" : "own_strays == 0";
  if (id == "peer_receive_stays") return "strays == 0";
  if (id == "receive_succeeds") return "received == IBV_WC_SUCCESS";
  if (id == "received_length")
    return fmt::format("wc.byte_len == {}", evidence_.view().message().value());
  if (id == "receive_reports_length") return "received == IBV_WC_LOC_LEN_ERR";
  if (id == "receive_reports_protection") return "received == IBV_WC_LOC_PROT_ERR";
  if (id == "peer_receive_fails")
    return peer.posted.truth() ? "received != IBV_WC_SUCCESS" : "strays == 0";
  return keys_differ(condition);
}

/// The outcome is right; what was wrong beside it in the trace must be right now.
void ReproWriter::check_details() {
  std::set<std::string_view> ids;
  for (const PlainRule* rule : rules_seen())
    for (const auto& term : broken_by(*rule)) ids.insert(term.condition->id);
  const bool transfer = is_transfer(evidence_.decisive().call.verb);
  const Outcome seen = evidence_.decisive().result.outcome;
  line(fmt::format("if (got != {})", transfer || seen != Outcome::ok ? c_status(seen) : "0"));
  line(fmt::format("return verdict({}, got);", outcomes(seen)), 8);
  gather_details(ids);
  std::vector<std::string> any;
  for (const PlainRule* rule : rules_seen()) {
    std::vector<std::string> all;
    for (const auto& term : broken_by(*rule)) {
      const auto text = detail(*term.condition);
      all.push_back(term.holds ? text : "!(" + text + ")");
    }
    const auto text = join(all, " && ", "1");
    if (rule->weight == Weight::verdict) {
      if (std::find(any.begin(), any.end(), text) == any.end()) any.push_back(text);
      continue;
    }
    const bool bare = all.size() > 1 || !text.starts_with('(');
    line(bare ? "if (" + text + ")" : "if " + text);
    line(fmt::format("cannot_run(\"{}\");",
                     rule->weight == Weight::unsupported ? "not supported" : "out of resources"),
         8);
  }
  const bool grouped = any.size() > 1;
  for (auto& text : any)
    if (grouped && text.find("&&") != std::string::npos) text = "(" + text + ")";
  line(fmt::format("return verdict({}, got);", join(any, " || ", "0")));
}

/// A trace in which too much succeeds, or nothing ends, tells of that alone: a request that fails
/// with a wrong status shows another fault.
void ReproWriter::check_another() {
  const Verdict verdict = evidence_.finding().verdict;
  const bool accepted = kind() == DeviationClass::accepted;
  const bool trouble =
      verdict == Verdict::hang || verdict == Verdict::crash || verdict == Verdict::kernel_warning;
  if ((!accepted && !trouble) || !is_transfer(evidence_.decisive().call.verb)) return;
  std::vector<std::string> parts;
  if (accepted) parts.push_back("got != " + c_status(Outcome::ok));
  for (const Outcome outcome : evidence_.allowed()) parts.push_back("got != " + c_status(outcome));
  if (parts.empty()) return;
  need(ReproPart::another);
  line(fmt::format("if ({})", join(parts, " && ", "1")));
  line("return another(got);", 8);
}

void ReproWriter::check() {
  if (over_) return line("return 4;");
  const Verb verb = evidence_.decisive().call.verb;
  if (evidence_.finding().verdict == Verdict::kernel_warning) {
    line("if (kernel_complained())");
    line("return verdict(0, got);", 8);
  }
  if (verb == Verb::fill || verb == Verb::protect) {
    if (kind() == DeviationClass::bytes) return check_bytes();
    return line("return verdict(1, 0);");
  }
  check_inconclusive();
  check_late_receive();
  if (kind() == DeviationClass::bytes) return check_bytes();
  if (kind() == DeviationClass::detail) return check_details();
  check_another();
  line(fmt::format("return verdict({}, got);", outcomes()));
}

}  // namespace mrproof::conformance
