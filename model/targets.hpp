// The ranges that a call's work request names: its elements, the remote range, the receive's
// elements.
#pragma once

#include "model/regions.hpp"

namespace mrproof::model {

/// Where a view keeps what answers to the keys of a work request; of two elements, the first.
enum Place : std::uint8_t { kElements = 0, kReceive = 2, kRemote = 4 };

/// Element `index` of the call as a local range of queue pair `qp`.
template <class D>
constexpr Target<D> element_target(const View<D>& v, std::size_t index, std::uint32_t right) {
  const auto& [lkey, address, length] =
      index == 0 ? Element<D>{v.call.lkey, v.call.address, v.call.length} : v.call.second;
  return looked_up(v, kElements + index, {KeyKind::local, lkey, address, length, v.call.qp, right});
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

/// Whether each element that is not empty satisfies predicate(state, target).
template <class D, class Predicate>
constexpr auto each_element(const View<D>& v, std::uint32_t right, Predicate&& predicate) {
  auto result = D::bit(true);
  for (std::size_t i = 0; i < v.call.elements; ++i) {
    const auto target = element_target(v, i, right);
    result = result & only_if<D>(target.length != 0, [&] { return predicate(v.state, target); });
  }
  return result;
}
/// The same, with the right that the verb needs.
template <class D, class Predicate>
constexpr auto each_local(const View<D>& v, Predicate&& predicate) {
  return each_element(v, local_right(v.call.verb), predicate);
}

/// Bytes of the message: of all elements together.
template <class D> constexpr auto message_length(const View<D>& v) {
  return v.call.elements == 1 ? v.call.length : v.call.length + v.call.second.length;
}
/// Whether the call moves no bytes.
template <class D> constexpr auto zero_length(const View<D>& v) { return message_length(v) == 0; }

/// The remote side of an RDMA or atomic operation.
template <class D> constexpr Target<D> remote_target(const View<D>& v) {
  return looked_up(v, kRemote,
      {KeyKind::remote, v.call.rkey, v.call.remote, message_length(v), peer_of(v.call.qp),
          remote_access(v.call.verb)});
}

/// Whether the remote range satisfies predicate(state, target). C9-88: nothing is asked of a
/// zero-length operation.
template <class D, class Predicate>
constexpr auto remote_side(const View<D>& v, Predicate&& predicate) {
  return zero_length(v) | predicate(v.state, remote_target(v));
}

/// Element `index` of the receive posted on the peer, for as many bytes of the message as land in
/// it; `whole`: all of it, whatever comes.
template <class D>
constexpr Target<D> receive_target(const View<D>& v, std::size_t index, bool whole) {
  const auto& [lkey, address, length] = v.peer().elements.at(index);
  const auto message = message_length(v);
  const auto& first = v.peer().elements[0].length;
  const auto left =
      index == 0 ? message : D::select(message < first, D::address(0), message - first);
  return looked_up(v, kReceive + index,
      {KeyKind::local, lkey, address, whole ? length : D::select(left < length, left, length),
          peer_of(v.call.qp), kLocalWrite});
}

/// Whether each element of the receive in which bytes land satisfies predicate(state, target).
/// Without a receive there is nothing to check.
template <class D, class Predicate>
constexpr auto each_landing(const View<D>& v, Predicate&& predicate) {
  auto result = D::bit(true);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto target = receive_target(v, i, false);
    result = result & only_if<D>(v.peer().posted & (target.length != 0),
                          [&] { return predicate(v.state, target); });
  }
  return result;
}

}  // namespace mrproof::model
