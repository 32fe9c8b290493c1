// A device behind libibverbs: any provider, any driver.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "impl/buffers.hpp"
#include "impl/device.hpp"
#include "impl/verbs/dma_buf.hpp"
#include "impl/verbs/kernel_log.hpp"
#include "impl/verbs/port.hpp"
#include "impl/verbs/queue_pair.hpp"
#include "impl/verbs/request.hpp"

namespace mrproof::impl {

/// How to use a device.
struct VerbsOptions {
  /// How long a completion may take before the step counts as timed out, in milliseconds. Must be
  /// well above what the transport needs to give up, see Transport.
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
  /// Whether the library protects registered memory on fork (ibv_fork_init(3)), for good in this
  /// process. It would not where the kernel says that it copies pinned pages; so it is kept from
  /// asking, as in a container without netlink sockets of RDMA.
  bool fork_protection = false;
  Transport transport;

  /// For a machine that is known to be quick enough: the transport gives up after half a second
  /// (timeout 12 is 17 ms, which drivers may take four times), and what has not completed after
  /// three times that does not.
  void be_brisk() {
    transport.timeout = 12;
    completion_limit_ms = 1'500;
  }
  /// Takes the words behind a device's name, separated by '+': "uverbs" (rereg_by_uverbs), "fork"
  /// (fork_protection). False if there is another one.
  bool take(std::string_view words);
  /// The same the other way round, with '@' before them; empty if there are none. Part of the
  /// device's name in its description, so that traces and reports tell.
  [[nodiscard]] std::string words() const;
};

/// What can be said about a device without testing it.
struct DeviceListing {
  std::string name;       ///< as libibverbs names it
  std::string driver;     ///< kernel driver; "unknown" if nothing tells
  std::string state;      ///< of port 1, as ibv_port_state_str(3) names it; empty if not readable
  std::string firmware;   ///< fw_ver of ibv_query_device(3)
  std::string node_type;  ///< as ibv_node_type_str(3) names it
  std::string unusable;   ///< why it cannot be tested, in one line; empty if it can
};

/// A device of libibverbs, port 1, with RC pairs that loop back to it. There can be one in a
/// process at a time, since the buffers' addresses are fixed.
///
/// The objects of the current case lie in slots, as the model numbers them. A call that no program
/// could make (on a slot that holds nothing, into one that is taken, or with an element longer than
/// the 32 bits of ibv_sge.length) throws std::logic_error and does nothing.
class VerbsDevice final : public Device {
 public:
  /// Opens the device. Throws DeviceError when it cannot be used: unknown name, no permission on
  /// the uverbs file, port 1 not active, no usable GID or address. Sets
  /// the timer slack of the calling thread to its least (PR_SET_TIMERSLACK in prctl(2)), or the
  /// short sleeps between looks for a completion would each take 50 us longer.
  explicit VerbsDevice(const std::string& name, const VerbsOptions& options = {});
  ~VerbsDevice() override;

  [[nodiscard]] Description description() const override { return description_; }
  [[nodiscard]] model::Capabilities<model::Plain> capabilities() const override;
  /// Protection domains and pairs of the previous case stay where `setup` asks for the same and
  /// nothing failed on them. Throws DeviceError if the setup is not one of impl/setup.hpp or
  /// cannot be made. Objects that the device does not let go are left over and tried again later.
  void reset(const Setup& setup) override;
  /// Errors of calls are reported as the caller of libibverbs sees them: errno where the call gives
  /// NULL, else its return value as 32 bits (-1 is 0xffffffff). Verbs that this libibverbs does not
  /// have are refused with EOPNOTSUPP. Throws std::logic_error as above.
  Observation perform(const model::Call<model::Plain>& call) override;
  /// All pairs are made anew for the next case.
  void distrust() override;
  void read_after_connect(bool wanted) override { read_after_connect_ = wanted; }
  [[nodiscard]] std::span<const std::byte> buffer(std::size_t index) const override;

 private:
  using Call = model::Call<model::Plain>;
  using Outcome = model::Outcome;

