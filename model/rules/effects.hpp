// Effects and bytes of the data path, shared by the rules of sends, RDMA, atomics and windows.
#pragma once

#include "model/conditions/transfer.hpp"

namespace mrproof::model {

/// What completions do to queue pairs and windows, and which bytes move.
template <class D> struct TransferEffects {
  using S = State<D>;
  using V = View<D>;

  /// Nothing says what becomes of the type 2 windows that were bound through the queue pair.
  static void leave_windows(S& after, std::uint32_t slot, typename D::Bit when = true) {
    const auto qp = D::slot(slot);
    after.windows.change_all(ThroughQp{qp}, [&](auto& w) {
      w.undefined = w.undefined | (when & w.live & w.bound & w.two & (w.qp == qp));
    });
  }
  static void fail(S& after, std::uint32_t slot) {
    after.qps.change(slot, [](auto& qp) {
      qp.state = QpState::err;
      qp.posted = false;
    });
    leave_windows(after, slot);
  }
  static void requester_fails(const V& v, S& after) { fail(after, v.call.qp); }
  static void responder_fails(const V& v, S& after) { fail(after, peer_of(v.call.qp)); }
  static void both_fail(const V& v, S& after) {
    fail(after, v.call.qp);
    fail(after, peer_of(v.call.qp));
  }
  /// The requester's retries ran out. The responder may have failed and said nothing: what was seen
  /// of it is taken over.
  static void unanswered(const V& v, S& after) {
    fail(after, v.call.qp);
    const auto failed = v.result.peer_state == QpState::err;
    after.qps.change(peer_of(v.call.qp), [&](auto& peer) {
      peer.state = D::select(failed, D::small(QpState::err), peer.state);
      peer.posted = peer.posted & (v.result.peer_receive == Outcome::none) & !failed;
    });
    leave_windows(after, peer_of(v.call.qp), failed);
  }
  static void sent(const V& v, S& after) {
    after.demonstrated_features =
        after.demonstrated_features |
        D::select(v.posted_inline(), D::flags(kInlineData), D::flags(0));
  }
  static void consume_receive(const V& v, S& after) {
    sent(v, after);
    after.qps.change(peer_of(v.call.qp), [](auto& qp) { qp.posted = false; });
  }
  static void atomic_done(const V& /*v*/, S& after) {
    after.demonstrated_features = after.demonstrated_features | kAtomics;
  }
  static void post_receive(const V& v, S& after) {
    after.qps.change(v.call.qp, [&](auto& qp) {
      // A receive posted on a failed queue pair is as good as flushed.
      qp.posted = qp.state == QpState::rts;
      qp.two = v.call.elements == 2;
      qp.elements.at(0) = {v.call.lkey, v.call.address, v.call.length};
      qp.elements.at(1) = v.call.elements == 2 ? v.call.second : Element<D>{};
    });
  }
  static void set_rights(const V& v, S& after) {
    after.qps.change(v.call.qp, [&](auto& qp) { qp.access = v.call.access; });
    after.demonstrated_features = after.demonstrated_features | kModifyRights;
  }
  static void reconnect(const V& v, S& after) {
    for (const auto end : {v.call.qp, peer_of(v.call.qp)}) {
      fail(after, end);
      after.qps.change(end, [](auto& qp) {
        qp.state = QpState::rts;
        qp.access = kPairRights;
      });
    }
  }
  static void destroy(const V& v, S& after) {
    const auto stream = is_iwarp(after);
    fail(after, v.call.qp);
    after.qps.change(v.call.qp, [](auto& qp) { qp.live = false; });
    // Over iWARP the connection ends with either end.
    after.qps.change(peer_of(v.call.qp), [&](auto& peer) {
      peer.state = D::select(stream, D::small(QpState::err), peer.state);
      peer.posted = peer.posted & !stream;
    });
    leave_windows(after, peer_of(v.call.qp), stream);
  }
  /// The type 2 window with the call's key is not bound any more.
  static void invalidate(const V& v, S& after) {
    after.windows.change_all(WithRkey{v.call.rkey},
        [&](auto& w) { w.bound = w.bound & !(w.live & w.two & is_named(v.state, v.call, w)); });
    after.demonstrated_features = after.demonstrated_features | kMemoryExtensions;
  }
  static void deliver_and_invalidate(const V& v, S& after) {
    invalidate(v, after);
    consume_receive(v, after);
  }

  /// The two ranges in memory; `reachable`: as far as the device gets, element after element.
  static std::array<Piece<D>, 2> pieces(const Target<D>& a, const Target<D>& b, bool reachable) {
    if (!reachable) return {a.piece(a.length), b.piece(b.length)};
    std::array<Piece<D>, 2> two{a.reachable_piece(), b.reachable_piece()};
    two[1].length = D::select(two[0].length == a.length, two[1].length, D::address(0));
    return two;
  }
  static std::array<Piece<D>, 2> local_pieces(const V& v, bool reachable) {
    auto second = v.local(1);
    if (v.call.elements == 1) second.length = 0;
    return pieces(v.local(0), second, reachable);
  }
  static std::array<Piece<D>, 2> landing_pieces(const V& v, bool reachable) {
    return pieces(v.receive(0), v.receive(1), reachable);
  }
  /// From the local elements to `far`, or the other way where the device writes to the elements.
  static Transfer<D> between(const V& v, const std::array<Piece<D>, 2>& far, bool exact) {
    const auto near = local_pieces(v, !exact);
    const bool stores = writes_local(v.call.verb);
    const auto motion = v.call.verb == Verb::atomic_fetch_and_add ? Motion::fetch_and_add
                        : v.call.verb == Verb::atomic_cmp_and_swp ? Motion::cmp_and_swp
                                                                  : Motion::copy;
    return {stores ? far : near, stores ? near : far, exact, motion, v.call.operand, v.call.swap};
  }
  /// To or from the remote range; with a length of zero where `sound` does not hold.
  static Transfer<D> remote(const V& v, typename D::Bit sound, bool exact) {
    const auto target = v.remote();
    return between(
        v, {target.piece(D::select(sound, target.length, D::address(0))), Piece<D>{}}, exact);
  }
  static Transfer<D> whole_remote(const V& v) { return remote(v, true, true); }
  static Transfer<D> whole_send(const V& v) { return between(v, landing_pieces(v, false), true); }
  /// What may have moved before the local side was found wanting: only if the remote side is good.
  static Transfer<D> part_remote(const V& v) {
    const auto sound = v.remote().granted(v.call.verb != Verb::rdma_read);
    return remote(v, sound & (v.peer().state == QpState::rts), false);
  }
  /// What may have moved before the responder came to a page that is not there: nothing else was
  /// wrong with the remote range. An atomic operation is made whole or not at all.
  static Transfer<D> part_paged(const V& v) {
    const auto target = v.remote();
    const auto sound = target.key_is_live() & target.same_pd() & target.right_granted() &
                       target.in_bounds() & target.same_qp() & target.accepted();
    return remote(v, sound & !is_atomic(v.call.verb), false);
  }
  /// What may have moved before a stream ended: it is placed piece by piece, as far as the remote
  /// range is good, of which only the end may be wrong.
  static Transfer<D> part_stream(const V& v) {
    const auto target = v.remote();
    const auto sound = target.key_is_live() & target.same_pd() & target.right_granted() &
                       target.same_qp() & target.memory_there(v.call.verb != Verb::rdma_read);
    auto far = target.reachable_piece();
    far.length = D::select(sound, far.length, D::address(0));
    return between(v, {far, Piece<D>{}}, false);
  }
  /// What may have landed in the receive before either side was found wanting.
  static Transfer<D> part_send(const V& v) {
    const auto lands = v.peer().posted & (v.peer().state == QpState::rts);
    auto into = landing_pieces(v, true);
    for (auto& piece : into) piece.length = D::select(lands, piece.length, D::address(0));
    return between(v, into, false);
  }
};

}  // namespace mrproof::model
