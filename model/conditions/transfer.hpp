// Conditions on the data path: queue pairs, keys, ranges, receives.
#pragma once

#include "model/conditions/objects.hpp"
#include "model/targets.hpp"

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
  return message_length<D>(v) == D::address(0);
}

// ---- queue pairs and messages ----

template <class D>
inline constexpr Condition<D> receive_queue_free{
    "receive_queue_free", "no receive is posted yet (the model holds one a queue pair)",
    "harness.one_receive", About::situation,
    [](const View<D>& v) { return !requester<D>(v).posted; }};

template <class D>
inline constexpr Condition<D> qp_ready{
    "qp_ready", "the queue pair is in RTS", "modify_qp.rc_transitions C10-96", About::situation,
    [](const View<D>& v) { return requester<D>(v).state == as_small<D>(QpState::rts); }};

template <class D>
inline constexpr Condition<D> peer_ready{
    "peer_ready", "the queue pair at the other end is in RTS", "modify_qp.rc_transitions",
    About::situation, [](const View<D>& v) {
      return responder<D>(v).live & (responder<D>(v).state == as_small<D>(QpState::rts));
    }};

template <class D>
inline constexpr Condition<D> message_not_too_long{
    "message_not_too_long", "the message is no longer than the port carries",
    "query_port.max_msg_sz C9-94", About::situation,
    [](const View<D>& v) { return message_length<D>(v) <= v.state.can.max_message; }};

template <class D>
inline constexpr Condition<D> atomic_length{
    "atomic_length", "an atomic operation has one element, of 8 bytes", "gap.atomic_local_length",
    About::situation, [](const View<D>& v) {
      return D::bit(v.call.elements == 1) & (v.call.length == D::address(8));
    }};

// ---- the local side; nothing is asked of a zero-length element ----

/// Whether each local element that is not empty satisfies the predicate.
template <class D, class Predicate>
constexpr typename D::Bit each_local(const View<D>& v, Predicate&& predicate) {
  return each_element<D>(v, local_right(v.call.verb), predicate);
}

template <class D>
inline constexpr Condition<D> local_key_live{
    "local_key_live", "a live region has each lkey", "reg_mr.lkey_names_mr", About::situation,
    [](const View<D>& v) {
      return each_local<D>(v, [&](const Target<D>& t) { return key_is_live<D>(v.state, t); });
    }};

template <class D>
inline constexpr Condition<D> local_same_pd{
    "local_same_pd", "the local region is in the PD of the queue pair", "C10-56", About::situation,
    [](const View<D>& v) {
      return each_local<D>(v, [&](const Target<D>& t) { return same_pd<D>(v.state, t); });
    }};

template <class D>
inline constexpr Condition<D> local_write_right{
    "local_write_right", "the local region has LOCAL_WRITE where the device writes to it",
    "reg_mr.local_write C10-57", About::situation, [](const View<D>& v) {
      if (!writes_local(v.call.verb)) return D::bit(true);
      return each_local<D>(v, [&](const Target<D>& t) { return right_granted<D>(v.state, t); });
    }};

template <class D>
inline constexpr Condition<D> local_in_bounds{
    "local_in_bounds", "the local range lies inside the region", "reg_mr.range post_send.sge_range",
    About::situation, [](const View<D>& v) {
      return each_local<D>(v, [&](const Target<D>& t) { return in_bounds<D>(v.state, t); });
    }};

template <class D>
inline constexpr Condition<D> local_memory_there{
    "local_memory_there", "memory behind a local region on demand is mapped (writable, if written)",
    "reg_mr.on_demand gap.odp_page_missing", About::situation, [](const View<D>& v) {
      return each_local<D>(v, [&](const Target<D>& t) {
        return memory_there<D>(v.state, t, writes_local(v.call.verb));
      });
    }};

template <class D>
inline constexpr Condition<D> empty_element_sound{
    "empty_element_sound",
    "no element is empty, or its key and address would do for one byte as well",
    "gap.zero_length_lkey", About::situation, [](const View<D>& v) {
      auto sound = D::bit(true);
      for (std::size_t i = 0; i < v.call.elements; ++i) {
        auto byte = element_target<D>(v, i, local_right(v.call.verb));
        const auto empty = byte.length == D::address(0);
        byte.length = D::address(1);
        sound = sound & ((!empty) | granted<D>(v.state, byte, writes_local(v.call.verb)));
      }
      return sound;
    }};

// ---- the remote side; C9-88: nothing is asked of a zero-length operation ----

template <class D>
inline constexpr Condition<D> remote_key_live{
    "remote_key_live", "a live region or bound window has this rkey",
    "reg_mr.rkey_names_mr alloc_mw.rkey_names_mw C9-88 C10-68", About::situation,
    [](const View<D>& v) { return zero_length(v) | key_is_live<D>(v.state, remote_target<D>(v)); }};

