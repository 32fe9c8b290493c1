// Conditions on the data path: queue pairs, keys, ranges, receives; and on what is seen with a work
// completion.
#pragma once

#include "model/conditions/registration.hpp"

namespace mrproof::model {

// Queue pairs and messages.
MRPROOF_SITUATION(receive_queue_free, "no receive is posted yet (the model holds one a queue pair)",
    "harness.one_receive", !v.qp().posted);
MRPROOF_SITUATION_ON(kAboutPairs, qp_ready, "the queue pair is in RTS",
    "modify_qp.rc_transitions C10-96", v.qp().state == QpState::rts);
MRPROOF_SITUATION(pair_rights_defined,
    "the flags asked for are rights to remote operations that the device supports",
    "modify_qp.access_flags",
    ((v.call.access & ~kPairRights) == 0) &
        (has<D>(v.state.can.features, kAtomics) | !has<D>(v.call.access, kRemoteAtomic)));
/// Whether the other end serves what is posted behind the request, by these rights.
template <class D> constexpr auto serves(const View<D>& v, std::uint32_t rights) {
  return (v.peer().state == QpState::rts) & v.peer().live & has<D>(v.peer().access, rights);
}
/// What the precondition end_is_seen says; over iWARP both ends leave RTS together. A responder may
/// acknowledge a message and then fail, for the key that it is to invalidate
/// (gap.remote_invalidate_fault): it answers nothing behind that.
template <class D> constexpr auto can_be_seen(const View<D>& v) {
  const auto over = (!is_iwarp(v.state)) | D::bit(!is_sent_only(v.call.verb)) |
                    (v.peer().state != QpState::rts) | (!v.peer().live) | serves(v, kRemoteRead);
  const auto answered = serves(v, kRemoteRead) & serves(v, kRemoteWrite) & !is_iwarp(v.state) &
                        D::bit(v.call.verb != Verb::send_with_inv);
  return over & ((!has<D>(v.call.flags, kUnsignaled)) | answered);
}
MRPROOF_SITUATION_ON(kAboutPairs, end_is_seen,
    "the end of the request is seen: by its completion, or by a read or write behind it that the "
    "other end serves",
    "harness.unsignaled harness.sent_only", can_be_seen(v));
MRPROOF_SITUATION(peer_ready, "the queue pair at the other end is in RTS",
    "modify_qp.rc_transitions", (v.peer().state == QpState::rts) & v.peer().live);
MRPROOF_SITUATION(wire_loses, "packets between the queue pairs may be lost or late",
    "harness.transport", (v.state.can.features & kLossless) == 0);
MRPROOF_SITUATION(message_not_too_long, "the message is no longer than the port carries",
    "query_port.max_msg_sz C9-94", v.message() <= v.state.can.max_message);
/// Whether the program can read all bytes that the request takes along, which are few enough.
template <class D> constexpr auto inline_readable(const View<D>& v) {
  auto sound = v.message() <= kInlineBytes;
  for (std::size_t i = 0; i < v.call.elements; ++i) {
    const auto t = v.element(i, 0);
    sound = sound & ((t.length == 0) | paged_in(v.state, t.start, t.length, false));
  }
  return sound;
}
MRPROOF_SITUATION(inline_sound,
    "a request that is posted inline is a send or a write of few bytes, all of which the program "
    "can read",
    "post_send.inline create_qp.max_inline",
    (!has<D>(v.call.flags, kInline)) | (D::bit(takes_inline(v.call.verb)) & inline_readable(v)));
MRPROOF_SITUATION(inline_available,
    "the request is not posted inline, or a queue pair of the device has taken bytes along before",
    "create_qp.max_inline gap.inline_missing",
    (!v.posted_inline()) | has<D>(v.state.promised_features(), kInlineData));
MRPROOF_SITUATION(atomic_length, "an atomic operation has one element, of 8 bytes",
    "gap.atomic_local_length", (v.call.elements == 1) & (v.call.length == 8));

// Over iWARP.
MRPROOF_SITUATION(over_iwarp, "queue pairs are connected over iWARP",
    "rfc5040.stream_ends rfc5040.sent_only rfc5040.no_immediates gap.iwarp_status",
    is_iwarp(v.state));
MRPROOF_SITUATION(one_read_element, "a read over iWARP has one element",
    "rfc5040.one_sink query_device.max_sge_rd",
    D::bit(v.call.verb != Verb::rdma_read || v.call.elements == 1) | !is_iwarp(v.state));
MRPROOF_SITUATION(sink_writable,
    "a read over iWARP stores to a local region that grants REMOTE_WRITE",
    "rfc5040.read_response gap.iwarp_read_sink",
    D::bit(v.call.verb != Verb::rdma_read) | (!is_iwarp(v.state)) |
        v.each_element(kRemoteWrite, [](auto& t) { return t.right_granted(); }));

/// Whether all elements are sound even if they are empty.
template <class D> constexpr auto empty_elements_sound(const View<D>& v) {
  auto sound = D::bit(true);
  for (std::size_t i = 0; i < v.call.elements; ++i) {
    const auto t = v.local(i);
    sound = sound & ((t.length != 0) | t.a_byte_at_least().granted(writes_local(v.call.verb)));
  }
  return sound;
}

// The local side; nothing is asked of a zero-length element.
MRPROOF_SITUATION_ON(kAboutElements, local_key_live, "a live region has each lkey",
    "reg_mr.lkey_names_mr", v.each_local([](auto& t) { return t.key_is_live(); }));
MRPROOF_SITUATION_ON(kAboutDomains, local_same_pd,
    "the local region is in the PD of the queue pair", "C10-56",
    v.each_local([](auto& t) { return t.same_pd(); }));
MRPROOF_SITUATION(local_write_right,
    "the local region has LOCAL_WRITE where the device writes to it", "reg_mr.local_write C10-57",
    v.each_local([](auto& t) { return t.right_granted(); }));
MRPROOF_SITUATION(local_in_bounds, "the local range lies inside the region",
    "reg_mr.range post_send.sge_range", v.each_local([](auto& t) { return t.in_bounds(); }));
MRPROOF_SITUATION_ON(kAboutOnDemand, local_memory_there,
    "memory behind a local region on demand is mapped (writable, if written)",
    "reg_mr.on_demand gap.odp_page_missing",
    v.each_local([&](auto& t) { return t.memory_there(writes_local(v.call.verb)); }));
MRPROOF_SITUATION(empty_element_sound,
    "no element is empty, or its key and address would do for one byte as well",
    "gap.zero_length_lkey", empty_elements_sound(v));

/// Whether the device has windows of type 2A and none of type 2B.
template <class D> constexpr auto windows_are_2a(const View<D>& v) {
  return has<D>(v.state.can.features, kMwType2A) & !has<D>(v.state.can.features, kMwType2B);
}
/// Whether the address is a multiple of 8.
constexpr auto aligned(auto address) { return (address & 7) == 0; }
/// Whether the memory behind the remote address is aligned.
template <class D> constexpr auto memory_aligned(const View<D>& v) {
  const auto remote = v.remote();
  return aligned(remote.piece(remote.length).at);
}

// The remote side.
MRPROOF_SITUATION_ON(kAboutElements, remote_key_live, "a live region or bound window has this rkey",
    "reg_mr.rkey_names_mr alloc_mw.rkey_names_mw C9-88 C10-68",
    v.remote_side([](auto& t) { return t.key_is_live(); }));
MRPROOF_SITUATION_ON(kAboutDomains, remote_same_pd,
    "the remote region or window is in the PD of the responding queue pair", "C10-56 C10-76.2.1",
    v.remote_side([](auto& t) { return t.same_pd(); }));
MRPROOF_SITUATION_ON(kAboutPairs, remote_same_qp,
    "a type 2B window is used through the queue pair it was bound through",
    "o10-37.2.43 gap.windows_claimed_2",
    windows_are_2a(v) | v.remote_side([](auto& t) { return t.same_qp(); }));
MRPROOF_SITUATION(remote_bound_here,
    "a type 2 window is used through the queue pair it was bound through", "gap.type_2a_other_qp",
    v.remote_side([](auto& t) { return t.same_qp(); }));
MRPROOF_SITUATION(remote_right,
    "the remote region or window grants the operation (REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC)",
    "reg_mr.remote_write reg_mr.remote_read reg_mr.remote_atomic bind_mw.access_granted C10-57 "
    "C10-77",
    v.remote_side([](auto& t) { return t.right_granted(); }));
MRPROOF_SITUATION_ON(kAboutPairs, pair_accepts,
    "the responding queue pair accepts the operation, or it is one of no bytes",
    "modify_qp.access_flags gap.empty_operation_right",
    v.remote_side([](auto& t) { return t.accepted(); }));
MRPROOF_SITUATION_ON(kAboutPairs, pair_accepts_empty,
    "the responding queue pair accepts the operation, were it one of no bytes",
    "modify_qp.access_flags gap.empty_operation_right gap.pair_right_status",
    v.remote().accepted());
MRPROOF_SITUATION(remote_in_bounds, "the remote range lies inside the region or window",
    "reg_mr.range bind_mw.range post_send.remote_range C9-222.1",
    v.remote_side([](auto& t) { return t.in_bounds(); }));
MRPROOF_SITUATION_ON(kAboutOnDemand, remote_memory_there,
    "memory behind a remote region on demand is mapped (writable, if written)",
    "reg_mr.on_demand gap.odp_page_missing",
    v.remote_side([&](auto& t) { return t.memory_there(v.call.verb != Verb::rdma_read); }));
MRPROOF_SITUATION(remote_aligned,
    "the remote address of an atomic operation, or the memory behind it, is a multiple of 8",
    "gap.atomic_alignment", aligned(v.call.remote) | memory_aligned(v) | !is_atomic(v.call.verb));
MRPROOF_SITUATION(remote_aligned_both,
    "the remote address of an atomic operation and the memory behind it are multiples of 8",
    "gap.atomic_alignment", (aligned(v.call.remote) & memory_aligned(v)) | !is_atomic(v.call.verb));

/// Whether all of the receive's elements are good.
template <class D> constexpr auto whole_receive_sound(const View<D>& v) {
  auto sound = D::bit(true);
  for (std::size_t i = 0; i < 2; ++i) {
    sound =
        sound & (((i == 1) & !v.peer().two) | v.receive(i, true).a_byte_at_least().granted(true));
  }
  return sound;
}

// The receive that a message lands in.
MRPROOF_SITUATION_ON(kAboutReceives, receive_posted, "a receive is posted on the peer",
    "post_recv.posts_list", v.peer().posted);
MRPROOF_SITUATION_ON(kAboutReceives, receive_long_enough,
    "the posted receive has room for the message", "post_recv.sge_range",
    (!v.peer().posted) |
        (v.message() <= v.peer().elements[0].length + v.peer().elements[1].length));
MRPROOF_SITUATION_ON(kAboutReceives | kAboutElements, receive_key_live,
    "a live region has the receive's lkey", "reg_mr.lkey_names_mr",
    v.each_landing([](auto& t) { return t.key_is_live(); }));
MRPROOF_SITUATION_ON(kAboutDomains | kAboutReceives, receive_same_pd,
    "the receive's region is in the PD of the receiving queue pair", "C10-56",
    v.each_landing([](auto& t) { return t.same_pd(); }));
MRPROOF_SITUATION_ON(kAboutReceives, receive_write_right, "the receive's region has LOCAL_WRITE",
    "reg_mr.local_write C10-57", v.each_landing([](auto& t) { return t.right_granted(); }));
MRPROOF_SITUATION_ON(kAboutReceives, receive_in_bounds,
    "the message fits the region behind the receive", "reg_mr.range post_recv.sge_range",
    v.each_landing([](auto& t) { return t.in_bounds(); }));
MRPROOF_SITUATION_ON(kAboutReceives | kAboutOnDemand, receive_memory_there,
    "memory behind a receive's region on demand is mapped and writable",
    "reg_mr.on_demand gap.odp_page_missing",
    v.each_landing([](auto& t) { return t.memory_there(true); }));
MRPROOF_SITUATION(receive_element_sound, "the receive's elements, not only the part used, are good",
    "gap.receive_unused_bytes", (!v.peer().posted) | whole_receive_sound(v));

// All that a responder looks at while it has not heard of the requester's fault.
MRPROOF_SITUATION(far_side_sound, "the responder has no fault to find on its side",
    "gap.fault_order",
    is_send(v.call.verb) ? receive_long_enough<D>.holds(v) & receive_element_sound<D>.holds(v)
                         : v.remote().accepted() &
                               ((v.message() == 0) |
                                   v.remote().granted(v.call.verb != Verb::rdma_read)));

/// Whether the ranges that bytes may be stored in overlap none that others come from, or each
/// other. Sound for what is granted: where bytes cannot be reached, none move.
template <class D> constexpr auto apart(const Piece<D>& a, const Piece<D>& b) {
  const auto nothing = (a.length == 0) | (b.length == 0) | a.outside_buffers | b.outside_buffers;
  return nothing | (a.at + a.length <= b.at) | (b.at + b.length <= a.at);
}
/// What the precondition copy_defined says.
template <class D> constexpr auto can_be_copied(const View<D>& v) {
  const auto remote = v.remote();
  const auto far = remote.reachable_piece();
  const bool stores = writes_local(v.call.verb);
  auto result = remote.is_defined(v.call.verb == Verb::rdma_read || is_atomic(v.call.verb));
  std::array<Piece<D>, 2> near{};
  for (std::size_t i = 0; i < v.call.elements; ++i) {
    const auto local = v.local(i);
    near.at(i) = local.reachable_piece();
    result = result & local.is_defined(!stores) & apart(near.at(i), far);
  }
  return stores ? result & apart(near[0], near[1]) : result;
}
/// What the precondition receive_copy_defined says of a receive that is posted.
template <class D> constexpr auto can_be_received(const View<D>& v) {
  const auto first = v.receive(0);
  const auto second = v.receive(1);
  const auto into = first.reachable_piece();
  const auto then_into = second.reachable_piece();
  auto result = first.is_defined(false) & second.is_defined(false) & apart(into, then_into);
  for (std::size_t i = 0; i < v.call.elements; ++i) {
    const auto local = v.element(i, 0);
    const auto from = local.reachable_piece();
    result = result & local.is_defined(true) & apart(from, into) & apart(from, then_into);
  }
  return result;
}

/// Whether no region on demand is used in a way that the device does not claim.
template <class D> constexpr auto claimed_on_demand(const View<D>& v) {
  const auto& features = v.state.can.features;
  if (!D::possible(has_any<D>(features, kOnDemandMissing))) return D::bit(true);
  const auto pinned = [](auto& t) { return t.none_with(kOnDemand); };
  const auto claims = [&](std::uint32_t missing) { return !has<D>(features, missing); };
  const auto near = v.each_local(pinned) | claims(missing_on_demand(v.call.verb));
  return is_send(v.call.verb)
             ? near & (v.each_landing(pinned) | claims(kOnDemandNoReceive))
             : near & (v.remote_side(pinned) | claims(missing_on_demand(v.call.verb)));
}
/// Whether no region is used that was registered with HUGETLB: buffers have ordinary pages.
template <class D> constexpr auto no_promise_broken(const View<D>& v) {
  if (!D::possible(has<D>(v.state.demonstrated_access, kHugetlb))) return D::bit(true);
  const auto ordinary = [](const auto& t) { return t.none_with(kHugetlb); };
  const auto far = is_send(v.call.verb) ? v.each_landing(ordinary) : ordinary(v.remote());
  auto near = ordinary(v.local(0));  // of empty ones, too: a device may look at them
  if (v.call.elements == 2) near = near & ordinary(v.local(1));
  return near & far;
}

// Preconditions: what the caller must not do.
MRPROOF_SITUATION(no_huge_pages,
    "no region that was registered with HUGETLB is used: the pages are ordinary ones",
    "reg_mr.hugetlb_promise", no_promise_broken(v));
MRPROOF_SITUATION(on_demand_claimed,
    "the device claims the operation for regions on demand, or none is used",
    "query_device_ex.odp_operations gap.odp_operation_missing", claimed_on_demand(v));
MRPROOF_SITUATION(copy_defined,
    "source and destination do not overlap and no region used is undefined",
    "gap.overlap gap.memory_unmapped_later rereg_mr.cmd_unusable", can_be_copied(v));
MRPROOF_SITUATION(receive_copy_defined,
    "message and receive do not overlap and no region used is undefined",
    "gap.overlap gap.memory_unmapped_later rereg_mr.cmd_unusable",
    (!v.peer().posted) | can_be_received(v));

/// Whether a state that was seen is the expected one; a state that was not asked for is no news.
constexpr auto seen_as(auto seen, auto expected) {
  return (seen == QpState::unknown) | (seen == expected);
}

/// Whether rights that were told are those that the queue pair has, of those the device supports.
template <class D> constexpr auto told_rights_true(const View<D>& v) {
  const auto same = [&](std::uint32_t right) {
    return (v.result.rights & right) == (v.qp().access & right);
  };
  const auto atomics = has<D>(v.state.can.features, kAtomics);
  return (!has<D>(v.result.rights, kRightsTold)) | (v.qp().state != QpState::rts) |
         (same(kRemoteWrite | kRemoteRead) & ((!atomics) | same(kRemoteAtomic)));
}

// What is seen: the completion, and the states of the queue pairs after it.
MRPROOF_OBSERVATION(completion_matches,
    "the completion names the work request, its queue pair and operation; a success has one only "
    "if the request is signaled",
    "poll_cq.wr_id poll_cq.qp_num poll_cq.opcode poll_cq.error_fields poll_cq.removed_once "
    "post_send.signaled bind_mw.signaled",
    v.result.completion_matches);
MRPROOF_OBSERVATION_ON(kAboutPairs, qp_state_true,
    "the state reported is the one the queue pair is in", "query_qp.state",
    v.result.qp_state == v.qp().state);
MRPROOF_OBSERVATION_ON(kAboutPairs, pair_rights_true,
    "the rights reported are those that the queue pair, which is in RTS, was given",
    "query_qp.access_flags modify_qp.access_flags", told_rights_true(v));
MRPROOF_OBSERVATION_ON(kAboutPairs, qp_state_ended, "the state reported is neither RTS nor ERR",
    "gap.iwarp_states", v.result.qp_state == QpState::other);
MRPROOF_OBSERVATION(requester_stays, "the requesting queue pair keeps its state",
    "modify_qp.rc_transitions 11.6.2", seen_as(v.result.qp_state, v.qp().state));
MRPROOF_OBSERVATION(responder_stays, "the responding queue pair keeps its state",
    "modify_qp.rc_transitions 11.6.2", seen_as(v.result.peer_state, v.peer().state));
MRPROOF_OBSERVATION(requester_fails, "the requesting queue pair goes to ERR", "C9-220 11.6.2",
    seen_as(v.result.qp_state, QpState::err));
MRPROOF_OBSERVATION(responder_fails, "the responding queue pair goes to ERR",
    "C9-222.1.1 gap.remote_fault_at_responder", seen_as(v.result.peer_state, QpState::err));

// The receives posted at both ends.
MRPROOF_OBSERVATION_ON(kAboutReceives, own_receive_stays,
    "a receive posted on the requester does not complete", "post_recv.posts_list",
    v.result.own_receive == Outcome::none);
MRPROOF_OBSERVATION_ON(kAboutReceives, peer_receive_stays,
    "a receive posted on the responder does not complete", "post_recv.posts_list",
    v.result.peer_receive == Outcome::none);
MRPROOF_OBSERVATION_ON(kAboutReceives, own_receive_flushed,
    "a receive posted on the failed requester is flushed", "C9-220",
    v.result.own_receive ==
        D::select(v.qp().posted, D::small(Outcome::wr_flush_err), D::small(Outcome::none)));
MRPROOF_OBSERVATION_ON(kAboutReceives, receive_succeeds, "the receive completes with SUCCESS",
    "poll_cq.status wr_post.send", v.result.peer_receive == Outcome::ok);
MRPROOF_OBSERVATION_ON(kAboutReceives | kAboutElements, received_length,
    "byte_len of the receive is the length of the message", "poll_cq.byte_len",
    v.result.received == v.message());
MRPROOF_OBSERVATION_ON(kAboutReceives | kAboutElements, receive_reports_length,
    "the receive completes with LOC_LEN_ERR", "11.6.2",
    v.result.peer_receive == Outcome::loc_len_err);
MRPROOF_OBSERVATION_ON(kAboutReceives, receive_reports_protection,
    "the receive completes with LOC_PROT_ERR", "11.6.2",
    v.result.peer_receive == Outcome::loc_prot_err);
MRPROOF_OBSERVATION_ON(kAboutReceives, peer_receive_fails,
    "a receive posted on the failed responder completes with an error", "C9-220 C9-222.1.1",
    ((v.result.peer_receive == Outcome::none) == !v.peer().posted) &
        (v.result.peer_receive != Outcome::ok));

}  // namespace mrproof::model
