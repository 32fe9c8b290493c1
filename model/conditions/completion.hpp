// Conditions on what is seen with a work completion: states, receives, identity.
#pragma once

#include "model/conditions/transfer.hpp"

namespace mrproof::model {

/// Whether a state that was seen is the expected one; a state that was not asked for is no news.
template <class D> constexpr auto seen_as(typename D::Small seen, typename D::Small expected) {
  return (seen == QpState::unknown) | (seen == expected);
}
/// Whether a receive on the failed responder, if one was posted, completed with an error.
template <class D> constexpr auto peer_receive_failed(const View<D>& v) {
  const auto stays = v.result.peer_receive == Outcome::none;
  const auto succeeds = v.result.peer_receive == Outcome::ok;
  return D::select(v.peer().posted, !(stays | succeeds), stays);
}

// The completion, and the states of the queue pairs after it.
MRPROOF_OBSERVATION(completion_matches,
    "the completion names the work request, its queue pair and operation",
    "poll_cq.wr_id poll_cq.qp_num poll_cq.opcode poll_cq.error_fields "
    "poll_cq.removed_once",
    v.result.completion_matches);
MRPROOF_OBSERVATION(qp_state_true, "the state reported is the one the queue pair is in",
    "query_qp.state", v.result.qp_state == v.qp().state);
MRPROOF_OBSERVATION(requester_stays, "the requesting queue pair keeps its state",
    "modify_qp.rc_transitions 11.6.2", seen_as<D>(v.result.qp_state, v.qp().state));
MRPROOF_OBSERVATION(responder_stays, "the responding queue pair keeps its state",
    "modify_qp.rc_transitions 11.6.2", seen_as<D>(v.result.peer_state, v.peer().state));
MRPROOF_OBSERVATION(requester_fails, "the requesting queue pair goes to ERR", "C9-220 11.6.2",
    seen_as<D>(v.result.qp_state, as_small<D>(QpState::err)));
MRPROOF_OBSERVATION(responder_fails, "the responding queue pair goes to ERR",
    "C9-222.1.1 gap.remote_fault_at_responder",
    seen_as<D>(v.result.peer_state, as_small<D>(QpState::err)));

// The receives posted at both ends.
MRPROOF_OBSERVATION(own_receive_stays, "a receive posted on the requester does not complete",
    "post_recv.posts_list", v.result.own_receive == Outcome::none);
MRPROOF_OBSERVATION(peer_receive_stays, "a receive posted on the responder does not complete",
    "post_recv.posts_list", v.result.peer_receive == Outcome::none);
MRPROOF_OBSERVATION(own_receive_flushed, "a receive posted on the failed requester is flushed",
    "C9-220",
    v.result.own_receive ==
        D::select(v.qp().posted, as_small<D>(Outcome::wr_flush_err), as_small<D>(Outcome::none)));
MRPROOF_OBSERVATION(receive_succeeds, "the receive completes with SUCCESS",
    "poll_cq.status wr_post.send", v.result.peer_receive == Outcome::ok);
MRPROOF_OBSERVATION(received_length, "byte_len of the receive is the length of the message",
    "poll_cq.byte_len", v.result.received == message_length(v));
MRPROOF_OBSERVATION(receive_reports_length, "the receive completes with LOC_LEN_ERR", "11.6.2",
    v.result.peer_receive == Outcome::loc_len_err);
MRPROOF_OBSERVATION(receive_reports_protection, "the receive completes with LOC_PROT_ERR", "11.6.2",
    v.result.peer_receive == Outcome::loc_prot_err);
MRPROOF_OBSERVATION(peer_receive_fails,
    "a receive posted on the failed responder completes with an error", "C9-220 C9-222.1.1",
    peer_receive_failed(v));

}  // namespace mrproof::model
