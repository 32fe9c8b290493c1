// The in-process simulated device: verbs as the pages describe them, without hardware or kernel.
//
// It is written from the pages of libibverbs and the architecture's clauses, imperatively and
// without a look at the model's rules, so where the two agree they agree for a reason. On
// request it makes one of the mistakes of faults.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "impl/device.hpp"
#include "impl/sim/faults.hpp"
#include "impl/sim/memory.hpp"
#include "impl/sim/protection_table.hpp"
#include "impl/sim/sim_options.hpp"
#include "impl/slots.hpp"
#include "model/access.hpp"

namespace mrproof::impl {

/// A simulated device with buffers of its own: there can be one in a process at a time. The same
/// calls after reset() give the same results, keys included. A call that breaks the precondition of
/// perform() in a way that no device could answer (a slot that holds no object, or already holds
/// one; fill() outside of mapped memory) throws std::logic_error and changes nothing.
class SimDevice final : public Device {
 public:
  /// Throws DeviceError if there is no fault of the given id, no dialect of the given name, or the
  /// buffers cannot be mapped.
  explicit SimDevice(const SimOptions& options = {});

  [[nodiscard]] Description description() const override;
  [[nodiscard]] model::Capabilities<model::Plain> capabilities() const override;
  [[nodiscard]] std::size_t processes() const override { return options_.processes; }
  /// Throws DeviceError if a pair lacks one end, or a QP's protection domain is not live.
  std::uint64_t reset(const model::Setup& setup) override;
  Observation perform(const model::Call<model::Plain>& call) override;
  [[nodiscard]] Left left() const override { return left_; }
  [[nodiscard]] std::span<const std::byte> buffer(std::size_t index) const override;

 private:
  using Call = model::Call<model::Plain>;
  using Result = model::Result<model::Plain>;
  using Outcome = model::Outcome;
  using QpState = model::QpState;

  enum class Dialect : std::uint8_t { linux_current, linux_2006, mlnx_experimental };

  struct ProtectionDomain {
    bool live = false;
    unsigned users = 0;        ///< regions, windows and QPs in it
    std::uint8_t process = 0;  ///< whose it is; the slot's for the whole case
  };
  /// A slot of regions or windows.
  struct Handle {
    bool live = false;
    std::size_t entry = 0;  ///< in the protection table
  };
  struct ScatterElement {
    std::uint32_t lkey = 0;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
  };
  /// The elements of a work request; those that it does not have are empty.
  using Elements = std::array<ScatterElement, 2>;
  /// A request in flight, and what came of it if it was made.
  /// The message of a request that is posted inline, and room for one byte that a fault asks for.
  using Carried = std::array<std::byte, model::kInlineBytes + 1>;
  struct Posted {
    Call call;
    bool made = false;
    Result result;
    bool carries = false;
    Carried carried{};
  };
  struct QueuePair {
    bool live = false;
    std::uint32_t slot = 0;
    std::uint32_t pd = 0;
    QpState state = QpState::rts;
    std::uint32_t access = model::kPairRights;  ///< what its peer may ask of it
    std::optional<Elements> receive;
  };
  /// What every registration comes down to.
  struct Registration {
    std::uint32_t pd = 0;
    std::uint32_t access = 0;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
    std::uint64_t iova = 0;
    bool allocate = false;  ///< ALLOCATE_MR: the memory is the library's own
  };

  static model::Holdings nothing_held() {
    model::Holdings nothing;
    nothing.fill(0);
    return nothing;
  }
  [[nodiscard]] bool broken(Fault fault) const { return fault_ == fault; }
  [[nodiscard]] bool offers(std::uint32_t features) const {
    return (options_.features & features) == features;
  }
  [[nodiscard]] bool pages_for(model::Verb verb) const;
  [[nodiscard]] bool experimental() const { return dialect_ == Dialect::mlnx_experimental; }

  // sim_device.cpp: which verb is whose; protection domains; queue pairs.
  void check_process(const Call& call);
  void dispatch(const Call& call, Result& result);
  bool dispatch_work_request(const Call& call, Result& result);
  bool dispatch_memory(const Call& call, Result& result);
  void alloc_pd(const Call& call);
  void dealloc_pd(const Call& call, Result& result);
  void connect(const Call& call, Result& result);
  void destroy_qp(const Call& call, Result& result);
  void end_queue_pair(QueuePair& qp);
  void fill(const Call& call);
  ProtectionDomain& domain(std::uint32_t slot);
  QueuePair& queue_pair(std::uint32_t slot);

  // registration.cpp
  void reg_mr(const Call& call, Result& result);
  void reg_dmabuf_mr(const Call& call, Result& result);
  void alloc_null_mr(const Call& call, Result& result);
  void reg_shared_mr(const Call& call, Result& result);
  void dereg_mr(const Call& call, Result& result);
  Handle& free_region(std::uint32_t slot);
  MemoryRegion& region_in(std::uint32_t slot);
  void give_region(Handle& handle, const MemoryRegion& region, Result& result);
  [[nodiscard]] int access_refusal(std::uint32_t access) const;
  [[nodiscard]] int registration_refusal(const Registration& wanted) const;
  [[nodiscard]] int range_refusal(const Registration& wanted) const;
  [[nodiscard]] int memory_refusal(const Registration& wanted) const;
  [[nodiscard]] int dmabuf_refusal(const Call& call) const;
  [[nodiscard]] MemoryRegion region_of(const Registration& wanted) const;

