// Where a worker runs: as a process here, or in a virtual machine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/run/channel.hpp"

namespace mrproof::conformance {

/// How a worker, or the machine that it ran on, ended.
struct Ended {
  enum class How : std::uint8_t {
    exited,   ///< by itself; `code` is the exit code
    crashed,  ///< by a signal that its own instructions raised (SIGSEGV, SIGBUS, SIGABRT, ...)
    killed,   ///< by a signal from outside (SIGKILL, SIGTERM), or its virtual machine was
    panic,    ///< the guest's kernel panicked
  };
  How how = How::exited;
  int code = 0;
  std::string text;  ///< one line for people: "signal 11 (Segmentation fault)", the panic's line
};

/// One machine. All errors that are not verdicts are ToolError.
class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  /// Starts a worker on the channel's request, or lets a worker that stayed begin it. Boots the
  /// machine first if needed.
  virtual void start() = 0;
  /// How the worker ended, once it has, or that it has done what was asked and stays.
  virtual std::optional<Ended> ended() = 0;
  /// Ends the worker by force. It may not end at once, or at all, if the kernel holds it.
  virtual void kill() = 0;
  /// Takes the machine down, so that the next start() makes a fresh one. Only for what kill() could
  /// not end. Returns false if no other can be had.
  virtual bool renew() = 0;
  /// The kernel's first line since the machine came up about a BUG, an oops or a WARN; empty if
  /// there is none, or if that cannot be known.
  virtual std::string kernel_trouble() { return ""; }
  /// Where it is, for people: "this machine", "virtual machine debian-bookworm (tcg)".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Seconds that booting took last; 0 where nothing boots.
  [[nodiscard]] virtual double boot_seconds() const { return 0; }
};

/// Runs workers as child processes of this one, from the same program file.
std::unique_ptr<Host> make_local_host(Channel& channel, const std::string& channel_path);

/// Runs workers in the virtual machine whose image lies in `target` (see ci/build-target): its
/// `boot` program is given the channel, a file `console`-N.log for the console of boot N, and the
/// kernel arguments.
std::unique_ptr<Host> make_virtual_host(Channel& channel, const std::string& channel_path,
                                        const std::string& target, const std::string& console,
                                        const std::vector<std::string>& kernel_arguments);

/// How a worker ends that stays for the next request.
inline Ended at_rest() { return {Ended::How::exited, 0, "at rest"}; }

/// Waits for a worker's end as the agent and the local host see it.
Ended describe_wait_status(int status);

}  // namespace mrproof::conformance
