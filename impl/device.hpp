// A device under test: what every implementation of verbs looks like to the harness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/call.hpp"
#include "model/judge/leftovers.hpp"
#include "model/state.hpp"
#include "model/trace/setup.hpp"

namespace mrproof::impl {

/// The device cannot be used at all, or the machine failed it (no such device, no permission, no
/// memory for the harness itself). what() is one line with the remedy. Never a verdict.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Who was tested; goes into reports and the first lines of traces.
struct Description {
  std::string device;     ///< as libibverbs names it
  std::string driver;     ///< kernel driver, "simulated" for the in-process device
  std::string kernel;     ///< release
  std::string rdma_core;  ///< version of libibverbs, as far as it can be known
  std::string firmware;
};

/// What a call did, as far as the caller can see; the bytes are seen through Device::buffers().
struct Observation {
  model::Result<model::Plain> result;
  /// A call did not return, or a completion did not come, in the generous time allowed.
  bool timed_out = false;
  /// Time spent inside the implementation's calls, polling included, in nanoseconds.
  std::uint64_t inside_ns = 0;
  std::uint8_t process = 0;  ///< that made the call, of two
  /// Whether queue pairs were rebuilt for this call (they had failed before).
  bool rebuilt = false;
  /// What went wrong in an action of the harness's own after the call, in words: then nothing can
  /// be said of the call. Empty if nothing did.
  std::string disturbance;
  /// A completion came for nothing that was posted, so nobody knows what else will come.
  bool stray = false;
  /// The kernel's warnings during this call, one a line; empty if there were none.
  std::string kernel_warning;
};

/// How many objects the kernel has of each of its caches, by the cache's name, and the bytes of
/// one.
struct KernelCache {
  std::uint64_t objects = 0, size = 0;
};
using KernelCaches = std::map<std::string, KernelCache>;

/// One device. Not thread-safe. Calls carry keys as numbers: whoever replays a trace has to fill in
/// the keys that this device returned.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  [[nodiscard]] virtual Description description() const = 0;
  [[nodiscard]] virtual model::Capabilities<model::Plain> capabilities() const = 0;

  /// In how many processes the device is used, one or two. With two, objects in the PDs of process
  /// 1 (Setup::process) are made there, in a context of its own. The caller need not care.
  [[nodiscard]] virtual std::size_t processes() const { return 1; }

  /// Whether these are on hosts of their own, or at least have a device each.
  [[nodiscard]] virtual bool two_hosts() const { return false; }

  /// Destroys everything that calls made, makes what `setup` gives, and fills the buffers with
  /// their initial patterns. Returns the time spent inside the implementation's calls, in
  /// nanoseconds. Throws DeviceError if the setup cannot be made.
  virtual std::uint64_t reset(const model::Setup& setup) = 0;

  /// Makes the call and waits until all that it causes is over. Precondition: the caller may make
  /// it (Rulebook::forbids() in model/judge/rulebook.hpp).
  virtual Observation perform(const model::Call<model::Plain>& call) = 0;

  /// The device's state is in doubt: the next reset() keeps nothing that calls have touched.
  virtual void mark_suspect() {}

  /// The kernel's warnings since the last perform() returned, one a line: those about what reset()
  /// destroyed or made. Empty if there were none.
  virtual std::string late_warnings() { return {}; }

  /// What the system counted before and after the calls that the last reset() ended, when all that
  /// they made had been destroyed. Both tell nothing where it does not tell, or the state was in
  /// doubt.
  struct Left {
    model::Holdings before, after;
    std::uint8_t process = 0;  ///< for which it counted
  };
  [[nodiscard]] virtual Left left() const { return {}; }

  /// What the kernel under the device has allocated, when it had time to free what it frees later:
  /// that takes seconds, which an idle guest skips. Empty if it does not tell.
  [[nodiscard]] virtual KernelCaches kernel_caches() const { return {}; }

  /// From now on each end of a pair makes one RDMA read of no bytes after it was connected
  /// (Verb::connect): a driver may keep what it should forget in RESET.
  virtual void read_after_connect(bool /*wanted*/) {}

  /// The buffers' bytes as they are now, at their fixed addresses (model/trace/layout.hpp).
  [[nodiscard]] virtual std::span<const std::byte> buffer(std::size_t index) const = 0;
};

/// The setup as the device has it: whether its processes are on hosts of their own.
inline model::Setup setup_on(const Device& device, model::Setup setup) {
  setup.hosts = device.two_hosts() && setup.process != model::Setup{}.process;
  return setup;
}

}  // namespace mrproof::impl