  // reregistration.cpp
  void rereg_mr(const Call& call, Result& result);
  [[nodiscard]] bool input_error(const Call& call, const MemoryRegion& region) const;
  [[nodiscard]] Registration changed(const Call& call, const MemoryRegion& region) const;
  [[nodiscard]] int command_refusal(const Call& call, const MemoryRegion& region,
                                    const Registration& wanted) const;
  [[nodiscard]] int support_refusal(std::uint32_t flags) const;
  [[nodiscard]] int change_refusal(const Call& call, const MemoryRegion& region,
                                   const Registration& wanted) const;
  void change(const Call& call, MemoryRegion& region, const Registration& wanted);
  [[nodiscard]] bool fork_advice_fails(std::uint32_t mr, std::uint64_t address,
                                       std::uint64_t length) const;
  void end_by_command(MemoryRegion& region, int error, bool fork_state_lost, Result& result);

  // advice.cpp
  void advise_mr(const Call& call, Result& result);
  [[nodiscard]] int advice_refusal(const Call& call, const ScatterElement& element) const;
  [[nodiscard]] int advice_range_refusal(const Call& call, const MemoryRegion& region,
                                         const ScatterElement& element) const;
  void follow_wrongly(const Call& call, const ScatterElement& element);

  // windows.cpp. Those that end with a completion return its status.
  void alloc_mw(const Call& call, Result& result);
  void dealloc_mw(const Call& call);
  void bind(const Call& call, Result& result);
  Outcome execute_bind(const Call& call, const QueuePair& own, Result& result);
  Outcome unbind_type_one(const Handle& handle, Result& result);
  [[nodiscard]] bool may_bind(const Call& call, const MemoryWindow& window,
                              const MemoryRegion& region) const;
  [[nodiscard]] bool key_can_be_taken(const Call& call, const MemoryWindow& window) const;
  [[nodiscard]] bool region_allows(const Call& call, const MemoryRegion& region) const;
  [[nodiscard]] bool rights_fit(const Call& call, const MemoryWindow& window) const;
  void local_inv(const Call& call, Result& result);
  [[nodiscard]] std::optional<std::size_t> invalidable(std::uint32_t key,
                                                       const QueuePair& qp) const;
  Handle& window_handle(std::uint32_t slot);

  // work_requests.cpp. Those that end with a completion return its status.
  void post_recv(const Call& call, Result& result);
  void transfer(const Call& call, Result& result);
  void complete(const Call& call, Outcome outcome, Result& result);
  Outcome execute(const Call& call, QueuePair& own, Result& result);
  Outcome deliver(const Call& call, const Runs& from, QueuePair& peer, Result& result);
  Outcome refuse_message(QueuePair& peer, Outcome receive, Outcome status, Result& result);
  [[nodiscard]] std::optional<Runs> local_runs(const Call& call, const QueuePair& own) const;
  [[nodiscard]] std::optional<Runs> receive_runs(const Elements& receive, std::uint64_t length,
                                                 const QueuePair& peer) const;
  [[nodiscard]] bool has_good_length(const Call& call) const;
  void end_stream(QueuePair& peer, Result& result);
  Outcome fail(QueuePair& qp);
  Outcome refuse(QueuePair& responder);
  Outcome to_error(QueuePair& qp);

  void post(const Call& call, Result& result);
  void make(Posted& posted);
  static void carry(Posted& posted);
  void take_completion(const Call& call, Result& result);
  void make_begun();
  void take_return(const Call& call, Observation& seen);

  // remote_operations.cpp
  [[nodiscard]] bool accepts(const Call& call, const QueuePair& own, const QueuePair& peer) const;
  Outcome access_remote(const Call& call, const Runs& local, const QueuePair& own, QueuePair& peer,
                        Result& result);
  Outcome refuse_remote(const Call& call, const MemoryAccess& access, const Runs& local,
                        QueuePair& peer, Result& result);
  void carry_out(const Call& call, const Runs& local, const Run& remote);
  void operate_atomically(const Call& call, const Runs& local, const Run& remote);
  void consume_receive(const Call& call, QueuePair& peer, Result& result);

  static Elements elements_of(const Call& call);
  static std::uint64_t length_of(const Elements& elements);

  /// Makes something stay when all is destroyed.
  void leave(model::Held what) { ++*leaves_.of(what); }

  Fault fault_ = Fault::none;
  model::Holdings leaves_ = nothing_held();  ///< of this case
  Left left_;                                ///< of the case before
  SimOptions options_;
  Dialect dialect_ = Dialect::linux_current;
  Memory memory_;
  ProtectionTable table_;
  Slots<ProtectionDomain> pds_;
  Slots<Handle> regions_;
  Slots<Handle> windows_;
  std::array<QueuePair, model::Plain::kQps> qps_{};
  std::vector<Posted> in_flight_;  ///< in the order of their posting
  const Carried* carried_ = nullptr;  ///< by the request that is made
  std::vector<Posted> begun_;      ///< calls that overlap, as they begin; then as they were made
};

}  // namespace mrproof::impl
