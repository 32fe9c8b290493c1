// A device behind libibverbs: any provider, any driver.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "impl/buffers.hpp"
#include "impl/device.hpp"
#include "impl/slots.hpp"
#include "impl/verbs/context.hpp"
#include "impl/verbs/far_host.hpp"
#include "impl/verbs/kernel_caches.hpp"
#include "impl/verbs/kernel_log.hpp"
#include "impl/verbs/options.hpp"
#include "impl/verbs/process.hpp"
#include "impl/verbs/rdma_netlink.hpp"

namespace mrproof::impl {

/// What can be said about a device without testing it.
struct DeviceListing {
  std::string name;       ///< as libibverbs names it
  std::string driver;     ///< kernel driver; "unknown" if nothing tells
  std::string state;      ///< of port 1, as ibv_port_state_str(3) names it; empty if not readable
  std::string firmware;   ///< fw_ver of ibv_query_device(3)
  std::string node_type;  ///< as ibv_node_type_str(3) names it
  std::string unusable;   ///< why it cannot be tested, in one line; empty if it can
};

/// A device of libibverbs, port 1, with RC pairs that loop back to it, or lead to a device of
/// another host. There can be one in a process at a time, since the buffers' addresses are fixed.
///
/// The objects of the current case lie in slots, as the model numbers them. A call that no program
/// could make (on a slot that holds nothing, into one that is taken, or with an element longer than
/// the 32 bits of ibv_sge.length) throws std::logic_error and does nothing.
class VerbsDevice final : public Device {
 public:
  /// Opens the device. Throws DeviceError when it cannot be used: unknown name, no permission on
  /// the uverbs file, port 1 not active, no usable GID or address, no peer at the other host. Sets
  /// the timer slack, as Context does.
  explicit VerbsDevice(const std::string& name, const VerbsOptions& options = {});
  ~VerbsDevice() override = default;

  [[nodiscard]] Description description() const override { return description_; }
  [[nodiscard]] model::Capabilities<model::Plain> capabilities() const override;
  [[nodiscard]] std::size_t processes() const override { return other_ ? 2 : 1; }
  [[nodiscard]] bool two_hosts() const override { return two_devices_; }
  /// Protection domains and pairs of the previous case stay where `setup` asks for the same and
  /// nothing failed on them. Throws DeviceError if the setup is not one of model/trace/setup.hpp or
  /// cannot be made. Objects that the device refuses to destroy are left over and tried again
  /// later.
  std::uint64_t reset(const model::Setup& setup) override;
  /// Errors of calls are reported as the caller of libibverbs sees them: errno where the call gives
  /// NULL, else its return value as 32 bits (-1 is 0xffffffff). Verbs that this libibverbs does not
  /// have are refused with EOPNOTSUPP. Throws std::logic_error as above. Of two processes the one
  /// that has the objects makes the call; one that ends takes this one with it, by the same signal.
  Observation perform(const model::Call<model::Plain>& call) override;
  /// All pairs are made anew for the next case.
  void mark_suspect() override;
  std::string late_warnings() override { return warnings(); }
  /// Of two processes, of the first for which more is counted than before.
  [[nodiscard]] Left left() const override { return left_; }
  [[nodiscard]] KernelCaches kernel_caches() const override;
  void read_after_connect(bool wanted) override { read_after_connect_ = wanted; }
  [[nodiscard]] std::span<const std::byte> buffer(std::size_t index) const override;

 private:
  using Call = model::Call<model::Plain>;
  using Outcome = model::Outcome;
  using Kind = Order::Kind;

  /// A slot of protection domains.
  struct PdSlot {
    bool live = false;
    bool given = false;        ///< by the setup, not made by a call
    std::uint8_t process = 0;  ///< that has it
  };
  /// The two ends of a pair, slots 2n and 2n+1.
  struct PairSlot {
    std::array<bool, 2> there{};            ///< which ends exist: a call may have destroyed them
    std::array<std::uint32_t, 2> pd{};      ///< slots of their domains; kAbsent: not any more
    std::array<std::uint8_t, 2> process{};  ///< that have them
    /// The first packet sequence number of the connection; another one each time, so that packets
    /// left over from an earlier connection are not taken for this one's.
    std::uint32_t psn = 0;
    bool failed = false;  ///< an error was seen on it, or its rights changed: to be connected again
                          ///< for the next case
    bool lost = false;    ///< of no use any more: something hung, an end or its domain is gone
    bool reset = false;   ///< a call of the case took it through RESET
    [[nodiscard]] bool live() const { return there[0] || there[1]; }
  };

