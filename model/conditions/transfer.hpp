// Conditions on the data path: queue pairs, keys, ranges, receives.
#pragma once

#include "model/conditions/registration.hpp"
#include "model/targets.hpp"

namespace mrproof::model {

// Queue pairs and messages.
MRPROOF_SITUATION(receive_queue_free, "no receive is posted yet (the model holds one a queue pair)",
    "harness.one_receive", !v.qp().posted);
MRPROOF_SITUATION(qp_ready, "the queue pair is in RTS", "modify_qp.rc_transitions C10-96",
    v.qp().state == QpState::rts);
MRPROOF_SITUATION(peer_ready, "the queue pair at the other end is in RTS",
    "modify_qp.rc_transitions", v.peer().live&(v.peer().state == QpState::rts));
MRPROOF_SITUATION(message_not_too_long, "the message is no longer than the port carries",
    "query_port.max_msg_sz C9-94", message_length(v) <= v.state.can.max_message);
MRPROOF_SITUATION(atomic_length, "an atomic operation has one element, of 8 bytes",
    "gap.atomic_local_length", (v.call.elements == 1) & (v.call.length == 8));

/// Whether the range's memory is there, to be written.
template <class D> constexpr auto writable_there(const State<D>& s, const Target<D>& t) {
  return memory_there(s, t, true);
}
/// The range; of an empty one, a byte.
template <class D> constexpr Target<D> at_least_a_byte(Target<D> t) {
  t.length = D::select(t.length == 0, D::address(1), t.length);
  return t;
}
/// Whether all elements are sound even if they are empty.
template <class D> constexpr auto empty_elements_sound(const View<D>& v) {
  const auto verb = v.call.verb;
  auto sound = D::bit(true);
  for (std::size_t i = 0; i < v.call.elements; ++i) {
    const auto t = element_target(v, i, local_right(verb));
    sound = sound & ((t.length != 0) | granted(v.state, at_least_a_byte(t), writes_local(verb)));
  }
  return sound;
}

// The local side; nothing is asked of a zero-length element.
MRPROOF_SITUATION(local_key_live, "a live region has each lkey", "reg_mr.lkey_names_mr",
    each_local(v, key_is_live<D>));
MRPROOF_SITUATION(local_same_pd, "the local region is in the PD of the queue pair", "C10-56",
    each_local(v, same_pd<D>));
MRPROOF_SITUATION(local_write_right,
    "the local region has LOCAL_WRITE where the device writes to it", "reg_mr.local_write C10-57",
    each_local(v, right_granted<D>));
MRPROOF_SITUATION(local_in_bounds, "the local range lies inside the region",
    "reg_mr.range post_send.sge_range", each_local(v, in_bounds<D>));
MRPROOF_SITUATION(local_memory_there,
    "memory behind a local region on demand is mapped (writable, if written)",
    "reg_mr.on_demand gap.odp_page_missing", each_local(v, [&](const auto& s, const auto& t) {
      return memory_there(s, t, writes_local(v.call.verb));
    }));
MRPROOF_SITUATION(empty_element_sound,
    "no element is empty, or its key and address would do for one byte as well",
    "gap.zero_length_lkey", empty_elements_sound(v));

/// Whether the device has windows of type 2A and none of type 2B.
template <class D> constexpr auto windows_are_2a(const View<D>& v) {
  return has<D>(v.state.can.features, kMwType2A) & !has<D>(v.state.can.features, kMwType2B);
}
/// Whether the address is a multiple of 8.
template <class D> constexpr auto aligned(typename D::Address address) {
  return (address & 7) == 0;
}
/// Whether the memory behind the remote address is aligned.
template <class D> constexpr auto memory_aligned(const View<D>& v) {
  const auto remote = remote_target(v);
  return aligned<D>(piece_of(v.state, remote, remote.length).at);
}

// The remote side.
MRPROOF_SITUATION(remote_key_live, "a live region or bound window has this rkey",
    "reg_mr.rkey_names_mr alloc_mw.rkey_names_mw C9-88 C10-68", remote_side(v, key_is_live<D>));
MRPROOF_SITUATION(remote_same_pd,
    "the remote region or window is in the PD of the responding queue pair", "C10-56 C10-76.2.1",
    remote_side(v, same_pd<D>));
MRPROOF_SITUATION(remote_same_qp,
    "a type 2B window is used through the queue pair it was bound through",
    "o10-37.2.43 gap.windows_claimed_2", windows_are_2a(v) | remote_side(v, same_qp<D>));
MRPROOF_SITUATION(remote_bound_here,
    "a type 2 window is used through the queue pair it was bound through", "gap.type_2a_other_qp",
    remote_side(v, same_qp<D>));
MRPROOF_SITUATION(remote_right,
    "the remote region or window grants the operation (REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC)",
    "reg_mr.remote_write reg_mr.remote_read reg_mr.remote_atomic bind_mw.access_granted C10-57 "
    "C10-77",
    remote_side(v, right_granted<D>));
MRPROOF_SITUATION(remote_in_bounds, "the remote range lies inside the region or window",
    "reg_mr.range bind_mw.range post_send.remote_range C9-222.1", remote_side(v, in_bounds<D>));
MRPROOF_SITUATION(remote_memory_there,
    "memory behind a remote region on demand is mapped (writable, if written)",
    "reg_mr.on_demand gap.odp_page_missing", remote_side(v, [&](const auto& s, const auto& t) {
      return memory_there(s, t, v.call.verb != Verb::rdma_read);
    }));
MRPROOF_SITUATION(remote_aligned,
    "the remote address of an atomic operation, or the memory behind it, is a multiple of 8",
    "gap.atomic_alignment",
    !is_atomic(v.call.verb) | aligned<D>(v.call.remote) | memory_aligned(v));
MRPROOF_SITUATION(remote_aligned_both,
    "the remote address of an atomic operation and the memory behind it are multiples of 8",
    "gap.atomic_alignment",
    !is_atomic(v.call.verb) | (aligned<D>(v.call.remote) & memory_aligned(v)));

/// Whether the receive has room for the message.
template <class D> constexpr auto has_room(const View<D>& v) {
  const auto& [first, second] = v.peer().elements;
  return message_length(v) <= first.length + second.length;
}
/// Whether all of the receive's elements are good.
template <class D> constexpr auto whole_receive_sound(const View<D>& v) {
  auto sound = D::bit(true);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto unused = D::bit(i == 1) & !v.peer().two;
    sound = sound & (unused | granted(v.state, at_least_a_byte(receive_target(v, i, true)), true));
  }
  return sound;
}

