// The in-process simulated device: verbs as the manual pages tell them, without hardware or kernel.
//
// It is written from ibv_reg_mr(3), ibv_dereg_mr(3), ibv_post_send(3), ibv_post_recv(3) and the
// architecture's clauses, imperatively and without a look at the model's rules, so that where the
// two agree they agree for a reason. Told so, it makes one of the mistakes of faults.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "impl/buffers.hpp"
#include "impl/device.hpp"
#include "impl/sim/faults.hpp"
#include "impl/sim/protection_table.hpp"
#include "model/access.hpp"

namespace mrproof::impl {

/// How a simulated device is to be.
struct SimOptions {
  /// Id of a seeded fault (see faults()); nothing for the correct device.
  std::optional<std::string> fault = std::nullopt;
  /// Feature access flags it supports; registrations with others are refused with EOPNOTSUPP.
  std::uint32_t claimed = model::kRemoteAtomic | model::kMwBind | model::kZeroBased;
  /// Longest message in bytes; 1 GiB is what ports report (ibv_query_port(3), max_msg_sz).
  std::uint64_t max_message = 1ULL << 30;
};

/// A simulated device with buffers of its own: there can be one in a process at a time. The same
/// calls after reset() give the same results, keys included. A call that breaks the precondition of
/// perform() in a way that no device could answer (a slot that holds no object, or already holds
/// one; fill() outside the buffers) throws std::logic_error and changes nothing.
class SimDevice final : public Device {
 public:
  /// Throws DeviceError if there is no fault of the given id or the buffers cannot be mapped.
  explicit SimDevice(const SimOptions& options = {});

  [[nodiscard]] Description description() const override;
  [[nodiscard]] model::Capabilities<model::Plain> capabilities() const override;
  /// Throws DeviceError if a pair lacks one end, or a QP's protection domain is not live.
  void reset(const model::Setup& setup) override;
  Observation perform(const model::Call<model::Plain>& call) override;
  [[nodiscard]] std::span<const std::byte> buffer(std::size_t index) const override;

 private:
  using Call = model::Call<model::Plain>;
  using Result = model::Result<model::Plain>;
  using Outcome = model::Outcome;
  using QpState = model::QpState;

  struct ProtectionDomain {
    bool live = false;
    unsigned users = 0;  ///< regions and QPs in it
  };
  /// A slot of ibv_reg_mr()'s results.
  struct RegionHandle {
    bool live = false;
    std::size_t entry = 0;  ///< in the protection table
    std::uint8_t pd = 0;
  };
  struct Receive {
    std::uint32_t lkey = 0;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
  };
  struct QueuePair {
    bool live = false;
    std::uint8_t pd = 0;
    QpState state = QpState::rts;
    std::optional<Receive> receive;
  };

  [[nodiscard]] bool broken(Fault fault) const { return fault_ == fault; }

  // Calls that make, end and ask for objects: sim_device.cpp.
  void dispatch(const Call& call, Result& result);
  void alloc_pd(const Call& call);
  void dealloc_pd(const Call& call, Result& result);
  void reg_mr(const Call& call, Result& result);
  void dereg_mr(const Call& call, Result& result);
  void connect(const Call& call);
  [[nodiscard]] int access_refusal(std::uint32_t access) const;
  [[nodiscard]] int range_refusal(const Call& call, std::uint64_t length) const;
  QueuePair& queue_pair(std::uint8_t slot);

  // Work requests: work_requests.cpp. Those that end with a completion return its status.
  void post_recv(const Call& call, Result& result);
  void transfer(const Call& call, Result& result);
  Outcome execute(const Call& call, QueuePair& own, QueuePair& peer, Result& result);
  Outcome deliver(const Call& call, std::uint64_t from, QueuePair& peer, Result& result);
  Outcome access_remote(const Call& call, std::uint64_t local, std::uint8_t requester_pd,
                        QueuePair& peer, Result& result);
  Outcome fail(QueuePair& qp) const;
  Outcome refuse(QueuePair& responder) const;
  Outcome to_error(QueuePair& qp) const;

  Fault fault_ = Fault::none;
  SimOptions options_;
  Buffers buffers_;
  ProtectionTable table_;
  std::array<ProtectionDomain, model::Plain::kPds> pds_{};
  std::array<RegionHandle, model::Plain::kRegions> regions_{};
  std::array<QueuePair, model::Plain::kQps> qps_{};
};

}  // namespace mrproof::impl
