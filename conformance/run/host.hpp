// Where a worker runs: on this machine or in a virtual one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/run/channel.hpp"
#include "conformance/run/driver_coverage.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::conformance {

/// What machine is wanted.
struct MachineOptions {
  std::string target;  ///< image folder of a virtual machine; empty: this machine
  /// Image folder of a second one, in which the other end of the connections is; empty: there is
  /// none. The two have this machine's time, as without `repeats`.
  std::string peer;
  std::string peer_host;  ///< where the other end is, of this machine's device: start_remote_peer()
  std::vector<std::string> kernel_arguments;  ///< for the virtual machine
  /// An emulated guest counts instructions, so that it does the same each time; false: it has two
  /// processors and the time of this machine.
  bool repeats = true;
  std::uint32_t processors = 0;  ///< of such a guest; 0: as many as its emulator can do
  /// The guest's kernel can be preempted nearly anywhere, and the worker is moved from processor to
  /// processor: races are likelier.
  bool preempt = false;
  /// What befalls packets of the guest's device (model::GuestSetup::wire); empty: it has no wire.
  std::string wire;
  /// Whether packets may be lost on their way.
  [[nodiscard]] bool loses_packets() const {
    return !wire.empty() || !peer.empty() || !peer_host.empty() ||
           std::getenv("MRPROOF_PEER") != nullptr;
  }
  std::uint32_t seed = 1;        ///< of what is random in a guest that repeats
  bool driver_coverage = false;  ///< what is reached of the driver is told; of emulated guests only
};

/// How a worker, or the machine that it ran on, ended.
struct Ended {
  enum class How : std::uint8_t {
    exited,   ///< by itself; `code` is the exit code
    crashed,  ///< by a signal that its own instructions raised (SIGSEGV, SIGBUS, SIGABRT, ...)
    killed,   ///< by a signal from outside (SIGKILL, SIGTERM), or its virtual machine was
    hung,     ///< it was killed, since there was no sign of life from it for too long
    panic,    ///< the guest's kernel panicked
    lost,     ///< its emulator stood still, which says nothing of what ran in it
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

  /// Starts a worker on the channel's request, or lets a worker that stayed begin it. Brings the
  /// machine up first if needed; throws Stopped (stop.hpp) where a stop is asked for meanwhile.
  virtual void start() = 0;
  /// How the worker ended, once it has, or that it has done what was asked and stays. Lets a worker
  /// go on that waits until all records are read. To be called when the channel had none.
  virtual std::optional<Ended> ended() = 0;
  /// Takes the machine down, so that the next start() has a fresh one. Returns false if no other
  /// can be had.
  virtual bool renew() = 0;
  /// The kernel's first line since the machine came up about a BUG, an oops or a WARN; empty if
  /// there is none, or if that cannot be known.
  virtual std::string kernel_trouble() { return ""; }
  /// The guest that it is, if that does the same each time.
  [[nodiscard]] virtual std::optional<model::GuestSetup> guest() const { return std::nullopt; }
  /// Where it is, for people: "this machine", "virtual machine debian-bookworm (tcg)".
  [[nodiscard]] virtual std::string name() const = 0;
  /// What was reached of the driver since this was called last, if that was asked for; of a guest
  /// that goes on, what was never reached in it before. To be called when no worker runs.
  virtual std::optional<DriverCoverage> take_reached() { return std::nullopt; }
  /// Seconds that booting took last; 0 where nothing boots.
  [[nodiscard]] virtual double boot_seconds() const { return 0; }
};

/// Whether the machine does the same each time. Throws ToolError if its image cannot be read.
bool repeats(const MachineOptions& machine);

/// The most processors of a guest of that image that does the same each time; 0: none does. Throws
/// ToolError if its image cannot be read.
std::uint32_t processors_of_repeating(const MachineOptions& machine);

/// Runs workers as descendants of this process, from the same program file.
std::unique_ptr<Host> make_local_host(Channel& channel, const std::string& channel_path);

/// Runs workers in a virtual machine (see ci/build-target): the image's `boot` program is given the
/// channel, a file `console`-N.log for the console of boot N, and the kernel arguments.
std::unique_ptr<Host> make_virtual_host(Channel& channel, const std::string& channel_path,
                                        const std::string& console, const MachineOptions& machine);

/// How a worker ends that stays for the next request.
inline Ended at_rest() { return {Ended::How::exited, 0, "at rest"}; }

/// How a process ended, by what waitpid(2) gives.
Ended describe_wait_status(int status);

}  // namespace mrproof::conformance