template <class D>
inline constexpr Condition<D> remote_same_pd{
    "remote_same_pd", "the remote region or window is in the PD of the responding queue pair",
    "C10-56 C10-76.2.1", About::situation,
    [](const View<D>& v) { return zero_length(v) | same_pd<D>(v.state, remote_target<D>(v)); }};

/// Whether the device has windows of type 2A and none of type 2B.
template <class D>
constexpr typename D::Bit windows_are_2a(const View<D>& v) {
  return has<D>(v.state.can.features, kMwType2A) & !has<D>(v.state.can.features, kMwType2B);
}

template <class D>
inline constexpr Condition<D> remote_same_qp{
    "remote_same_qp", "a type 2B window is used through the queue pair it was bound through",
    "o10-37.2.43 gap.windows_claimed_2", About::situation, [](const View<D>& v) {
      return zero_length(v) | windows_are_2a<D>(v) | same_qp<D>(v.state, remote_target<D>(v));
    }};

template <class D>
inline constexpr Condition<D> remote_bound_here{
    "remote_bound_here", "a type 2 window is used through the queue pair it was bound through",
    "gap.type_2a_other_qp", About::situation,
    [](const View<D>& v) { return zero_length(v) | same_qp<D>(v.state, remote_target<D>(v)); }};

template <class D>
inline constexpr Condition<D> remote_right{
    "remote_right",
    "the remote region or window grants the operation (REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC)",
    "reg_mr.remote_write reg_mr.remote_read reg_mr.remote_atomic bind_mw.access_granted C10-57 "
    "C10-77",
    About::situation, [](const View<D>& v) {
      return zero_length(v) | right_granted<D>(v.state, remote_target<D>(v));
    }};

template <class D>
inline constexpr Condition<D> remote_in_bounds{
    "remote_in_bounds", "the remote range lies inside the region or window",
    "reg_mr.range bind_mw.range post_send.remote_range C9-222.1", About::situation,
    [](const View<D>& v) { return zero_length(v) | in_bounds<D>(v.state, remote_target<D>(v)); }};

template <class D>
inline constexpr Condition<D> remote_memory_there{
    "remote_memory_there",
    "memory behind a remote region on demand is mapped (writable, if written)",
    "reg_mr.on_demand gap.odp_page_missing", About::situation, [](const View<D>& v) {
      return zero_length(v) |
             memory_there<D>(v.state, remote_target<D>(v), v.call.verb != Verb::rdma_read);
    }};

/// Whether the address is a multiple of 8.
template <class D>
constexpr typename D::Bit aligned(typename D::Address address) {
  return (address & D::address(7)) == D::address(0);
}

template <class D>
inline constexpr Condition<D> remote_aligned{
    "remote_aligned",
    "the remote address of an atomic operation, or the memory behind it, is a multiple of 8",
    "gap.atomic_alignment", About::situation, [](const View<D>& v) {
      const auto remote = remote_target<D>(v);
      return D::bit(!is_atomic(v.call.verb)) | aligned<D>(v.call.remote) |
             aligned<D>(piece_of<D>(v.state, remote, remote.length).at);
    }};

template <class D>
inline constexpr Condition<D> remote_aligned_both{
    "remote_aligned_both",
    "the remote address of an atomic operation and the memory behind it are multiples of 8",
    "gap.atomic_alignment", About::situation, [](const View<D>& v) {
      const auto remote = remote_target<D>(v);
      return D::bit(!is_atomic(v.call.verb)) |
             (aligned<D>(v.call.remote) &
              aligned<D>(piece_of<D>(v.state, remote, remote.length).at));
    }};

// ---- the receive that a message lands in; without one there is nothing to check ----

template <class D>
inline constexpr Condition<D> receive_posted{
    "receive_posted", "a receive is posted on the peer", "post_recv.posts_list", About::situation,
    [](const View<D>& v) { return responder<D>(v).posted; }};

template <class D>
inline constexpr Condition<D> receive_long_enough{
    "receive_long_enough", "the posted receive has room for the message", "post_recv.sge_range",
    About::situation, [](const View<D>& v) {
      const auto& e = responder<D>(v).elements;
      return (!responder<D>(v).posted) | (message_length<D>(v) <= e.at(0).length + e.at(1).length);
    }};

template <class D>
inline constexpr Condition<D> receive_key_live{
    "receive_key_live", "a live region has the receive's lkey", "reg_mr.lkey_names_mr",
    About::situation, [](const View<D>& v) {
      return each_landing<D>(v, [&](const Target<D>& t) { return key_is_live<D>(v.state, t); });
    }};

