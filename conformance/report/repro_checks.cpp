// What the program of repro.hpp asks of the decisive step.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/report/observation_checks.hpp"
#include "conformance/report/repro_writer.hpp"
#include "model/conditions/transfer.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

bool delivers(Verb verb) { return is_send(verb) || verb == Verb::rdma_write_with_imm; }

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
         evidence_.finding().broken.contains(completion_matches<Plain>.id);
}

/// Whether success of the decisive step completes a receive.
bool ReproWriter::receive_due() const {
  const auto& call = evidence_.decisive().call;
  return delivers(call.verb) && evidence_.state.qps.at(peer_of(call.qp)).posted.truth();
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
  return any_in_c(parts);
}

/// Results that say nothing about the device.
void ReproWriter::check_inconclusive() {
  // A trace may take features for granted that no device claims: the next one may not have them.
  State unclaimed = before();
  unclaimed.can.features = unclaimed.can.features & Plain::flags(kClaimable);
  auto rules = open_rules(*evidence_.book, unclaimed, evidence_.decisive().call);
  rules.insert(rules.end(), evidence_.open.begin(), evidence_.open.end());
  // What the trace shows to be wrong proves something.
  const auto shown = evidence_.is_deviation() ? evidence_.decisive().result.outcome : Outcome::ok;
  const auto open = [&](Weight weight, Outcome outcome) {
    const bool due = outcome == Outcome::retry_exc_err && outcome == shown;
    return !due && !evidence_.allows(outcome) &&
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
  line(fmt::format("if ({})", any_in_c(parts)));
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
  const std::uint32_t end = done ? peer_of(step.call.qp) : step.call.qp;
  if (!before().qps.at(end).posted.truth()) return;
  line(fmt::format("if (got == {})", c_status(step.result.outcome)));
  line(fmt::format("completion(qp{}->recv_cq);", end), 8);
}

/// Whether a completion is the one of the request, and the receive's that of the message.
void ReproWriter::gather_completion() {
  const Step& step = evidence_.decisive();
  const auto& c = step.call;
  const bool done = step.result.outcome == Outcome::ok;
  const auto own =
      fmt::format("int matches = wc.wr_id == {} && wc.qp_num == qp{}->qp_num", now_ + 1, c.qp);
  const auto alone = fmt::format(" && ibv_poll_cq(qp{}->send_cq, 1, &wc) == 0;", c.qp);
  if (is_signaled(step))
    line(own + (done ? fmt::format(" && wc.opcode == IBV_WC_{}", completed(c.verb)) : "") + alone);
  else
    line(done ? "int matches = !unasked;" : own + ";");
  if (!done || !receive_due()) return;
  const std::uint32_t peer = peer_of(c.qp);
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

void ReproWriter::gather_receives(const Conditions& wanted) {
  const auto& c = evidence_.decisive().call;
  const auto& state = before();
  const auto has = [&](auto&... some) { return (wanted.contains(&some) || ...); };
  const auto gather = [&](std::uint32_t qp, const char* variable, bool due) {
    if (!declared_.insert(variable).second) return;
    if (!due)
      return line(fmt::format("int {} = ibv_poll_cq(qp{}->recv_cq, 1, &wc);", variable, qp));
    line(fmt::format("int {} = completion(qp{}->recv_cq);", variable, qp));
    line(fmt::format("printf(\"receive on qp{}: %s\\n\", ibv_wc_status_str({}));", qp, variable));
  };
  // Over iWARP a receive is flushed once its end has confirmed that the connection is over.
  const auto flushed = [&](std::uint32_t qp, const char* variable, const PlainCondition& fails) {
    if (evidence_.decisive().result.outcome == Outcome::terminated && !has(fails)) {
      need(ReproPart::ended);
      line(fmt::format("NEED(ended(qp{}));", qp));
    }
    gather(qp, variable, true);
  };
  const std::uint32_t peer = peer_of(c.qp);
  if (has(own_receive_flushed<Plain>) && state.qps.at(c.qp).posted.truth())
    flushed(c.qp, "own_received", requester_fails<Plain>);
  else if (has(own_receive_flushed<Plain>, own_receive_stays<Plain>))
    gather(c.qp, "own_strays", false);
  const bool posted = state.qps.at(peer).posted.truth();
  if (posted && has(peer_receive_stays<Plain>) && has(peer_receive_fails<Plain>)) {
    // Either is right: the receive is not waited for.
    gather(peer, "strays", false);
    line("int received = strays > 0 ? (int)wc.status : IBV_WC_WR_FLUSH_ERR;");
    declared_.insert("received");
  } else if (posted &&
             has(receive_succeeds<Plain>, received_length<Plain>, receive_reports_length<Plain>,
                 receive_reports_protection<Plain>, peer_receive_fails<Plain>)) {
    flushed(peer, "received", responder_fails<Plain>);
  } else if (has(peer_receive_stays<Plain>, peer_receive_fails<Plain>)) {
    gather(peer, "strays", false);
  }
}

/// Statements that learn what the conditions are about.
void ReproWriter::gather_details(const Conditions& wanted) {
  const auto& c = evidence_.decisive().call;
  const auto has = [&](auto&... some) { return (wanted.contains(&some) || ...); };
  if (has(completion_matches<Plain>)) gather_completion();
  const auto state = [&](std::uint32_t qp, const char* variable) {
    need(iwarp_ ? ReproPart::ended : ReproPart::settled);
    const std::string asked = iwarp_ ? fmt::format("ended(qp{}) ? IBV_QPS_ERR : IBV_QPS_RTS", qp)
                                     : fmt::format("settled(qp{})", qp);
    line(fmt::format("int {} = {};", variable, asked));
    line(
        fmt::format("printf(\"qp{} is in state %d (RTS is %d, ERR %d)\\n\", {}, IBV_QPS_RTS, "
                    "IBV_QPS_ERR);",
                    qp, variable));
  };
  if (has(requester_stays<Plain>, requester_fails<Plain>)) state(c.qp, "own_state");
  if (has(responder_stays<Plain>, responder_fails<Plain>)) state(peer_of(c.qp), "peer_state");
  gather_receives(wanted);
}

/// The outcome is right; what was wrong beside it in the trace must be right now.
void ReproWriter::check_details() {
  Conditions wanted;
  for (const PlainRule* rule : rules_seen())
    for (const auto& term : broken_by(*rule)) wanted.insert(term.condition);
  const bool transfer = is_transfer(evidence_.decisive().call.verb);
  const Outcome seen = evidence_.decisive().result.outcome;
  line(fmt::format("if (got != {})", transfer || seen != Outcome::ok ? c_status(seen) : "0"));
  line(fmt::format("return verdict({}, got);", outcomes(seen)), 8);
  gather_details(wanted);
  std::vector<std::string> any;
  for (const PlainRule* rule : rules_seen()) {
    std::vector<std::string> all;
    for (const auto& term : broken_by(*rule)) {
      const auto text = in_c(*term.condition, evidence_);
      all.push_back(term.holds ? text : "!(" + text + ")");
    }
    const auto text = all_in_c(all);
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
    if (grouped && text.find("&&") != std::string::npos) text = fmt::format("({})", text);
  line(fmt::format("return verdict({}, got);", any_in_c(any)));
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
  line(fmt::format("if ({})", all_in_c(parts)));
  line("return another(got);", 8);
}

void ReproWriter::check() {
  if (over_) return line("return 4;");
  const Verb verb = evidence_.decisive().call.verb;
  if (evidence_.finding().verdict == Verdict::kernel_warning) {
    line("if (kernel_complained())");
    line("return verdict(0, got);", 8);
  }
  if (is_overlapping(evidence_.decisive().call)) return check_overlapping();
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
