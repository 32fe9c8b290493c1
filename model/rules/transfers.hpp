// Effects and bytes of the data path, shared by the rules of send, RDMA write and RDMA read.
#pragma once

#include "model/conditions/completion.hpp"

namespace mrproof::model {

/// What completions do to queue pairs, and which bytes move.
template <class D>
struct TransferEffects {
  using S = State<D>;
  using V = View<D>;
  using Address = typename D::Address;

  static void fail(QueuePair<D>& qp) {
    qp.state = as_small<D>(QpState::err);
    qp.posted = D::bit(false);
  }
  static void requester_fails(const V& v, S& after) { fail(after.qps.at(v.call.qp)); }
  static void both_fail(const V& v, S& after) {
    fail(after.qps.at(v.call.qp));
    fail(after.qps.at(peer_of(v.call.qp)));
  }
  static void consume_receive(const V& v, S& after) {
    after.qps.at(peer_of(v.call.qp)).posted = D::bit(false);
  }
  static void post_receive(const V& v, S& after) {
    auto& qp = after.qps.at(v.call.qp);
    // A receive posted on a failed queue pair is as good as flushed.
    qp.posted = qp.state == as_small<D>(QpState::rts);
    qp.lkey = v.call.lkey;
    qp.address = v.call.address;
    qp.length = v.call.length;
  }
  static void reconnect(const V& v, S& after) {
    for (const std::uint8_t end : {v.call.qp, peer_of(v.call.qp)}) {
      auto& qp = after.qps.at(end);
      qp.state = as_small<D>(QpState::rts);
      qp.posted = D::bit(false);
    }
  }

  /// From the local range to the remote one, or the other way for an RDMA read.
  static Transfer<D> copy(const V& v, const Target<D>& other, Address length, bool exact) {
    const auto local = memory_of<D>(v.state, local_target<D>(v));
    const auto far = memory_of<D>(v.state, other);
    if (v.call.verb == Verb::rdma_read) return {far, local, length, exact};
    return {local, far, length, exact};
  }
  static Transfer<D> whole_rdma(const V& v) {
    return copy(v, remote_target<D>(v), v.call.length, true);
  }
  static Transfer<D> whole_send(const V& v) {
    return copy(v, receive_target<D>(v), v.call.length, true);
  }
  /// What may have moved before the local side was found wanting: only if the remote side is good.
  static Transfer<D> part_rdma(const V& v) {
    const auto remote = remote_target<D>(v);
    const auto reach = reachable_prefix<D>(v.state, local_target<D>(v));
    const auto sound = granted<D>(v.state, remote) & (responder<D>(v).state == rts());
    return copy(v, remote, D::select(sound, reach, D::address(0)), false);
  }
  /// What may have landed in the receive before either side was found wanting.
  static Transfer<D> part_send(const V& v) {
    const auto& peer = responder<D>(v);
    const auto receive = receive_target<D>(v);
    const auto from = reachable_prefix<D>(v.state, local_target<D>(v));
    const auto into = reachable_prefix<D>(v.state, receive);
    const auto room = D::select(into < peer.length, into, peer.length);
    const auto length = D::select(from < room, from, room);
    const auto lands = peer.posted & (peer.state == rts());
    return copy(v, receive, D::select(lands, length, D::address(0)), false);
  }

 private:
  static typename D::Small rts() { return as_small<D>(QpState::rts); }
};

}  // namespace mrproof::model
