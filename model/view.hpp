// All that a condition may look at: a call in a state, and the ranges that its work request names.
#pragma once

#include "model/regions.hpp"

namespace mrproof::model {

/// The access flag that the local side of the call's work request needs; 0: none.
constexpr std::uint32_t local_right(Verb verb) {
  const bool stores = verb == Verb::rdma_read || verb == Verb::post_recv || is_atomic(verb);
  return stores ? kLocalWrite : 0U;
}
/// The access flag that the remote side of the call's work request needs.
constexpr std::uint32_t remote_access(Verb verb) {
  if (is_atomic(verb)) return kRemoteAtomic;
  return verb == Verb::rdma_read ? kRemoteRead : kRemoteWrite;
}
/// The Feature flag of a device that does not claim the call's operation for regions on demand.
constexpr std::uint32_t missing_on_demand(Verb verb) {
  if (is_atomic(verb)) return kOnDemandNoAtomic;
  if (is_send(verb)) return kOnDemandNoSend;
  return verb == Verb::rdma_read ? kOnDemandNoRead : kOnDemandNoWrite;
}
/// Whether the work request writes to its local elements.
constexpr bool writes_local(Verb verb) { return local_right(verb) != 0; }

/// One call in one state. It caches what has the call's keys and never forgets: whoever changes the
/// state makes another view. An effect that runs in place is the last user of its view.
template <class D> struct View {
  const State<D>& state;
  const Call<D>& call;
  const Result<D>& result;
  /// What answers to the keys of the call's elements, of the receive's on the peer, to its rkey.
  mutable std::array<Holders<D>, 2> of_elements{}, of_receive{};
  mutable Holders<D> of_rkey{};

  /// The call with another result. What has its keys does not depend on that.
  constexpr View ended_by(const Result<D>& other) const {
    return {state, call, other, of_elements, of_receive, of_rkey};
  }
  /// The objects that the call names, and the queue pair at the other end.
  constexpr const auto& pd() const { return state.pds.at(call.pd); }
  constexpr const auto& region() const { return state.regions.at(call.mr); }
  constexpr const auto& source() const { return state.regions.at(call.source); }
  constexpr const auto& window() const { return state.windows.at(call.mw); }
  constexpr const auto& qp() const { return state.qps.at(call.qp); }
  constexpr const auto& peer() const { return state.qps.at(peer_of(call.qp)); }

  /// Bytes of the message: of all elements together.
  constexpr auto message() const {
    return call.elements == 1 ? call.length : call.length + call.second.length;
  }
  /// Element `index` of the call as a local range of its queue pair, that needs the right.
  constexpr Target<D> element(std::size_t index, std::uint32_t right) const {
    const auto& [lkey, address, length] =
        index == 0 ? Element<D>{call.lkey, call.address, call.length} : call.second;
    auto& holders = of_elements.at(index);
    const auto pd = call.verb == Verb::advise_mr ? D::slot(call.pd) : qp().pd;
    const Target<D> t{state, KeyKind::local, lkey, address, length, call.qp, right, &holders, pd,
        posted_inline()};
    holders.look_up(t);
    return t;
  }
  /// Whether the request takes its bytes along.
  constexpr auto posted_inline() const {
    return takes_inline(call.verb) ? has<D>(call.flags, kInline) : typename D::Bit(false);
  }
  /// The same, with the right that the verb needs.
  constexpr Target<D> local(std::size_t index) const {
    return element(index, local_right(call.verb));
  }
  /// The remote side of an RDMA or atomic operation.
  constexpr Target<D> remote() const {
    const Target<D> t{state, KeyKind::remote, call.rkey, call.remote, message(), peer_of(call.qp),
        remote_access(call.verb), &of_rkey, peer().pd};
    of_rkey.look_up(t);
    return t;
  }
  /// Element `index` of the receive posted on the peer, for as many bytes of the message as land in
  /// it; `whole`: all of it, whatever comes.
  constexpr Target<D> receive(std::size_t index, bool whole = false) const {
    const auto& [lkey, address, length] = peer().elements.at(index);
    const auto& first = peer().elements[0].length;
    const auto left =
        index == 0 ? message() : D::select(message() < first, D::address(0), message() - first);
    const auto lands = whole ? length : D::select(left < length, left, length);
    auto& holders = of_receive.at(index);
    const Target<D> t{
        state, KeyKind::local, lkey, address, lands, peer_of(call.qp), kLocalWrite, &holders,
        peer().pd};
    holders.look_up(t);
    return t;
  }

  /// Whether each element that is not empty satisfies the predicate of a target.
  constexpr auto each_element(std::uint32_t right, auto&& predicate) const {
    auto sound = D::bit(true);
    for (std::size_t i = 0; i < call.elements; ++i) {
      const auto t = element(i, right);
      sound = sound & only_if<D>(t.length != 0, [&] { return predicate(t); });
    }
    return sound;
  }
  constexpr auto each_local(auto&& predicate) const {
    return each_element(local_right(call.verb), predicate);
  }
  /// Whether the remote range does. C9-88: nothing is asked of a zero-length operation.
  constexpr auto remote_side(auto&& predicate) const {
    const auto t = remote();
    return (message() == 0) | predicate(t);
  }
  /// Whether each element of the receive does in which bytes land. Without a receive there is
  /// nothing to check.
  constexpr auto each_landing(auto&& predicate) const {
    auto sound = D::bit(true);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto t = receive(i);
      sound = sound & only_if<D>(peer().posted & (t.length != 0), [&] { return predicate(t); });
    }
    return sound;
  }
};

}  // namespace mrproof::model
