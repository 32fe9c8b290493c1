#include "impl/verbs/stream.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace mrproof::impl {
namespace {

void set(int descriptor, int level, int option, int value) {
  setsockopt(descriptor, level, option, &value, sizeof value);
}

}  // namespace

Stream::Stream(int descriptor) : descriptor_(descriptor) {
  constexpr int kProbes = 5;
  set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, kSilence / kProbes);
  set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, kSilence / kProbes);
  set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, kProbes - 1);
  set(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, kSilence * 1000);
  set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
}

Stream::Stream(Stream&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Stream::~Stream() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Stream::wait_at_most(int seconds) const {
  const timeval limit{seconds, 0};
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

bool Stream::send(const void* bytes, std::size_t size) const {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t sent = ::send(descriptor_, from, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    from += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool Stream::receive(void* bytes, std::size_t size) const {
  auto* to = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = recv(descriptor_, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = 0;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool Stream::receive(std::string& bytes, std::size_t size) const {
  bytes.resize(size);
  return receive(bytes.data(), size);
}

}  // namespace mrproof::impl