// The receive that a message lands in.
MRPROOF_SITUATION(
    receive_posted, "a receive is posted on the peer", "post_recv.posts_list", v.peer().posted);
MRPROOF_SITUATION(receive_long_enough, "the posted receive has room for the message",
    "post_recv.sge_range", (!v.peer().posted) | has_room(v));
MRPROOF_SITUATION(receive_key_live, "a live region has the receive's lkey", "reg_mr.lkey_names_mr",
    each_landing(v, key_is_live<D>));
MRPROOF_SITUATION(receive_same_pd, "the receive's region is in the PD of the receiving queue pair",
    "C10-56", each_landing(v, same_pd<D>));
MRPROOF_SITUATION(receive_write_right, "the receive's region has LOCAL_WRITE",
    "reg_mr.local_write C10-57", each_landing(v, right_granted<D>));
MRPROOF_SITUATION(receive_in_bounds, "the message fits the region behind the receive",
    "reg_mr.range post_recv.sge_range", each_landing(v, in_bounds<D>));
MRPROOF_SITUATION(receive_memory_there,
    "memory behind a receive's region on demand is mapped and writable",
    "reg_mr.on_demand gap.odp_page_missing", each_landing(v, writable_there<D>));
MRPROOF_SITUATION(receive_element_sound, "the receive's elements, not only the part used, are good",
    "gap.receive_unused_bytes", (!v.peer().posted) | whole_receive_sound(v));

/// Whether the ranges that bytes may be stored in overlap none that others come from, or each
/// other. Sound for what is granted: where bytes cannot be reached, none move.
template <class D> constexpr auto apart(const Piece<D>& a, const Piece<D>& b) {
  const auto nothing = (a.length == 0) | (b.length == 0) | a.unseen | b.unseen;
  return nothing | (a.at + a.length <= b.at) | (b.at + b.length <= a.at);
}
/// What the duty copy_defined says.
template <class D> constexpr auto can_be_copied(const View<D>& v) {
  const auto verb = v.call.verb;
  const auto remote = remote_target(v);
  const auto far = reachable_piece(v.state, remote);
  const bool stores = writes_local(verb);
  auto result = is_defined(v.state, remote, verb == Verb::rdma_read || is_atomic(verb));
  std::array<Piece<D>, 2> near{};
  for (std::size_t i = 0; i < v.call.elements; ++i) {
    const auto local = element_target(v, i, local_right(verb));
    near.at(i) = reachable_piece(v.state, local);
    result = result & is_defined(v.state, local, !stores) & apart(near.at(i), far);
  }
  return stores ? result & apart(near[0], near[1]) : result;
}
/// What the duty receive_copy_defined says of a receive that is posted.
template <class D> constexpr auto can_be_received(const View<D>& v) {
  const auto first = receive_target(v, 0, false);
  const auto second = receive_target(v, 1, false);
  const auto into = reachable_piece(v.state, first);
  const auto then_into = reachable_piece(v.state, second);
  auto result = is_defined(v.state, first, false) & is_defined(v.state, second, false) &
                apart(into, then_into);
  for (std::size_t i = 0; i < v.call.elements; ++i) {
    const auto local = element_target(v, i, 0);
    const auto from = reachable_piece(v.state, local);
    result = result & is_defined(v.state, local, true) & apart(from, into) & apart(from, then_into);
  }
  return result;
}

// Duties: what the caller must not do.
MRPROOF_SITUATION(copy_defined,
    "source and destination do not overlap and no region used is undefined",
    "gap.overlap gap.memory_unmapped_later rereg_mr.cmd_unusable", can_be_copied(v));
MRPROOF_SITUATION(receive_copy_defined,
    "message and receive do not overlap and no region used is undefined",
    "gap.overlap gap.memory_unmapped_later rereg_mr.cmd_unusable",
    (!v.peer().posted) | can_be_received(v));

}  // namespace mrproof::model
