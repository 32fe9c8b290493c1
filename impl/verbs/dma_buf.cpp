#include "impl/verbs/dma_buf.hpp"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "impl/device.hpp"
#include "impl/verbs/stream.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::impl {
namespace {

/// Memory behind a file that cannot shrink, as udmabuf wants it; -1 if there is none.
int make_memory() {
  const int memory = memfd_create("mrproof", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -1;
  if (ftruncate(memory, static_cast<off_t>(DmaBuf::kSize)) == 0 &&
      fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
    return memory;
  close(memory);
  return -1;
}

int make_dma_buf() {
  const int driver = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
  if (driver < 0) return -1;
  int made = -1;
  if (const int memory = make_memory(); memory >= 0) {
    udmabuf_create wanted{};
    wanted.memfd = static_cast<__u32>(memory);
    wanted.flags = UDMABUF_FLAGS_CLOEXEC;
    wanted.size = DmaBuf::kSize;
    made = ioctl(driver, UDMABUF_CREATE, &wanted);
    close(memory);  // the dma-buf holds its pages
  }
  close(driver);
  return made;
}

[[noreturn]] void report(const std::string& socket, const std::string& what) {
  throw DeviceError("no dma-buf from " + socket + ": " + what);
}

Stream connected_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) report(path, "the name is too long for a socket");
  std::memcpy(address.sun_path, path.data(), path.size());
  Stream stream(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(stream.descriptor(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    report(path, std::generic_category().message(errno));
  return stream;
}

int descriptor_from(const std::string& path) {
  constexpr int kAnswers = 10;  // seconds
  const Stream stream = connected_to(path);
  stream.wait_at_most(kAnswers);
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  const auto received = recvmsg(stream.descriptor(), &message, MSG_CMSG_CLOEXEC);
  if (received < 0) report(path, std::generic_category().message(errno));
  const cmsghdr* with = CMSG_FIRSTHDR(&message);
  if (received == 0 || with == nullptr || with->cmsg_type != SCM_RIGHTS)
    report(path, "who listens there sends no descriptor with the first byte");
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(with), sizeof descriptor);
  return descriptor;
}

}  // namespace

DmaBuf::DmaBuf() {
  const char* source = std::getenv(kSource);
  if (source == nullptr) return;
  tried_ = true;
  descriptor_ = descriptor_from(source);
  const off_t end = lseek(descriptor_, 0, SEEK_END);
  const auto size = static_cast<std::uint64_t>(end);
  if (end >= 0 && size >= kSize && size % model::kPageSize == 0) {
    start_ = size - kSize;
    return;
  }
  close(descriptor_);
  report(source, end < 0 ? "what it sends has no size, so it is no dma-buf"
                         : "it has to have whole pages, two at least, and has " +
                               std::to_string(size) + " bytes");
}

DmaBuf::~DmaBuf() {
  if (descriptor_ >= 0) close(descriptor_);
}

int DmaBuf::descriptor() {
  if (!tried_) descriptor_ = make_dma_buf();
  tried_ = true;
  return descriptor_;
}

std::uint64_t DmaBuf::place_of(std::uint64_t offset) const {
  const std::uint64_t place = start_ + offset;
  return place < offset ? offset : place;
}

}  // namespace mrproof::impl