template <class D>
inline constexpr Condition<D> receive_same_pd{
    "receive_same_pd", "the receive's region is in the PD of the receiving queue pair", "C10-56",
    About::situation, [](const View<D>& v) {
      return each_landing<D>(v, [&](const Target<D>& t) { return same_pd<D>(v.state, t); });
    }};

template <class D>
inline constexpr Condition<D> receive_write_right{
    "receive_write_right", "the receive's region has LOCAL_WRITE", "reg_mr.local_write C10-57",
    About::situation, [](const View<D>& v) {
      return each_landing<D>(v, [&](const Target<D>& t) { return right_granted<D>(v.state, t); });
    }};

template <class D>
inline constexpr Condition<D> receive_in_bounds{
    "receive_in_bounds", "the message fits the region behind the receive",
    "reg_mr.range post_recv.sge_range", About::situation, [](const View<D>& v) {
      return each_landing<D>(v, [&](const Target<D>& t) { return in_bounds<D>(v.state, t); });
    }};

template <class D>
inline constexpr Condition<D> receive_memory_there{
    "receive_memory_there", "memory behind a receive's region on demand is mapped and writable",
    "reg_mr.on_demand gap.odp_page_missing", About::situation, [](const View<D>& v) {
      return each_landing<D>(v,
                             [&](const Target<D>& t) { return memory_there<D>(v.state, t, true); });
    }};

template <class D>
inline constexpr Condition<D> receive_element_sound{
    "receive_element_sound", "the receive's elements, not only the part used, are good",
    "gap.receive_unused_bytes", About::situation, [](const View<D>& v) {
      const auto& peer = responder<D>(v);
      auto sound = D::bit(true);
      for (std::size_t i = 0; i < 2; ++i) {
        auto whole = receive_target<D>(v, i, true);
        whole.length = D::select(whole.length == D::address(0), D::address(1), whole.length);
        const auto used = i == 0 ? D::bit(true) : peer.two;
        sound = sound & ((!used) | granted<D>(v.state, whole, true));
      }
      return (!peer.posted) | sound;
    }};

// ---- what the caller must not do (duties) ----

/// Whether the ranges that bytes may be stored in overlap none that others come from, or each
/// other. Sound for what is granted: where bytes cannot be reached, none move.
template <class D>
constexpr typename D::Bit apart(const Piece<D>& a, const Piece<D>& b) {
  const auto nothing =
      (a.length == D::address(0)) | (b.length == D::address(0)) | a.unseen | b.unseen;
  return nothing | (a.at + a.length <= b.at) | (b.at + b.length <= a.at);
}

/// The part of the range that a device may read or write.
template <class D>
constexpr Piece<D> reachable_piece(const State<D>& s, const Target<D>& t) {
  return piece_of<D>(s, t, reachable_prefix<D>(s, t));
}

template <class D>
inline constexpr Condition<D> copy_defined{
    "copy_defined", "source and destination do not overlap and no region used is undefined",
    "gap.overlap gap.memory_unmapped_later rereg_mr.cmd_unusable", About::situation,
    [](const View<D>& v) {
      const auto verb = v.call.verb;
      const auto remote = remote_target<D>(v);
      const auto far = reachable_piece<D>(v.state, remote);
      const bool stores = writes_local(verb);
      auto result = is_defined<D>(v.state, remote, verb == Verb::rdma_read || is_atomic(verb));
      std::array<Piece<D>, 2> near{};
      for (std::size_t i = 0; i < v.call.elements; ++i) {
        const auto local = element_target<D>(v, i, local_right(verb));
        near.at(i) = reachable_piece<D>(v.state, local);
        result = result & is_defined<D>(v.state, local, !stores) & apart<D>(near.at(i), far);
      }
      return stores ? result & apart<D>(near.at(0), near.at(1)) : result;
    }};

template <class D>
inline constexpr Condition<D> receive_copy_defined{
    "receive_copy_defined", "message and receive do not overlap and no region used is undefined",
    "gap.overlap gap.memory_unmapped_later rereg_mr.cmd_unusable", About::situation,
    [](const View<D>& v) {
      auto result = D::bit(true);
      const auto first = receive_target<D>(v, 0, false);
      const auto second = receive_target<D>(v, 1, false);
      const auto into =
          std::array{reachable_piece<D>(v.state, first), reachable_piece<D>(v.state, second)};
      for (std::size_t i = 0; i < v.call.elements; ++i) {
        const auto local = element_target<D>(v, i, 0);
        const auto from = reachable_piece<D>(v.state, local);
        result = result & is_defined<D>(v.state, local, true) & apart<D>(from, into.at(0)) &
                 apart<D>(from, into.at(1));
      }
      return (!responder<D>(v).posted) |
             (result & is_defined<D>(v.state, first, false) &
              is_defined<D>(v.state, second, false) & apart<D>(into.at(0), into.at(1)));
    }};

}  // namespace mrproof::model
