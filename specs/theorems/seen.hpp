// What is seen with a result agrees with what became of the objects.
#pragma once

#include "specs/theorems/invariants.hpp"

namespace mrproof::specs {

/// Whether the refusal says that resources ran out.
template <class D>
typename D::Bit out_of_resources(typename D::Key error) {
  return (error == D::key(11)) | (error == D::key(12));
}

/// The facts about what is seen.
template <class D>
struct SeenFacts {
  using T = Taken<D>;
  using F = Facts<D>;
  using Bit = typename D::Bit;

  /// Whether the work request came to a completion that says something.
  static bool completes(const T& t) {
    return model::is_transfer(t.call.verb) && t.result.outcome != Outcome::refused &&
           t.rule.weight == Weight::verdict;
  }

  static void completion_is_its_own(const T& t, F& facts) {
    if (completes(t)) facts.add("completion", t.result.completion_matches);
  }

  static Bit is_of_ended_connection(const T& t) {
    return is_iwarp(t.after) & (t.after.qps.at(t.call.qp).state == model::QpState::err) &
           (t.result.qp_state == model::QpState::other);
  }
  static void states_seen_are_true(const T& t, F& facts) {
    const auto unknown = D::small(model::QpState::unknown);
    if (t.call.verb == Verb::query_qp && t.result.outcome == Outcome::ok) {
      const auto& q = t.after.qps.at(t.call.qp);
      facts.add("queried", (t.result.qp_state == q.state) | is_of_ended_connection(t));
      const Bit told = (t.result.rights & D::flags(model::kRightsTold)) != D::flags(0);
      const Bit asked = told & (q.state == D::small(model::QpState::rts));
      for (const std::uint32_t right : {model::kRemoteWrite, model::kRemoteRead})
        facts.add("rights", implies(asked, (t.result.rights & D::flags(right)) ==
                                               (q.access & D::flags(right))));
    }
    if (!completes(t)) return;
    const auto& peer = t.after.qps.at(model::peer_of(t.call.qp));
    facts.add("requester", (t.result.qp_state == unknown) |
                               (t.result.qp_state == t.after.qps.at(t.call.qp).state));
    facts.add("responder", (t.result.peer_state == unknown) | (t.result.peer_state == peer.state));
  }

  /// A receive completes when it leaves its queue, and only then.
  static void receive_fact(F& facts, const char* of, Bit before, Bit after,
                           typename D::Small seen) {
    const auto none = D::small(Outcome::none);
    facts.add(of, (before & !after) == (seen != none));
  }
  static void receives_seen_are_true(const T& t, F& facts) {
    if (!completes(t)) return;
    const auto& q = t.before.qps.at(t.call.qp);
    const auto& p = t.before.qps.at(model::peer_of(t.call.qp));
    const auto ok = D::small(Outcome::ok);
    const auto flushed = D::small(Outcome::wr_flush_err);
    const auto none = D::small(Outcome::none);
    // One that is posted on a failed pair is flushed at once, and seen with whatever comes next.
    if (t.result.outcome != Outcome::wr_flush_err)
      receive_fact(facts, "own", q.posted, t.after.qps.at(t.call.qp).posted, t.result.own_receive);
    if (t.result.outcome != Outcome::wr_flush_err)
      facts.add("own status", (t.result.own_receive == none) | (t.result.own_receive == flushed));
    if (t.result.outcome == Outcome::rnr_retry_exc_err) return;  // there was none to complete
    receive_fact(facts, "peer", p.posted, t.after.qps.at(model::peer_of(t.call.qp)).posted,
                 t.result.peer_receive);
    const bool consumes = model::is_send(t.call.verb) || t.call.verb == Verb::rdma_write_with_imm;
    const auto alive =
        t.after.qps.at(model::peer_of(t.call.qp)).state == D::small(model::QpState::rts);
    facts.add("peer status", implies(t.result.peer_receive == ok,
                                     D::bit(consumes && t.result.outcome == Outcome::ok) & alive));
    facts.add("peer success", implies(D::bit(consumes && t.result.outcome == Outcome::ok) & alive,
                                      t.result.peer_receive == ok));
    auto length = t.call.length;
    if (t.call.elements == 2) length = length + t.call.second.length;
    facts.add("length", implies(t.result.peer_receive == ok, t.result.received == length));
  }

  /// The responder's own receive tells why, where the responder found the fault in it.
  static void receive_tells_the_fault(const T& t, F& facts) {
    if (!completes(t) || !model::is_send(t.call.verb)) return;
    const auto is = [&](Outcome status) { return t.result.peer_receive == D::small(status); };
    const std::string_view name = t.rule.name;
    if (name == "rem_inv_req_err") facts.add("too short", is(Outcome::loc_len_err));
    if (name == "rem_op_err" || name == "rem_op_err_unused")
      facts.add("protection", is(Outcome::loc_prot_err));
  }

  static void failed_pair_only_flushes(const T& t, F& facts) {
    if (!model::is_transfer(t.call.verb) || t.result.outcome == Outcome::refused) return;
    const auto rts = D::small(model::QpState::rts);
    const bool flush = t.result.outcome == Outcome::wr_flush_err;
    const auto& q = t.before.qps.at(t.call.qp);
    facts.add("requester", D::bit(flush) == !(q.state == rts));
    const auto& p = t.before.qps.at(model::peer_of(t.call.qp));
    const auto status = t.result.outcome;
    const bool answered = status == Outcome::rem_access_err || status == Outcome::rem_inv_req_err ||
                          status == Outcome::rem_op_err || status == Outcome::rnr_retry_exc_err ||
                          status == Outcome::terminated ||
                          (status == Outcome::ok && t.call.verb >= Verb::send);
    if (answered) facts.add("responder", p.live & (p.state == rts));
    if (status == Outcome::retry_exc_err && t.rule.weight == Weight::verdict)
      facts.add("silence", !(p.live & (p.state == rts)));
  }

  static void refusals_say_why(const T& t, F& facts) {
    if (t.result.outcome != Outcome::refused) return;
    const auto error = t.result.error;
    const auto positive = (error != D::key(0)) & (error < D::key(4096));
    const auto code =
        (error >= D::key(model::kErrCmdAndDoForkNew)) & (error <= D::key(model::kErrInput));
    facts.add("errno", t.call.verb == Verb::rereg_mr ? (positive | code) : positive);
    if (t.rule.weight == Weight::inconclusive)
      facts.add("resources",
                out_of_resources<D>(error) | (code & out_of_resources<D>(t.result.reason)));
  }
};

}  // namespace mrproof::specs