  /// A slot of protection domains.
  struct PdSlot {
    ibv_pd* pd = nullptr;
    bool given = false;  ///< by the setup, not made by a call
  };
  /// The two ends of a pair, slots 2n and 2n+1.
  struct PairSlot {
    Pair pair;
    bool failed = false;  ///< an error was seen on it: to be connected again for the next case
    bool lost = false;    ///< of no use any more: something hung, an end or its domain is gone
    bool reset = false;   ///< a call of the case took it through RESET
    /// Whether there is anything of it: a call may have destroyed one end, or both.
    [[nodiscard]] bool live() const {
      return pair.ends[0].qp != nullptr || pair.ends[1].qp != nullptr;
    }
  };

  // verbs_device.cpp
  void look_for_failed_pairs();
  void empty_receives();
  void release_windows();
  void release_regions();
  void release_pairs(const Setup& setup);
  void release_domains(const Setup& setup);
  void make_domains(const Setup& setup);
  void make_pairs(const Setup& setup);
  int make(Pair& pair, ibv_pd* first, ibv_pd* second);
  [[nodiscard]] bool pair_stays(std::size_t index, const Setup& setup) const;

  // calls.cpp
  void dispatch(const Call& call, Observation& seen);
  void alloc_pd(const Call& call, Observation& seen);
  void dealloc_pd(const Call& call, Observation& seen);
  void query_qp(const Call& call, Observation& seen);
  void connect(const Call& call, Observation& seen);
  void destroy_qp(const Call& call, Observation& seen);
  void await_end(QpEnd& end);
  PairSlot& pair_of(std::uint8_t qp);
  QpEnd& end_of(std::uint8_t qp);

  // regions.cpp
  void register_region(const Call& call, Observation& seen);
  void rereg_mr(const Call& call, Observation& seen);
  void dereg_mr(const Call& call, Observation& seen);
  void advise_mr(const Call& call, Observation& seen);
  void alloc_mw(const Call& call, Observation& seen);
  void dealloc_mw(const Call& call, Observation& seen);
  [[nodiscard]] ibv_pd* domain(std::uint8_t pd) const;
  ibv_mr*& region(std::uint8_t mr);
  ibv_mw*& window(std::uint8_t mw);

  // transfers.cpp
  void post_recv(const Call& call, Observation& seen);
  void transfer(const Call& call, Observation& seen);
  void bind_mw(const Call& call, Observation& seen);
  void post_bind_mw(const Call& call, Observation& seen);
  [[nodiscard]] ibv_mw_bind_info bind_info(const Call& call);
  void post(const Call& call, Request& request, Observation& seen);
  void follow(const Call& call, const Request& request, Observation& seen);
  bool complete_receive(QpEnd& end, bool wait, const Delivery& expected,
                        model::Plain::Small& outcome, Observation& seen);
  bool complete_receives(const Call& call, const Request& request, Observation& seen);
  bool settle(const Call& call, Observation& seen);
  bool send_nothing(QpEnd& from, QpEnd& to);
  [[nodiscard]] Outcome over_stream(const Call& call, Outcome completed);
  std::uint64_t post_empty_read(QpEnd& end);
  bool answers(QpEnd& end);
  bool read_nothing(QpEnd& end);

  VerbsOptions options_;
  Buffers buffers_;
  KernelLog log_;
  Port port_;
  DmaBuf dma_buf_;
  Description description_;
  bool read_after_connect_ = false;
  std::uint64_t next_id_ = 1;  ///< of work requests; never used twice
  std::array<PdSlot, model::Plain::kPds> pds_{};
  std::array<ibv_mr*, model::Plain::kRegions> regions_{};
  std::array<ibv_mw*, model::Plain::kWindows> windows_{};
  std::array<PairSlot, model::Plain::kQps / 2> pairs_{};
  std::vector<ibv_mw*> stuck_windows_;  ///< that the device refused to let go
  std::vector<ibv_mr*> stuck_regions_;
  std::vector<ibv_pd*> stuck_domains_;
};

/// What has to be done before any other call of libibverbs: ibv_fork_init(3), if that is wanted.
/// Throws DeviceError, also where the library then says that nothing is protected.
void prepare_library(const VerbsOptions& options);

/// Opens the device of that name. Throws DeviceError as VerbsDevice's constructor does.
std::unique_ptr<Device> open_verbs_device(const std::string& name,
                                          const VerbsOptions& options = {});

/// The devices that libibverbs knows, in its order; empty if there are none. Never throws for a
/// device that cannot be used: DeviceListing::unusable says why.
std::vector<DeviceListing> list_verbs_devices();

}  // namespace mrproof::impl