  // verbs_device.cpp
  std::unique_ptr<Process> make_other(const std::string& name);
  void describe(const std::string& name);
  Answer ask(std::uint32_t qp, const Order& order);
  std::string warnings();
  void look_for_failed_pairs();
  void empty_receives();
  void release_objects();
  std::array<std::optional<model::Holdings>, 2> see_what_is_left();
  model::Holdings held_by(std::size_t process);
  void release_pairs(const model::Setup& setup);
  void release_domains(const model::Setup& setup);
  /// Whether it had to make one; likewise make_pairs().
  bool make_domains(const model::Setup& setup);
  bool make_pairs(const model::Setup& setup);
  [[nodiscard]] bool pair_stays(std::size_t index, const model::Setup& setup) const;

  // connecting.cpp
  int make(std::size_t index, std::uint32_t first_pd, std::uint32_t second_pd);
  int make_directly(std::size_t index);
  int make_by_cm(std::size_t index);
  void keep_ends(std::size_t index, bool keep);
  int bring_up(std::size_t index);
  int reconnect(std::size_t index);
  bool reads_nothing(std::uint32_t qp);

  // calls.cpp
  void dispatch(const Call& call, Observation& seen);
  [[nodiscard]] std::uint8_t process_of(const Call& call) const;
  void call_on_objects(const Call& call, Observation& seen);
  void begin(const Call& call, Observation& seen);
  Answer made(std::uint8_t process, const Call& call);
  void show_at_return(const model::ByteRun& seen);
  void go_on(bool wait);
  void protect(const Call& call);
  void query_qp(const Call& call, Observation& seen);
  void connect(const Call& call, Observation& seen);
  PairSlot& pair_of(std::uint32_t qp) { return pairs_.at(qp / 2U); }
  [[nodiscard]] bool exists(std::uint32_t qp) const { return pairs_.at(qp / 2U).there.at(qp & 1U); }

  // transfers.cpp
  void transfer(const Call& call, Observation& seen);
  void land();
  void over_stream(const Call& call, const Answer& posted, Observation& seen);
  static void note_receive(const Answer& answer, model::Plain::Small& outcome, Observation& seen);
  bool complete_receives(const Call& call, const Answer& posted, Observation& seen);
  bool settle(const Call& call, Observation& seen);
  bool deliver_nothing(std::uint32_t to);

  VerbsOptions options_;
  Buffers buffers_;
  FarHost* far_ = nullptr;          ///< `other_`, if that is on another host
  bool two_devices_ = false;        ///< and it has another device there
  std::unique_ptr<Process> other_;  ///< if there are two; made before the device is opened here
  Context context_;
  KernelLog log_;
  Left left_;                          ///< of the case before
  std::array<model::Holdings, 2> before_;  ///< at the start of this case
  bool suspect_ = false;               ///< what the case leaves says nothing
  std::array<Process*, 2> processes_;  ///< both are `context_` if there is one
  Description description_;
  bool read_after_connect_ = false;
  std::array<std::uint8_t, model::Plain::kPds> slot_process_{};  ///< as the setup says
  std::vector<Call> in_flight_;  ///< requests that were posted, and not completed
  std::vector<Call> begun_;      ///< calls that have begun, and not returned
  std::array<std::uint8_t, model::kMostLabels + 1> thread_process_{};  ///< by label
  bool gone_on_ = true;          ///< calls that have begun were told to, or there are none
  bool alone_ = true;            ///< no other call has begun with the last one
  /// Of one buffer what the last step shows, where that is not what is in it now.
  std::pair<std::size_t, std::vector<std::byte>> as_seen_;
  Slots<PdSlot> pds_;
  /// Which process made the object of each slot last.
  Slots<std::uint8_t> region_process_, window_process_;
  std::array<PairSlot, model::Plain::kQps / 2> pairs_{};
};

/// Opens the device of that name. Throws DeviceError as VerbsDevice's constructor does.
std::unique_ptr<Device> open_verbs_device(const std::string& name,
                                          const VerbsOptions& options = {});

/// The devices that libibverbs knows, in its order; empty if there are none. Never throws for a
/// device that cannot be used: DeviceListing::unusable says why.
std::vector<DeviceListing> list_verbs_devices();

}  // namespace mrproof::impl
