// The ranges that a call's work request names: its elements, the remote range, the receive's
// elements.
#pragma once

#include "model/regions.hpp"

namespace mrproof::model {

/// Element `index` of the call as a local range of queue pair `qp`.
template <class D>
constexpr Target<D> element_target(const View<D>& v, std::size_t index, std::uint32_t right) {
  if (index == 0)
    return {KeyKind::local, v.call.lkey, v.call.address, v.call.length, v.call.qp, right};
  const auto& e = v.call.second;
  return {KeyKind::local, e.lkey, e.address, e.length, v.call.qp, right};
}

/// Whether each element that is not empty satisfies the predicate.
template <class D, class Predicate>
constexpr typename D::Bit each_element(const View<D>& v, std::uint32_t right,
                                       Predicate&& predicate) {
  auto result = D::bit(true);
  for (std::size_t i = 0; i < v.call.elements; ++i) {
    const auto target = element_target<D>(v, i, right);
    result = result & only_if<D>(target.length != D::address(0), [&] { return predicate(target); });
  }
  return result;
}

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

/// Whether the work request writes to its local elements.
constexpr bool writes_local(Verb verb) { return local_right(verb) != 0; }

/// Bytes of the message: of all elements together.
template <class D>
constexpr typename D::Address message_length(const View<D>& v) {
  return v.call.elements == 1 ? v.call.length : v.call.length + v.call.second.length;
}

/// The remote side of an RDMA or atomic operation.
template <class D>
constexpr Target<D> remote_target(const View<D>& v) {
  return {KeyKind::remote,      v.call.rkey,        v.call.remote,
          message_length<D>(v), peer_of(v.call.qp), remote_access(v.call.verb)};
}

/// Element `index` of the receive posted on the peer, for as many bytes of the message as land in
/// it; `whole`: all of it, whatever comes.
template <class D>
constexpr Target<D> receive_target(const View<D>& v, std::size_t index, bool whole) {
  const auto& peer = v.state.qps.at(peer_of(v.call.qp));
  const Element<D>& e = peer.elements.at(index);
  const auto message = message_length<D>(v);
  auto left = message;
  if (index == 1) {
    const auto& first = peer.elements.at(0).length;
    left = D::select(message < first, D::address(0), message - first);
  }
  const auto landing = D::select(left < e.length, left, e.length);
  return {KeyKind::local,     e.lkey,     e.address, whole ? e.length : landing,
          peer_of(v.call.qp), kLocalWrite};
}

/// Whether each element of the receive in which bytes land satisfies the predicate.
template <class D, class Predicate>
constexpr typename D::Bit each_landing(const View<D>& v, Predicate&& predicate) {
  const auto posted = v.state.qps.at(peer_of(v.call.qp)).posted;
  auto result = D::bit(true);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto target = receive_target<D>(v, i, false);
    result = result & only_if<D>(posted & (target.length != D::address(0)),
                                 [&] { return predicate(target); });
  }
  return result;
}

}  // namespace mrproof::model
