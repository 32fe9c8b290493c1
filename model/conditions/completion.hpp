// Conditions on what is seen with a work completion: states, receives, identity.
#pragma once

#include "model/conditions/transfer.hpp"

namespace mrproof::model {

/// Whether a state that was seen is the expected one; a state that was not asked for is no news.
template <class D>
constexpr typename D::Bit seen_as(typename D::Small seen, typename D::Small expected) {
  return (seen == as_small<D>(QpState::unknown)) | (seen == expected);
}

template <class D>
inline constexpr Condition<D> completion_matches{
    "completion_matches", "the completion names the work request, its queue pair and operation",
    "poll_cq.wr_id poll_cq.qp_num poll_cq.opcode poll_cq.error_fields poll_cq.removed_once",
    About::observation, [](const View<D>& v) { return v.result.completion_matches; }};

template <class D>
inline constexpr Condition<D> qp_state_true{
    "qp_state_true", "the state reported is the one the queue pair is in", "query_qp.state",
    About::observation,
    [](const View<D>& v) { return v.result.qp_state == requester<D>(v).state; }};

template <class D>
inline constexpr Condition<D> requester_stays{
    "requester_stays", "the requesting queue pair keeps its state",
    "modify_qp.rc_transitions 11.6.2", About::observation,
    [](const View<D>& v) { return seen_as<D>(v.result.qp_state, requester<D>(v).state); }};

template <class D>
inline constexpr Condition<D> responder_stays{
    "responder_stays", "the responding queue pair keeps its state",
    "modify_qp.rc_transitions 11.6.2", About::observation,
    [](const View<D>& v) { return seen_as<D>(v.result.peer_state, responder<D>(v).state); }};

template <class D>
inline constexpr Condition<D> requester_fails{
    "requester_fails", "the requesting queue pair goes to ERR", "C9-220 11.6.2", About::observation,
    [](const View<D>& v) { return seen_as<D>(v.result.qp_state, as_small<D>(QpState::err)); }};

template <class D>
inline constexpr Condition<D> responder_fails{
    "responder_fails", "the responding queue pair goes to ERR",
    "C9-222.1.1 gap.remote_fault_at_responder", About::observation,
    [](const View<D>& v) { return seen_as<D>(v.result.peer_state, as_small<D>(QpState::err)); }};

template <class D>
inline constexpr Condition<D> own_receive_stays{
    "own_receive_stays", "a receive posted on the requester does not complete",
    "post_recv.posts_list", About::observation,
    [](const View<D>& v) { return v.result.own_receive == as_small<D>(Outcome::none); }};

template <class D>
inline constexpr Condition<D> peer_receive_stays{
    "peer_receive_stays", "a receive posted on the responder does not complete",
    "post_recv.posts_list", About::observation,
    [](const View<D>& v) { return v.result.peer_receive == as_small<D>(Outcome::none); }};

/// Flushed if there was one, nothing otherwise.
template <class D>
constexpr typename D::Bit flushed(typename D::Bit posted, typename D::Small seen) {
  return seen == D::select(posted, as_small<D>(Outcome::wr_flush_err), as_small<D>(Outcome::none));
}

template <class D>
inline constexpr Condition<D> own_receive_flushed{
    "own_receive_flushed", "a receive posted on the failed requester is flushed", "C9-220",
    About::observation,
    [](const View<D>& v) { return flushed<D>(requester<D>(v).posted, v.result.own_receive); }};

template <class D>
inline constexpr Condition<D> receive_succeeds{
    "receive_succeeds", "the receive completes with SUCCESS", "poll_cq.status wr_post.send",
    About::observation,
    [](const View<D>& v) { return v.result.peer_receive == as_small<D>(Outcome::ok); }};

template <class D>
inline constexpr Condition<D> received_length{
    "received_length", "byte_len of the receive is the length of the message", "poll_cq.byte_len",
    About::observation, [](const View<D>& v) { return v.result.received == message_length<D>(v); }};

template <class D>
inline constexpr Condition<D> receive_reports_length{
    "receive_reports_length", "the receive completes with LOC_LEN_ERR", "11.6.2",
    About::observation,
    [](const View<D>& v) { return v.result.peer_receive == as_small<D>(Outcome::loc_len_err); }};

template <class D>
inline constexpr Condition<D> receive_reports_protection{
    "receive_reports_protection", "the receive completes with LOC_PROT_ERR", "11.6.2",
    About::observation,
    [](const View<D>& v) { return v.result.peer_receive == as_small<D>(Outcome::loc_prot_err); }};

template <class D>
inline constexpr Condition<D> peer_receive_fails{
    "peer_receive_fails", "a receive posted on the failed responder completes with an error",
    "C9-220 C9-222.1.1", About::observation, [](const View<D>& v) {
      const auto seen = v.result.peer_receive;
      const auto failed = (seen != as_small<D>(Outcome::none)) & (seen != as_small<D>(Outcome::ok));
      return D::select(responder<D>(v).posted, failed, seen == as_small<D>(Outcome::none));
    }};

}  // namespace mrproof::model
