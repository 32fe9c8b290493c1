#include "impl/verbs/rdma_netlink.hpp"

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

namespace mrproof::impl {
namespace {

/// The attributes of one message.
class Attributes {
 public:
  Attributes(const std::byte* data, std::size_t size) : data_(data), size_(size) {}

  /// The payload of the attribute, empty if it is not there.
  [[nodiscard]] std::string_view find(std::uint16_t type) const {
    std::size_t at = 0;
    nlattr head{};
    while (at + sizeof head <= size_) {
      std::memcpy(&head, data_ + at, sizeof head);
      if (head.nla_len < sizeof head || at + head.nla_len > size_) break;
      if ((head.nla_type & NLA_TYPE_MASK) == type)
        return {reinterpret_cast<const char*>(data_ + at + sizeof head),
                head.nla_len - sizeof head};
      at += NLA_ALIGN(head.nla_len);
    }
    return {};
  }
  [[nodiscard]] std::optional<std::uint32_t> number(std::uint16_t type) const {
    const std::string_view payload = find(type);
    std::uint32_t value = 0;
    if (payload.size() < sizeof value) return std::nullopt;
    std::memcpy(&value, payload.data(), sizeof value);
    return value;
  }

 private:
  const std::byte* data_;
  std::size_t size_;
};

class RdmaSocket {
 public:
  RdmaSocket() : socket_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA)) {
    const timeval patience{2, 0};  // an answer comes at once or not at all
    if (socket_ >= 0) setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~RdmaSocket() {
    if (socket_ >= 0) close(socket_);
  }
  RdmaSocket(const RdmaSocket&) = delete;
  RdmaSocket& operator=(const RdmaSocket&) = delete;

  /// Sends a command with the given attributes and calls `use` for each answer until it says true
  /// or there are no more. Whether it did.
  template <class Use>
  bool ask(unsigned command, unsigned flags, std::string_view attributes, Use&& use) {
    nlmsghdr head{};
    head.nlmsg_len = static_cast<std::uint32_t>(NLMSG_HDRLEN + attributes.size());
    head.nlmsg_type = static_cast<std::uint16_t>(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command));
    head.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    static_assert(sizeof head == NLMSG_HDRLEN);
    std::string request(reinterpret_cast<const char*>(&head), sizeof head);
    request += attributes;
    if (send(socket_, request.data(), request.size(), 0) < 0) return false;
    return answers((flags & NLM_F_DUMP) != 0, std::forward<Use>(use));
  }

 private:
  template <class Use>
  bool answers(bool many, Use&& use) {
    std::array<std::byte, 16384> buffer{};
    do {
      const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
      if (got <= 0) return false;
      std::size_t at = 0;
      nlmsghdr head{};
      while (at + sizeof head <= static_cast<std::size_t>(got)) {
        std::memcpy(&head, buffer.data() + at, sizeof head);
        if (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR) return false;
        if (head.nlmsg_len < NLMSG_HDRLEN || at + head.nlmsg_len > static_cast<std::size_t>(got))
          return false;
        if (use(Attributes(buffer.data() + at + NLMSG_HDRLEN, head.nlmsg_len - NLMSG_HDRLEN)))
          return true;
        at += NLMSG_ALIGN(head.nlmsg_len);
      }
    } while (many);
    return false;
  }

  int socket_;
};

/// One attribute as it stands in a message.
std::string attribute(std::uint16_t type, std::string_view payload) {
  nlattr head{};
  head.nla_len = static_cast<std::uint16_t>(NLA_HDRLEN + payload.size());
  head.nla_type = type;
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes += payload;
  bytes.resize(NLA_ALIGN(bytes.size()));
  return bytes;
}

}  // namespace

std::optional<std::uint32_t> uverbs_driver_id(const std::string& device) {
  RdmaSocket rdma;
  std::optional<std::uint32_t> index;
  const std::string_view name(device.c_str(), device.size() + 1);  // with its zero byte
  rdma.ask(RDMA_NLDEV_CMD_GET, NLM_F_DUMP, {}, [&](const Attributes& found) {
    if (found.find(RDMA_NLDEV_ATTR_DEV_NAME) == name)
      index = found.number(RDMA_NLDEV_ATTR_DEV_INDEX);
    return false;  // to the end, or the rest would be taken for the next answer
  });
  if (!index) return std::nullopt;

  using namespace std::string_view_literals;
  const std::string_view number(reinterpret_cast<const char*>(&*index), sizeof *index);
  const std::string wanted = attribute(RDMA_NLDEV_ATTR_DEV_INDEX, number) +
                             attribute(RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs\0"sv);
  std::optional<std::uint32_t> id;
  rdma.ask(RDMA_NLDEV_CMD_GET_CHARDEV, 0, wanted, [&](const Attributes& found) {
    id = found.number(RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID);
    return true;
  });
  return id;
}

}  // namespace mrproof::impl
