// Connections made by the RDMA CM, rdma_cm(7): the only ones that iWARP devices have.
#pragma once

#include <netinet/in.h>
#include <rdma/rdma_cma.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "impl/verbs/process.hpp"

namespace mrproof::impl {

/// Ends what librdmacm made.
struct ReleaseConnection {
  void operator()(rdma_event_channel* channel) const { rdma_destroy_event_channel(channel); }
  void operator()(rdma_cm_id* id) const { rdma_destroy_id(id); }
};

/// What the CM knows of one end; empty where it did not connect the queue pair.
class ConnectionEnd {
 public:
  ConnectionEnd() = default;
  ConnectionEnd(ConnectionEnd&&) noexcept = default;
  /// What was there is destroyed, the id before its channel.
  ConnectionEnd& operator=(ConnectionEnd&& other) noexcept;
  ~ConnectionEnd() = default;

  /// Makes the end's event channel and its id, unless it `adopts` one that another channel gave.
  /// Returns 0 or an errno.
  int make(rdma_cm_id* adopts = nullptr);
  /// Waits for the next event, which has to be `wanted`; the id that it is about goes to `about` if
  /// that is not null. Returns 0 or an errno: ECONNABORTED if it is another event, ETIMEDOUT.
  int await(rdma_cm_event_type wanted, rdma_cm_id** about = nullptr);
  /// Whether the connection has ended, by either end's doing, as far as is known by now.
  [[nodiscard]] bool ended();
  [[nodiscard]] rdma_cm_id* id() const { return id_.get(); }

 private:
  std::unique_ptr<rdma_event_channel, ReleaseConnection> channel_;
  std::unique_ptr<rdma_cm_id, ReleaseConnection> id_;  ///< last, so destroyed before its channel
  bool ended_ = false;
};

/// Connects a device to itself or to another one, by an address of its network interface.
class Connector {
 public:
  /// The context that librdmacm has of the device, in which all that its queue pairs use has to be
  /// made; null if it does not know the device. Belongs to librdmacm.
  static ibv_context* find_context(const std::string& device);

  /// Finds an address and listens there. Throws DeviceError with the remedy if none can be had.
  explicit Connector(ibv_context* context);

  /// Where it listens.
  [[nodiscard]] const sockaddr_in& address() const;

  /// Makes a queue pair for the id: rdma_create_qp(3). Returns 0 or an errno.
  using MakeQueuePair = std::function<int(rdma_cm_id*)>;
  /// A new end asks the connector there for a connection; `reads` is how many RDMA reads may be
  /// under way at once. Returns 0 or the errno of what failed. It is connected when the CM says so:
  /// RDMA_CM_EVENT_ESTABLISHED, at either end.
  int ask(ConnectionEnd& end, const MakeQueuePair& make, const PortAddress& to, std::uint8_t reads);
  /// A new end accepts the connection that somebody has asked for, or will in a moment.
  int accept(ConnectionEnd& end, const MakeQueuePair& make, std::uint8_t reads);

 private:
  ConnectionEnd listener_;
};

}  // namespace mrproof::impl
