// Memory shared by the supervisor and its worker: a ring of records, and a few words of control.
//
// The worker stores a step here before it makes it. A store needs no system call and is seen by
// the supervisor even when the worker, or the virtual machine around it, dies on the next
// instruction: in a guest the same bytes are the memory of a PCI device backed by the host's file.
//
// What a guest reads here must not change while it runs: else what it does would depend on how fast
// the host is. So whoever wants something of the supervisor waits for it, and in a virtual machine
// that means that all of the machine is stopped, its time included, until the supervisor is done.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mrproof::conformance {

/// What an agent or a worker waits for.
enum class Wants : std::uint32_t {
  request,  ///< the agent: a request, or to be shut down; the last worker, if any, has ended
  room,     ///< the worker: that all records are read
  rest,     ///< the worker has done what was asked, and stays for another request
};

/// How a worker's work ended, as its agent saw it.
enum class Watched : std::uint32_t {
  ended,  ///< by itself, or by a signal: see wait_status
  hung,   ///< it was killed: there was no sign of life from it for too long
  stuck,  ///< it hung, and cannot be killed: the kernel holds it
};

/// The words of control at the start of the channel.
struct ChannelHeader {
  static constexpr std::uint64_t kMagic = 0x31666f6f7270726dULL;  // "mrproof1"
  static constexpr std::size_t kRequestSize = 1U << 20U;
  std::atomic<std::uint64_t> magic;
  std::atomic<std::uint64_t> head;        ///< bytes ever written; stored by the worker only
  std::atomic<std::uint64_t> tail;        ///< bytes ever read; stored by the supervisor only
  std::atomic<std::uint32_t> asks;        ///< how often somebody has waited for the supervisor
  std::atomic<std::uint32_t> answers;     ///< up to which of these it has let them go on
  std::atomic<std::uint32_t> wants;       ///< Wants, of the last of them
  std::atomic<std::uint32_t> pauses;      ///< 1: whoever waits stops the virtual machine
  std::atomic<std::uint32_t> restless;    ///< 1: the worker is moved from processor to processor
  std::atomic<std::uint32_t> shut_down;   ///< 1: the agent is to end its worker and itself
  std::atomic<std::uint32_t> watched;     ///< Watched, of the last worker
  std::atomic<std::int32_t> wait_status;  ///< of that worker, as waitpid(2) gives it
  std::atomic<std::uint64_t> step_limit;  ///< ms without a sign of life that count as a hang
  std::atomic<std::uint64_t> time_limit;  ///< ms that the worker may take; 0: no limit
  std::atomic<std::uint64_t> time_taken;  ///< ms that it has taken, by the guest's clock
  std::atomic<std::uint32_t> stop;        ///< 1: the worker ends after the current step
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
  /// Returns when the supervisor has done its part (agent, worker).
  void wait(Wants wants);
  /// What somebody waits for, if somebody does (supervisor).
  [[nodiscard]] std::optional<Wants> waiting() const;
  /// Lets whoever waits go on (supervisor).
  void answer() { header_->answers.store(header_->asks.load()); }
  /// Whether all records are read (supervisor).
  [[nodiscard]] bool is_read() const { return header_->head.load() == header_->tail.load(); }
  /// Forgets all records; only while no worker runs.
  void forget_records();
  void set_request(const std::string& text);
  /// The words of control and the request, as bytes; and back (supervisor, while nobody runs).
  [[nodiscard]] std::string control() const;
  void set_control(const std::string& bytes);
  [[nodiscard]] std::string request() const;
  /// Appends a record (worker). Waits when the ring has been filled since the last wait.
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
  std::uint64_t read_ = 0;  ///< worker: up to where the supervisor has certainly read
};

/// Size of a channel: a power of two, as a PCI device's memory has to be.
inline constexpr std::size_t kChannelSize = 1U << 24U;

}  // namespace mrproof::conformance
