#include "impl/verbs/connection.hpp"

#include <fcntl.h>
#include <ifaddrs.h>
#include <poll.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "impl/device.hpp"

namespace mrproof::impl {
namespace {

/// How long the CM may take for a step, in milliseconds: far more than a slow machine needs.
constexpr int kStepLimit = 20'000;
/// Connections that may wait to be accepted; there is one at a time.
constexpr int kBacklog = 4;

/// librdmacm tells errors by -1 and errno.
int error_of(int returned) { return returned == 0 ? 0 : errno; }

using Addresses = std::unique_ptr<ifaddrs, decltype(&freeifaddrs)>;

Addresses own_addresses() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) list = nullptr;
  return {list, freeifaddrs};
}

rdma_conn_param parameters(std::uint8_t reads) {
  rdma_conn_param wanted{};
  wanted.responder_resources = wanted.initiator_depth = reads;
  wanted.retry_count = wanted.rnr_retry_count = 7;
  return wanted;
}

/// Whether the id can listen at the address, and then does so on the device.
bool listens(rdma_cm_id* id, sockaddr* address, const ibv_context* context) {
  return rdma_bind_addr(id, address) == 0 && id->verbs == context && rdma_listen(id, kBacklog) == 0;
}

}  // namespace

ConnectionEnd& ConnectionEnd::operator=(ConnectionEnd&& other) noexcept {
  id_ = std::move(other.id_);
  channel_ = std::move(other.channel_);
  ended_ = other.ended_;
  return *this;
}

int ConnectionEnd::make(rdma_cm_id* adopts) {
  channel_.reset(rdma_create_event_channel());
  if (!channel_) return errno;
  // What has come is looked for without waiting, see ended().
  const int flags = fcntl(channel_->fd, F_GETFL);
  if (flags < 0 || fcntl(channel_->fd, F_SETFL, flags | O_NONBLOCK) < 0) return errno;
  if (adopts != nullptr) {
    id_.reset(adopts);
    return error_of(rdma_migrate_id(adopts, channel_.get()));
  }
  rdma_cm_id* id = nullptr;
  const int error = error_of(rdma_create_id(channel_.get(), &id, nullptr, RDMA_PS_TCP));
  id_.reset(id);
  return error;
}

int ConnectionEnd::await(rdma_cm_event_type wanted, rdma_cm_id** about) {
  pollfd something{channel_->fd, POLLIN, 0};
  if (const int found = ::poll(&something, 1, kStepLimit); found <= 0)
    return found == 0 ? ETIMEDOUT : errno;
  rdma_cm_event* event = nullptr;
  if (rdma_get_cm_event(channel_.get(), &event) != 0) return errno;
  const bool right = event->event == wanted;
  if (about != nullptr) *about = event->id;
  rdma_ack_cm_event(event);
  return right ? 0 : ECONNABORTED;
}

bool ConnectionEnd::ended() {
  rdma_cm_event* event = nullptr;
  while (!ended_ && rdma_get_cm_event(channel_.get(), &event) == 0) {
    // Once it is there, nothing else than its end can happen to a connection.
    ended_ = true;
    rdma_ack_cm_event(event);
    // rdma_disconnect(3): both sides should call it; it has what is posted flushed. One that has
    // nothing left to do may refuse.
    static_cast<void>(rdma_disconnect(id_.get()));
  }
  return ended_;
}

ibv_context* Connector::find_context(const std::string& device) {
  int count = 0;
  ibv_context** all = rdma_get_devices(&count);
  if (all == nullptr) return nullptr;
  ibv_context* found = nullptr;
  for (int index = 0; index < count; ++index)
    if (device == ibv_get_device_name(all[index]->device)) found = all[index];
  rdma_free_devices(all);  // frees the list; contexts stay open while the process lives
  return found;
}

Connector::Connector(ibv_context* context) {
  const Addresses addresses = own_addresses();
  for (const ifaddrs* each = addresses.get(); each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    listener_ = ConnectionEnd{};
    if (const int error = listener_.make(); error != 0)
      throw DeviceError("the RDMA CM cannot be used: " + std::generic_category().message(error) +
                        "; load rdma_ucm");
    if (listens(listener_.id(), each->ifa_addr, context)) return;
  }
  throw DeviceError(std::string("no address leads to device '") +
                    ibv_get_device_name(context->device) +
                    "', which connects through the RDMA CM: give its network interface an IPv4 "
                    "address (ip addr add 10.9.9.1/24 dev NETDEV)");
}

const sockaddr_in& Connector::address() const {
  return *reinterpret_cast<const sockaddr_in*>(rdma_get_local_addr(listener_.id()));
}

int Connector::ask(ConnectionEnd& end, const MakeQueuePair& make, const PortAddress& to,
                   std::uint8_t reads) {
  sockaddr_in from{}, there{};
  from.sin_family = there.sin_family = AF_INET;
  from.sin_addr = address().sin_addr;
  there.sin_addr.s_addr = to.ip;
  there.sin_port = to.ip_port;
  rdma_conn_param wanted = parameters(reads);
  int error = end.make();
  if (error == 0)
    error = error_of(rdma_resolve_addr(end.id(), reinterpret_cast<sockaddr*>(&from),
                                       reinterpret_cast<sockaddr*>(&there), kStepLimit));
  if (error == 0) error = end.await(RDMA_CM_EVENT_ADDR_RESOLVED);
  if (error == 0) error = error_of(rdma_resolve_route(end.id(), kStepLimit));
  if (error == 0) error = end.await(RDMA_CM_EVENT_ROUTE_RESOLVED);
  if (error == 0) error = make(end.id());
  if (error == 0) error = error_of(rdma_connect(end.id(), &wanted));
  return error;
}

int Connector::accept(ConnectionEnd& end, const MakeQueuePair& make, std::uint8_t reads) {
  rdma_conn_param wanted = parameters(reads);
  rdma_cm_id* asking = nullptr;
  int error = listener_.await(RDMA_CM_EVENT_CONNECT_REQUEST, &asking);
  if (error == 0) error = end.make(asking);
  if (error == 0) error = make(end.id());
  if (error == 0) error = error_of(rdma_accept(end.id(), &wanted));
  return error;
}

}  // namespace mrproof::impl
