// The state of the model: protection domains, memory regions, queue pairs, buffers.
#pragma once

#include <array>

#include "model/call.hpp"
#include "model/domain.hpp"

namespace mrproof::model {

/// A protection domain.
template <class D>
struct ProtectionDomain {
  typename D::Bit live{};
};

/// A memory region. The range that keys address is [first, last]; `memory` is the virtual address
/// of the byte at `first`. A dead slot keeps its keys: they are the stale ones.
template <class D>
struct Region {
  typename D::Bit live{};
  typename D::Bit empty{};      ///< registered with length zero: contains nothing
  typename D::Bit undefined{};  ///< may only be deregistered (its PD was freed under it)
  typename D::Small pd{};
  typename D::Flags access{};
  typename D::Address first{};
  typename D::Address last{};
  typename D::Address memory{};
  typename D::Key lkey{};
  typename D::Key rkey{};
};

/// An RC queue pair, connected to the one in the neighbouring slot (slot ^ 1), with room for one
/// posted receive.
template <class D>
struct QueuePair {
  typename D::Bit live{};
  typename D::Small pd{};
  typename D::Small state{};  ///< QpState::rts or err
  typename D::Bit posted{};   ///< a receive is posted:
  typename D::Key lkey{};
  typename D::Address address{};
  typename D::Address length{};
};

/// Mapped, writable memory of the program: [first, last].
template <class D>
struct Buffer {
  typename D::Address first{};
  typename D::Address last{};
};

/// What a device claims to be able to do, read from the device.
template <class D>
struct Capabilities {
  typename D::Flags claimed{};        ///< feature access flags that the device says it supports
  typename D::Address max_message{};  ///< longest message in bytes (ibv_query_port(3), max_msg_sz)
};

/// Everything that rules read and effects change.
template <class D>
struct State {
  std::array<ProtectionDomain<D>, D::kPds> pds{};
  std::array<Region<D>, D::kRegions> regions{};
  std::array<QueuePair<D>, D::kQps> qps{};
  std::array<Buffer<D>, D::kBuffers> buffers{};
  Capabilities<D> can{};
  typename D::Flags proven{};  ///< access flags of every registration that succeeded so far
};

/// The slot of the queue pair at the other end.
constexpr std::uint8_t peer_of(std::uint8_t qp) { return qp ^ 1U; }

}  // namespace mrproof::model
