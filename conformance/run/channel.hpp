// Memory shared by the supervisor and its worker: a ring of records, and a few words of control.
//
// The worker stores a step here before it makes it. A store needs no system call and is seen by
// the supervisor even when the worker, or the virtual machine around it, dies on the next
// instruction: in a guest the same bytes are the memory of a PCI device backed by the host's file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mrproof::conformance {

/// What the supervisor wants of the agent and the worker.
enum class Command : std::uint32_t { none, start, kill, shut_down };

/// The words of control at the start of the channel.
struct ChannelHeader {
  static constexpr std::uint64_t kMagic = 0x31666f6f7270726dULL;  // "mrproof1"
  static constexpr std::size_t kRequestSize = 1U << 20U;
  std::atomic<std::uint64_t> magic;
  std::atomic<std::uint64_t> head;         ///< bytes ever written; stored by the worker only
  std::atomic<std::uint64_t> tail;         ///< bytes ever read; stored by the supervisor only
  std::atomic<std::uint32_t> command;      ///< Command, for the agent
  std::atomic<std::uint32_t> generation;   ///< number of the request that is to be run
  std::atomic<std::uint32_t> agent_ready;  ///< 1 once an agent watches `command`
  std::atomic<std::uint32_t> rested;       ///< the last request after which the worker stayed
  std::atomic<std::uint32_t> ended;        ///< the request that was run when the last worker ended
  std::atomic<std::int32_t> wait_status;   ///< of that worker, as waitpid(2) gives it
  std::atomic<std::uint32_t> stop;         ///< 1: the worker ends after the current step
  std::atomic<std::uint32_t> request_size;
  char request[kRequestSize];  ///< JSON, see plan.hpp
};

/// One mapping of the channel. Errors are ToolError (see plan.hpp).
class Channel {
 public:
  /// Makes the file, of `size` bytes that are really there (a full disk shows now), and maps it.
  static Channel create(const std::string& path, std::size_t size);
  /// Maps an existing channel: a file, or a PCI device's resource in a guest.
  static Channel attach(const std::string& path);
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&&) = delete;
  Channel(const Channel&) = delete;
  ~Channel();

  [[nodiscard]] ChannelHeader& header() const { return *header_; }
  /// Whether the worker has done what was asked, and waits for the next request.
  [[nodiscard]] bool is_worker_resting() const;
  /// Forgets all records; only while no worker runs.
  void forget_records();
  void set_request(const std::string& text);
  [[nodiscard]] std::string request() const;
  /// Appends a record (worker). Waits while the ring is full.
  void write(std::span<const std::byte> record);
  /// Takes the next record, if there is one (supervisor).
  bool read(std::vector<std::byte>& record);

 private:
  Channel(void* mapping, std::size_t size);
  void copy_in(std::uint64_t position, const void* from, std::size_t size);
  void copy_out(std::uint64_t position, void* to, std::size_t size) const;
  void* mapping_;
  std::size_t size_;
  ChannelHeader* header_;
  std::byte* ring_;
  std::size_t capacity_;
};

/// Size of a channel: a power of two, as a PCI device's memory has to be.
inline constexpr std::size_t kChannelSize = 1U << 24U;

}  // namespace mrproof::conformance
