// How keys find regions: the questions that several conditions and effects share.
#pragma once

#include "model/access.hpp"
#include "model/rule.hpp"

namespace mrproof::model {

/// Which of a region's two keys is meant.
enum class KeyKind : std::uint8_t { local, remote };

/// A scatter/gather element or remote address as one range behind a key, seen by one QP.
template <class D>
struct Target {
  KeyKind kind;
  typename D::Key key;
  typename D::Address start;
  typename D::Address length;
  typename D::Small pd;  ///< of the queue pair that uses the key
  std::uint32_t right;   ///< access flag needed; 0: none (local read is always enabled)
};

/// The local side of a work request or receive of the call's queue pair.
template <class D>
constexpr Target<D> local_target(const View<D>& v) {
  const std::uint32_t right =
      v.call.verb == Verb::rdma_read || v.call.verb == Verb::post_recv ? kLocalWrite : 0U;
  return {KeyKind::local, v.call.lkey, v.call.address, v.call.length, v.state.qps.at(v.call.qp).pd,
          right};
}

/// The remote side of an RDMA operation.
template <class D>
constexpr Target<D> remote_target(const View<D>& v) {
  const std::uint32_t right = v.call.verb == Verb::rdma_read ? kRemoteRead : kRemoteWrite;
  return {KeyKind::remote,
          v.call.rkey,
          v.call.remote,
          v.call.length,
          v.state.qps.at(peer_of(v.call.qp)).pd,
          right};
}

/// Where a message of the call lands: the receive posted on the peer, for as many bytes as come.
template <class D>
constexpr Target<D> receive_target(const View<D>& v) {
  const auto& peer = v.state.qps.at(peer_of(v.call.qp));
  return {KeyKind::local, peer.lkey, peer.address, v.call.length, peer.pd, kLocalWrite};
}

/// Whether the live region answers to the key.
template <class D>
constexpr typename D::Bit answers(const Region<D>& region, const Target<D>& target) {
  const auto& key = target.kind == KeyKind::local ? region.lkey : region.rkey;
  return region.live & (key == target.key);
}

/// Whether a live region has the key.
template <class D>
constexpr typename D::Bit key_is_live(const State<D>& state, const Target<D>& target) {
  return any<D>(state.regions, [&](const Region<D>& r) { return answers<D>(r, target); });
}

/// Whether the region that has the key, if any, is in the PD of the queue pair that uses it.
template <class D>
constexpr typename D::Bit same_pd(const State<D>& state, const Target<D>& target) {
  return all<D>(state.regions, [&](const Region<D>& r) {
    return implies(answers<D>(r, target), r.pd == target.pd);
  });
}

/// Whether the region that has the key, if any, grants the right.
template <class D>
constexpr typename D::Bit right_granted(const State<D>& state, const Target<D>& target) {
  return all<D>(state.regions, [&](const Region<D>& r) {
    return implies(answers<D>(r, target), has<D>(r.access, target.right));
  });
}

/// Whether the range lies inside the region that has the key, if any.
template <class D>
constexpr typename D::Bit in_bounds(const State<D>& state, const Target<D>& target) {
  return all<D>(state.regions, [&](const Region<D>& r) {
    return implies(answers<D>(r, target),
                   (!r.empty) & within<D>(target.start, target.length, r.first, r.last));
  });
}

/// Whether every check on the range passes.
template <class D>
constexpr typename D::Bit granted(const State<D>& state, const Target<D>& target) {
  return key_is_live<D>(state, target) & same_pd<D>(state, target) &
         right_granted<D>(state, target) & in_bounds<D>(state, target);
}

/// Whether nobody asks for something that a region may not be asked: it is not `undefined`.
template <class D>
constexpr typename D::Bit is_defined(const State<D>& state, const Target<D>& target) {
  return all<D>(state.regions,
                [&](const Region<D>& r) { return !(answers<D>(r, target) & r.undefined); });
}

/// The virtual address of the range's first byte, if a region answers to the key.
template <class D>
constexpr typename D::Address memory_of(const State<D>& state, const Target<D>& target) {
  auto address = D::address(0);
  for (const Region<D>& r : state.regions)
    address = D::select(answers<D>(r, target), r.memory + (target.start - r.first), address);
  return address;
}

/// How many of the range's bytes, from its start, the region lets the queue pair reach: all of
/// them if it is granted, fewer where it runs over the region's end, none if a check other than
/// the bound fails. What a device may have moved before it noticed.
template <class D>
constexpr typename D::Address reachable_prefix(const State<D>& state, const Target<D>& target) {
  auto length = D::address(0);
  for (const Region<D>& r : state.regions) {
    const auto starts_inside = answers<D>(r, target) & (!r.empty) & (r.pd == target.pd) &
                               has<D>(r.access, target.right) & (r.first <= target.start) &
                               (target.start <= r.last);
    // Compared before one is added: a region may end at the last byte of the address space.
    const auto beyond_first = r.last - target.start;
    const auto fits =
        D::select(target.length <= beyond_first, target.length, beyond_first + D::address(1));
    length = D::select(starts_inside, fits, length);
  }
  return length;
}

}  // namespace mrproof::model
