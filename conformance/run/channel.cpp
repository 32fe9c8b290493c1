#include "conformance/run/channel.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

/// Microseconds between looks for an answer.
constexpr unsigned kLook = 500;

/// Stops the virtual machine around this process until its host lets it go on: a word to the device
/// by which guests tell of panics (QEMU's pvpanic, port 0x505), for which the machine is set up to
/// stop. False where ports cannot be written to.
bool stop_machine() {
  static const int ports = open("/dev/port", O_WRONLY | O_CLOEXEC);
  const char panicked = 1;
  return pwrite(ports, &panicked, 1, 0x505) == 1;
}

std::size_t page_rounded(std::size_t size) { return (size + 4095) & ~std::size_t{4095}; }

void* map(int fd, std::size_t size, const std::string& path) {
  void* mapping = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int error = errno;
  close(fd);
  if (mapping == MAP_FAILED)
    throw model::ToolError(fmt::format("{}: cannot be mapped: {}", path, std::strerror(error)));
  return mapping;
}

}  // namespace

Channel Channel::create(const std::string& path, std::size_t size) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0)
    throw model::ToolError(
        fmt::format("{}: cannot be written: {}; choose another --out", path, std::strerror(errno)));
  if (const int error = posix_fallocate(fd, 0, static_cast<off_t>(size)); error != 0) {
    close(fd);
    unlink(path.c_str());
    throw model::ToolError(
        fmt::format("{}: no room for {} MiB: {}; free space or choose another --out", path,
                    size >> 20U, std::strerror(error)));
  }
  Channel channel(map(fd, size, path), size);
  new (channel.header_) ChannelHeader{};
  channel.header_->magic.store(ChannelHeader::kMagic);
  return channel;
}

Channel Channel::attach(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat info {};
  if (fd < 0 || fstat(fd, &info) != 0)
    throw model::ToolError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size < page_rounded(sizeof(ChannelHeader)) + 4096) {
    close(fd);
    throw model::ToolError(fmt::format("{}: too small for a channel", path));
  }
  return Channel(map(fd, size, path), size);
}

Channel::Channel(void* mapping, std::size_t size)
    : mapping_(mapping),
      size_(size),
      header_(static_cast<ChannelHeader*>(mapping)),
      ring_(static_cast<std::byte*>(mapping) + page_rounded(sizeof(ChannelHeader))),
      capacity_(size - page_rounded(sizeof(ChannelHeader))) {}

Channel::Channel(Channel&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      size_(other.size_),
      header_(other.header_),
      ring_(other.ring_),
      capacity_(other.capacity_),
      read_(other.read_) {}

Channel::~Channel() {
  if (mapping_ != nullptr) munmap(mapping_, size_);
}

void Channel::wait(Wants wants) {
  header_->wants.store(static_cast<std::uint32_t>(wants));
  const std::uint32_t ask = header_->asks.fetch_add(1) + 1;
  if (header_->pauses.load() != 0 && !stop_machine()) header_->pauses.store(0);
  while (header_->answers.load() != ask) usleep(kLook);
  read_ = header_->head.load();
}

std::optional<Wants> Channel::waiting() const {
  if (header_->answers.load() == header_->asks.load()) return std::nullopt;
  return static_cast<Wants>(header_->wants.load());
}

void Channel::forget_records() {
  header_->head.store(0);
  header_->tail.store(0);
}

void Channel::set_request(const std::string& text) {
  if (text.size() > ChannelHeader::kRequestSize)
    throw model::ToolError("the trace is too long to be handed to a worker (1 MiB)");
  std::memcpy(header_->request, text.data(), text.size());
  header_->request_size.store(static_cast<std::uint32_t>(text.size()));
}

std::string Channel::control() const {
  return {static_cast<const char*>(mapping_), sizeof(ChannelHeader)};
}

void Channel::set_control(const std::string& bytes) {
  std::memcpy(mapping_, bytes.data(), bytes.size());
}

std::string Channel::request() const {
  if (header_->magic.load() != ChannelHeader::kMagic)
    throw model::ToolError("this is not a channel of mrproof");
  const std::size_t size = header_->request_size.load();
  return {header_->request, std::min(size, ChannelHeader::kRequestSize)};
}

void Channel::copy_in(std::uint64_t position, const void* from, std::size_t size) {
  if (size == 0) return;  // an empty record has no address to give to memcpy()
  const std::size_t offset = position % capacity_;
  const std::size_t first = std::min(size, capacity_ - offset);
  std::memcpy(ring_ + offset, from, first);
  std::memcpy(ring_, static_cast<const std::byte*>(from) + first, size - first);
}

void Channel::copy_out(std::uint64_t position, void* to, std::size_t size) const {
  if (size == 0) return;
  const std::size_t offset = position % capacity_;
  const std::size_t first = std::min(size, capacity_ - offset);
  std::memcpy(to, ring_ + offset, first);
  std::memcpy(static_cast<std::byte*>(to) + first, ring_, size - first);
}

void Channel::write(std::span<const std::byte> record) {
  const std::uint32_t size = static_cast<std::uint32_t>(record.size());
  const std::uint64_t needed = sizeof size + record.size();
  if (needed > capacity_) throw model::ToolError("a record is larger than the channel");
  const std::uint64_t head = header_->head.load(std::memory_order_relaxed);
  // Not the tail, which would tell how fast the supervisor reads.
  if (head + needed - read_ > capacity_) wait(Wants::room);
  copy_in(head, &size, sizeof size);
  copy_in(head + sizeof size, record.data(), record.size());
  // A full fence, not only release: the memory of a PCI device may be mapped write-combining.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  header_->head.store(head + needed, std::memory_order_release);
}

bool Channel::read(std::vector<std::byte>& record) {
  const std::uint64_t tail = header_->tail.load(std::memory_order_relaxed);
  const std::uint64_t available = header_->head.load(std::memory_order_acquire) - tail;
  std::uint32_t size = 0;
  if (available < sizeof size) return false;
  copy_out(tail, &size, sizeof size);
  if (size > available - sizeof size)
    throw model::ToolError("the channel is damaged: a record is longer than what was written");
  record.resize(size);
  copy_out(tail + sizeof size, record.data(), size);
  header_->tail.store(tail + sizeof size + size, std::memory_order_release);
  return true;
}

}  // namespace mrproof::conformance
