// How a verbs device is to be used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "impl/verbs/port.hpp"

namespace mrproof::impl {

/// How to use a device.
struct VerbsOptions {
  /// How long a completion may take before the step counts as timed out, in milliseconds; at least
  /// gives_up_ms().
  std::uint32_t completion_limit_ms = 30'000;
  /// How long a queue pair may take to leave RTS after an error completion, in milliseconds;
  /// after that its state is reported as it is.
  std::uint32_t state_limit_ms = 2'000;
  /// Whether to look for kernel warnings after each step, where /dev/kmsg can be opened.
  bool watch_kernel_log = true;
  /// Whether a pair that failed is taken through RESET for the next case, or destroyed and made
  /// anew. The latter takes three to four times as long (3 ms and not 0.8 ms in an emulated
  /// machine), but rules out that a driver's state survives from one case into the next: it does on
  /// rxe (FINDINGS.md, F14).
  bool reuse_failed_pairs = false;
  /// Whether regions are re-registered below libibverbs where its provider cannot (rereg.hpp).
  bool rereg_by_uverbs = false;
  /// Whether the library protects registered memory on fork (ibv_fork_init(3)), for the rest of
  /// this process. A library that learns that the kernel copies pinned pages would not; it is kept
  /// from asking, as in a container without RDMA netlink sockets.
  bool fork_protection = false;
  /// Whether there are two processes, each with a context of its own, for what Setup::process says.
  bool two_processes = false;
  /// Whether the buffers are parts of huge pages (Buffers::Kind::huge). Not with two processes, or
  /// two hosts, which share a file's pages.
  bool huge_pages = false;
  /// Where the other one is on another host instead: HOST:PORT of its `mrproof peer`; empty: there
  /// is none.
  std::string host;
  /// Whether packets are lost on their way. An RDMA write of no bytes then shows that the other end
  /// answers, and not a read.
  bool lossy = false;
  bool brisk = false;  ///< be_brisk() was called
  Transport transport;

  /// For a machine that is known to be quick enough: the transport gives up after half a second
  /// (timeout 12 is 17 ms, which drivers may take four times), and what has not completed after
  /// three times that does not.
  /// What has another value than these have unless told keeps it.
  void be_brisk();
  /// The longest that the transport takes to give up, in milliseconds.
  [[nodiscard]] std::uint64_t gives_up_ms() const;
  /// Takes the words behind a device's name, separated by '+': "uverbs" (rereg_by_uverbs), "fork"
  /// (fork_protection), "two-processes", "lossy", "huge", "port=N", "gid=N", "ack-timeout=N"
  /// (1 to 31), "wait=SECONDS" (completion_limit_ms). False if there is another one.
  bool take(std::string_view words);
  /// The same the other way round, with '@' before them; empty if there are none. Of another host
  /// they tell only that there is one. Part of the device's name in its description, so that traces
  /// and reports tell.
  [[nodiscard]] std::string words() const;
};

/// What has to be done before any other call of libibverbs: ibv_fork_init(3), if that is wanted.
/// Throws DeviceError, also where the library then says that nothing is protected.
void prepare_library(const VerbsOptions& options);

}  // namespace mrproof::impl
