// Conditions on the data path: queue pairs, keys, ranges, receives.
#pragma once

#include "model/regions.hpp"

namespace mrproof::model {

/// The queue pair that the call is made on.
template <class D>
constexpr const QueuePair<D>& requester(const View<D>& v) {
  return v.state.qps.at(v.call.qp);
}
/// The queue pair at its other end.
template <class D>
constexpr const QueuePair<D>& responder(const View<D>& v) {
  return v.state.qps.at(peer_of(v.call.qp));
}
/// Whether the call moves no bytes.
template <class D>
constexpr typename D::Bit zero_length(const View<D>& v) {
  return v.call.length == D::address(0);
}

// ---- queue pairs and messages ----

template <class D>
inline constexpr Condition<D> qp_live{"qp_live", "the queue pair exists", "ibv_create_qp(3)",
                                      About::situation,
                                      [](const View<D>& v) { return requester<D>(v).live; }};

template <class D>
inline constexpr Condition<D> receive_queue_free{
    "receive_queue_free", "no receive is posted yet (the model holds one a queue pair)",
    "model: one posted receive", About::situation,
    [](const View<D>& v) { return !requester<D>(v).posted; }};

template <class D>
inline constexpr Condition<D> qp_ready{
    "qp_ready", "the queue pair is in RTS", "C10-96; ibv_modify_qp(3)", About::situation,
    [](const View<D>& v) { return requester<D>(v).state == as_small<D>(QpState::rts); }};

template <class D>
inline constexpr Condition<D> peer_ready{
    "peer_ready", "the queue pair at the other end is in RTS", "ibv_modify_qp(3)", About::situation,
    [](const View<D>& v) { return responder<D>(v).state == as_small<D>(QpState::rts); }};

template <class D>
inline constexpr Condition<D> message_not_too_long{
    "message_not_too_long", "the message is no longer than the port carries",
    "ibv_query_port(3), max_msg_sz; C9-94", About::situation,
    [](const View<D>& v) { return v.call.length <= v.state.can.max_message; }};

// ---- the local side; nothing is asked of a zero-length element ----

template <class D>
inline constexpr Condition<D> local_key_live{
    "local_key_live", "a live region has this lkey", "ibv_reg_mr(3), RETURN VALUE; C10-57",
    About::situation,
    [](const View<D>& v) { return zero_length(v) | key_is_live<D>(v.state, local_target<D>(v)); }};

template <class D>
inline constexpr Condition<D> local_same_pd{
    "local_same_pd", "the local region is in the PD of the queue pair", "C10-56", About::situation,
    [](const View<D>& v) { return zero_length(v) | same_pd<D>(v.state, local_target<D>(v)); }};

template <class D>
inline constexpr Condition<D> local_write_right{
    "local_write_right", "the local region has LOCAL_WRITE where the device writes to it",
    "ibv_reg_mr(3), IBV_ACCESS_LOCAL_WRITE; C10-57", About::situation, [](const View<D>& v) {
      return zero_length(v) | right_granted<D>(v.state, local_target<D>(v));
    }};

template <class D>
inline constexpr Condition<D> local_in_bounds{
    "local_in_bounds", "the local range lies inside the region",
    "ibv_reg_mr(3), DESCRIPTION; 11.6.2", About::situation,
    [](const View<D>& v) { return zero_length(v) | in_bounds<D>(v.state, local_target<D>(v)); }};

template <class D>
inline constexpr Condition<D> empty_element_sound{
    "empty_element_sound",
    "the element is not empty, or its key and address would do for one byte as well",
    "gap: nothing says whether the lkey of a zero-length element is checked", About::situation,
    [](const View<D>& v) {
      auto byte = local_target<D>(v);
      byte.length = D::address(1);
      return (!zero_length(v)) | granted<D>(v.state, byte);
    }};

// ---- the remote side; C9-88: nothing is asked of a zero-length operation ----

template <class D>
inline constexpr Condition<D> remote_key_live{
    "remote_key_live", "a live region has this rkey", "ibv_reg_mr(3), RETURN VALUE; C9-88",
    About::situation,
    [](const View<D>& v) { return zero_length(v) | key_is_live<D>(v.state, remote_target<D>(v)); }};

template <class D>
inline constexpr Condition<D> remote_same_pd{
    "remote_same_pd", "the remote region is in the PD of the responding queue pair", "C10-56",
    About::situation,
    [](const View<D>& v) { return zero_length(v) | same_pd<D>(v.state, remote_target<D>(v)); }};

template <class D>
inline constexpr Condition<D> remote_right{
    "remote_right", "the remote region grants the operation (REMOTE_WRITE, REMOTE_READ)",
    "ibv_reg_mr(3), DESCRIPTION; C10-57", About::situation, [](const View<D>& v) {
      return zero_length(v) | right_granted<D>(v.state, remote_target<D>(v));
    }};

template <class D>
inline constexpr Condition<D> remote_in_bounds{
    "remote_in_bounds", "the remote range lies inside the region",
    "ibv_reg_mr(3), DESCRIPTION; C9-222.1", About::situation,
    [](const View<D>& v) { return zero_length(v) | in_bounds<D>(v.state, remote_target<D>(v)); }};

// ---- the receive that a send lands in; without one there is nothing to check ----

/// Whether nothing is asked of the receive: none is posted, or the message is empty.
template <class D>
constexpr typename D::Bit receive_unused(const View<D>& v) {
  return zero_length(v) | (!responder<D>(v).posted);
}

template <class D>
inline constexpr Condition<D> receive_posted{
    "receive_posted", "a receive is posted on the peer", "ibv_post_recv(3)", About::situation,
    [](const View<D>& v) { return responder<D>(v).posted; }};

template <class D>
inline constexpr Condition<D> receive_long_enough{
    "receive_long_enough", "the posted receive has room for the message",
    "ibv_post_recv(3); 11.6.2", About::situation, [](const View<D>& v) {
      return (!responder<D>(v).posted) | (v.call.length <= responder<D>(v).length);
    }};

template <class D>
inline constexpr Condition<D> receive_key_live{
    "receive_key_live", "a live region has the receive's lkey",
    "ibv_reg_mr(3), RETURN VALUE; C10-57", About::situation, [](const View<D>& v) {
      return receive_unused<D>(v) | key_is_live<D>(v.state, receive_target<D>(v));
    }};

template <class D>
inline constexpr Condition<D> receive_same_pd{
    "receive_same_pd", "the receive's region is in the PD of the receiving queue pair", "C10-56",
    About::situation, [](const View<D>& v) {
      return receive_unused<D>(v) | same_pd<D>(v.state, receive_target<D>(v));
    }};

template <class D>
inline constexpr Condition<D> receive_write_right{
    "receive_write_right", "the receive's region has LOCAL_WRITE",
    "ibv_reg_mr(3), IBV_ACCESS_LOCAL_WRITE; C10-57", About::situation, [](const View<D>& v) {
      return receive_unused<D>(v) | right_granted<D>(v.state, receive_target<D>(v));
    }};

template <class D>
inline constexpr Condition<D> receive_in_bounds{
    "receive_in_bounds", "the message fits the region behind the receive",
    "ibv_reg_mr(3), DESCRIPTION; 11.6.2", About::situation, [](const View<D>& v) {
      return receive_unused<D>(v) | in_bounds<D>(v.state, receive_target<D>(v));
    }};

template <class D>
inline constexpr Condition<D> receive_element_sound{
    "receive_element_sound", "the receive's whole element, not only the part used, is good",
    "gap: nothing says whether unused bytes of a receive are checked", About::situation,
    [](const View<D>& v) {
      auto whole = receive_target<D>(v);
      const auto posted = responder<D>(v).length;
      whole.length = D::select(posted == D::address(0), D::address(1), posted);
      return (!responder<D>(v).posted) | granted<D>(v.state, whole);
    }};

// ---- what the caller must not do (duties) ----

/// Ranges that may be copied between do not overlap, and no region in use is undefined.
template <class D>
constexpr typename D::Bit copy_is_defined(const View<D>& v, const Target<D>& other) {
  const auto local = local_target<D>(v);
  const auto local_length = reachable_prefix<D>(v.state, local);
  const auto other_length = reachable_prefix<D>(v.state, other);
  const auto length = D::select(local_length < other_length, local_length, other_length);
  const auto a = memory_of<D>(v.state, local);
  const auto b = memory_of<D>(v.state, other);
  const auto apart = (a + length <= b) | (b + length <= a);
  return ((length == D::address(0)) | apart) & is_defined<D>(v.state, local) &
         is_defined<D>(v.state, other);
}

template <class D>
inline constexpr Condition<D> copy_defined{
    "copy_defined", "source and destination do not overlap and no region used is undefined",
    "gap: no page says what an overlapping transfer leaves behind", About::situation,
    [](const View<D>& v) { return copy_is_defined<D>(v, remote_target<D>(v)); }};

template <class D>
inline constexpr Condition<D> receive_copy_defined{
    "receive_copy_defined", "message and receive do not overlap and no region used is undefined",
    "gap: no page says what an overlapping transfer leaves behind", About::situation,
    [](const View<D>& v) { return copy_is_defined<D>(v, receive_target<D>(v)); }};

}  // namespace mrproof::model
