// Makes single calls for the walk (see walk.hpp).
#pragma once

#include <optional>

#include "conformance/oracle.hpp"
#include "conformance/random.hpp"

namespace mrproof {

/// Draws calls against one state of the model. Every member that returns an optional gives nothing
/// when the state has no object for it.
class CallMaker {
 public:
  CallMaker(Random& random, const Oracle& oracle)
      : random_(random), state_(oracle.state()), longest_(oracle.state().can.max_message.value()) {}

  std::optional<Step> allocate_pd();
  std::optional<Step> deallocate_pd();
  /// A registration; wrong in one respect if `wrong`.
  std::optional<Step> register_region(bool wrong);
  std::optional<Step> deregister_region();
  std::optional<Step> post_receive(bool wrong);
  std::optional<Step> send(bool wrong);
  std::optional<Step> rdma(bool wrong);
  Step query();
  /// Reconnects a pair that has failed, if there is one.
  std::optional<Step> reconnect();
  Step fill();
  [[nodiscard]] std::size_t live_regions() const;

 private:
  using Region = model::Region<model::Plain>;
  /// One side of a transfer while it is being made up.
  struct Side {
    KeyName key;
    std::uint64_t address = 0;
    std::uint64_t room = 0;  ///< bytes from `address` to the end of the region
  };

  /// A queue pair that can transfer, its peer too.
  std::optional<std::uint8_t> ready_qp();
  /// Usually that; now and then one that has failed, whose work requests are flushed.
  std::optional<std::uint8_t> posting_qp();
  std::optional<std::uint8_t> region_in(std::uint64_t pd, std::uint32_t right);
  std::optional<std::uint8_t> region_where(bool live);
  Side place(std::uint8_t region, KeyName::Kind kind);
  /// Spoils one side: key, right, PD or bounds. `length` may change.
  void spoil(Side& side, std::uint64_t& length, std::uint64_t pd, std::uint32_t right);
  void spoil_bounds(Side& side, std::uint64_t& length);
  void spoil_range(Step& step);
  std::uint64_t length_up_to(std::uint64_t room);
  std::uint32_t access();

  Random& random_;
  const model::State<model::Plain>& state_;
  std::uint64_t longest_;
};

}  // namespace mrproof
