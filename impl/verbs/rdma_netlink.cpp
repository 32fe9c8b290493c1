#include "impl/verbs/rdma_netlink.hpp"

#include <dirent.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

namespace mrproof::impl {
namespace {

/// The attributes of one message.
class Attributes {
 public:
  Attributes(const std::byte* data, std::size_t size) : data_(data), size_(size) {}

  explicit Attributes(std::string_view nested)
      : Attributes(reinterpret_cast<const std::byte*>(nested.data()), nested.size()) {}

  /// Calls use(payload) for each attribute of the type.
  void each(std::uint16_t type, auto&& use) const {
    nlattr head{};
    for (std::size_t at = 0; at + sizeof head <= size_; at += NLA_ALIGN(head.nla_len)) {
      std::memcpy(&head, data_ + at, sizeof head);
      if (head.nla_len < sizeof head || at + head.nla_len > size_) break;
      if ((head.nla_type & NLA_TYPE_MASK) == type)
        use(std::string_view(reinterpret_cast<const char*>(data_ + at + sizeof head),
                             head.nla_len - sizeof head));
    }
  }
  /// The payload of the attribute, empty if it is not there.
  [[nodiscard]] std::string_view find(std::uint16_t type) const {
    std::string_view found;
    each(type, [&](std::string_view payload) { found = found.empty() ? payload : found; });
    return found;
  }
  template <class Number = std::uint32_t>
  [[nodiscard]] std::optional<Number> number(std::uint16_t type) const {
    const std::string_view payload = find(type);
    Number value = 0;
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
  /// or there are no more. Whether it did, or (`is_whole`) the answers came to their end.
  template <class Use>
  bool ask(unsigned command, unsigned flags, std::string_view attributes, Use&& use) {
    whole_ = false;
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
  /// Whether all answers to the last question were read; not if it was refused.
  [[nodiscard]] bool is_whole() const { return whole_; }

 private:
  template <class Use>
  bool answers(bool many, Use&& use) {
    std::array<std::byte, 16384> buffer;  // NOLINT(*-member-init): recv() fills it
    do {
      const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
      if (got <= 0) return false;
      std::size_t at = 0;
      nlmsghdr head{};
      while (at + sizeof head <= static_cast<std::size_t>(got)) {
        std::memcpy(&head, buffer.data() + at, sizeof head);
        whole_ = head.nlmsg_type == NLMSG_DONE;
        if (whole_ || head.nlmsg_type == NLMSG_ERROR) return false;
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
  bool whole_ = false;
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

/// The device's number among those of the kernel.
std::optional<std::uint32_t> index_of(RdmaSocket& rdma, const std::string& device) {
  std::optional<std::uint32_t> index;
  const std::string_view name(device.c_str(), device.size() + 1);  // with its zero byte
  rdma.ask(RDMA_NLDEV_CMD_GET, NLM_F_DUMP, {}, [&](const Attributes& found) {
    if (found.find(RDMA_NLDEV_ATTR_DEV_NAME) == name)
      index = found.number(RDMA_NLDEV_ATTR_DEV_INDEX);
    return false;  // to the end, or the rest would be taken for the next answer
  });
  return index;
}

std::string index_attribute(std::uint32_t index) {
  return attribute(RDMA_NLDEV_ATTR_DEV_INDEX,
                   {reinterpret_cast<const char*>(&index), sizeof index});
}

/// KiB of this process's memory that are pinned.
std::optional<std::uint64_t> pinned() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmPin:")) return std::strtoull(line.c_str() + 6, nullptr, 10);
  return std::nullopt;
}

/// Open files of RDMA devices. By the C library alone: it is asked in each case.
std::optional<std::uint64_t> device_files() {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return std::nullopt;
  std::uint64_t count = 0;
  std::array<char, 256> target{};
  while (const dirent* file = readdir(folder)) {
    const auto size = readlinkat(dirfd(folder), file->d_name, target.data(), target.size());
    if (size < 0) continue;  // the folder's own "." and ".."
    const std::string_view name(target.data(), static_cast<std::size_t>(size));
    count += name.find("infiniband") != std::string_view::npos ? 1U : 0U;
  }
  closedir(folder);
  return count;
}

}  // namespace

std::optional<std::uint32_t> uverbs_driver_id(const std::string& device) {
  RdmaSocket rdma;
  const auto index = index_of(rdma, device);
  if (!index) return std::nullopt;

  using namespace std::string_view_literals;
  const std::string wanted =
      index_attribute(*index) + attribute(RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs\0"sv);
  std::optional<std::uint32_t> id;
  rdma.ask(RDMA_NLDEV_CMD_GET_CHARDEV, 0, wanted, [&](const Attributes& found) {
    id = found.number(RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID);
    return true;
  });
  return id;
}

struct OwnHoldings::Questions {
  /// How many objects of a kind are this process's; nothing if the kernel does not tell. `users`
  /// receives how many users they count together.
  std::optional<std::uint64_t> count(unsigned command, std::uint16_t table, std::uint16_t entry,
                                     std::optional<std::uint64_t>* users = nullptr) {
    if (!index) return std::nullopt;
    std::uint64_t count = 0;
    std::uint64_t used = 0;
    const auto own = static_cast<std::uint32_t>(getpid());
    rdma.ask(command, NLM_F_DUMP, index_attribute(*index), [&](const Attributes& found) {
      Attributes(found.find(table)).each(entry, [&](std::string_view payload) {
        const Attributes object(payload);
        if (object.number(RDMA_NLDEV_ATTR_RES_PID) != own) return;
        ++count;
        used += object.number<std::uint64_t>(RDMA_NLDEV_ATTR_RES_USECNT).value_or(0);
      });
      return false;
    });
    if (!rdma.is_whole()) return std::nullopt;
    if (users != nullptr) *users = used;
    return count;
  }

  RdmaSocket rdma;
  std::optional<std::uint32_t> index;
};

OwnHoldings::OwnHoldings(const std::string& device) : questions_(std::make_unique<Questions>()) {
  questions_->index = index_of(questions_->rdma, device);
}
OwnHoldings::~OwnHoldings() = default;

model::Holdings OwnHoldings::take() {
  using enum model::Held;
  auto& kernel = *questions_;
  model::Holdings all;
  all.of(pinned) = impl::pinned();
  all.of(regions) =
      kernel.count(RDMA_NLDEV_CMD_RES_MR_GET, RDMA_NLDEV_ATTR_RES_MR, RDMA_NLDEV_ATTR_RES_MR_ENTRY);
  all.of(domains) = kernel.count(RDMA_NLDEV_CMD_RES_PD_GET, RDMA_NLDEV_ATTR_RES_PD,
                                 RDMA_NLDEV_ATTR_RES_PD_ENTRY, &all.of(users));
  all.of(pairs) =
      kernel.count(RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
  all.of(queues) =
      kernel.count(RDMA_NLDEV_CMD_RES_CQ_GET, RDMA_NLDEV_ATTR_RES_CQ, RDMA_NLDEV_ATTR_RES_CQ_ENTRY);
  all.of(files) = device_files();
  return all;
}

}  // namespace mrproof::impl
