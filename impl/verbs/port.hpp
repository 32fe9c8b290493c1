// A device opened by name, and what is needed to connect queue pairs on its port.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "impl/verbs/connection.hpp"
#include "impl/verbs/process.hpp"

namespace mrproof::impl {

/// How reliable connections are set up (ibv_modify_qp(3)).
struct Transport {
  /// Local ACK timeout: 4.096 us * 2^timeout; 17 is 0.54 s. Generous, since a slow machine must not
  /// look like a lost connection.
  std::uint8_t timeout = 17;
  /// Retransmissions before RETRY_EXC_ERR. Not 7, the largest: drivers are known to take it for
  /// "for ever", as it is meant for rnr_retry only.
  std::uint8_t retry_count = 6;
  /// Retries after "receiver not ready". Receives are posted before sends here, so few will do.
  std::uint8_t rnr_retry = 1;
  /// What a receiver asks for between those retries; 1 is 0.01 ms (table in ibv_modify_qp(3)).
  std::uint8_t min_rnr_timer = 1;
  std::uint8_t port = 1;
  /// Index of the GID that queue pairs use; none: the one that open_port() prefers.
  std::optional<std::uint8_t> gid;
};

/// Closes what ibv_open_device() opened; a context of librdmacm's stays open.
struct CloseDevice {
  bool owned = true;
  void operator()(ibv_context* context) const {
    if (owned) ibv_close_device(context);
  }
};

/// An opened device, its attributes, and one of its ports with the address that pairs use.
struct Port {
  std::unique_ptr<ibv_context, CloseDevice> context;
  /// Connects its queue pairs, where ibv_modify_qp(3) cannot: on iWARP; else null.
  std::unique_ptr<Connector> connector;
  ibv_device_attr_ex device{};
  ibv_port_attr port{};
  /// The entry of the GID table that its queue pairs use. On InfiniBand LIDs are used, unless one
  /// is asked for; on iWARP IP addresses. Then it is unused, and its port number is 0.
  ibv_gid_entry gid{};
  Transport transport;

  /// Access flags that name optional features and that the device says it has (model/access.hpp):
  /// REMOTE_ATOMIC, MW_BIND, ON_DEMAND; from ibv_query_device_ex(3).
  [[nodiscard]] std::uint32_t claimed() const;
  /// Optional features besides access flags that the device says it has, as model::Feature flags,
  /// and whether it is iWARP.
  [[nodiscard]] std::uint32_t features() const;
  /// What queue pairs that are connected to it have to know.
  [[nodiscard]] PortAddress address() const;
  /// What a queue pair may be asked to allow (qp_access_flags of ibv_modify_qp(3)): all that the
  /// device can grant to a remote one, and that windows be bound, as IBV_ACCESS_ flags.
  [[nodiscard]] unsigned queue_pair_rights() const;
};

/// Opens the device of that name and, unless the transport names a GID, chooses the address on its
/// port: LID on InfiniBand, else a RoCE v2 GID of an IPv4 address, any other RoCE v2 GID, any GID,
/// in this order; on iWARP an IPv4 address. Throws DeviceError with the remedy when there is no
/// such device, port or GID, its file may not be opened, the port is not active, or there is no
/// GID or address.
Port open_port(const std::string& name, const Transport& transport);

/// The same for a device that libibverbs has listed.
Port open_port(ibv_device* device, const Transport& transport);

}  // namespace mrproof::impl
