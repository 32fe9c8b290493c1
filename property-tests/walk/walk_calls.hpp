// Makes single calls for the walk (see walk.hpp).
#pragma once

#include <optional>

#include "model/oracle/oracle.hpp"
#include "model/random.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::property_tests {

/// Draws calls against one state of the model. Every member that returns an optional gives nothing
/// when the state has no object for it, or the device seems to lack the verb. `wrong`: wrong on
/// purpose, in one respect. Values are drawn around what the state has, and are of no tier of
/// model/alphabet/: with one of those a seed would make other calls.
class CallMaker {
 public:
  /// `objects`, `unanswered_permille`: of WalkOptions.
  CallMaker(model::Random& random, const model::Oracle& oracle, unsigned unanswered_permille = 2,
            std::uint32_t objects = 0)
      : random_(random),
        unanswered_permille_(unanswered_permille),
        objects_(objects),
        book_(oracle.book()),
        state_(oracle.state()),
        longest_(oracle.state().can.max_message.value()) {}

  // walk_regions.cpp
  std::optional<model::PlannedCall> allocate_pd();
  std::optional<model::PlannedCall> deallocate_pd();
  /// Towards freeing the PD of a queue pair that was destroyed: its last objects go.
  std::optional<model::PlannedCall> leave_domain();
  std::optional<model::PlannedCall> register_region(bool wrong);
  std::optional<model::PlannedCall> reregister_region(bool wrong);
  std::optional<model::PlannedCall> deregister_region();
  std::optional<model::PlannedCall> advise(bool wrong);
  std::optional<model::PlannedCall> protect();
  model::PlannedCall fill();
  [[nodiscard]] std::size_t live_regions() const;
  /// One more region, window or PD, while there are not as many as asked for.
  std::optional<model::PlannedCall> grow();

  // walk_windows.cpp
  std::optional<model::PlannedCall> allocate_window();
  std::optional<model::PlannedCall> deallocate_window();
  std::optional<model::PlannedCall> bind(bool wrong);
  std::optional<model::PlannedCall> invalidate(bool wrong);
  [[nodiscard]] std::size_t live_windows() const;

  // walk_transfers.cpp
  std::optional<model::PlannedCall> post_receive(bool wrong);
  std::optional<model::PlannedCall> send(bool wrong);
  std::optional<model::PlannedCall> rdma(bool wrong);
  std::optional<model::PlannedCall> atomic(bool wrong);
  std::optional<model::PlannedCall> query();
  /// Changes what a queue pair accepts.
  std::optional<model::PlannedCall> change_rights();
  std::optional<model::PlannedCall> destroy_qp();
  /// Reconnects a pair that has failed, if there is one.
  std::optional<model::PlannedCall> reconnect();

  // walk_probes.cpp: what looks at what a call has just done
  /// An RDMA operation with a key that was taken back, good but for that.
  std::optional<model::PlannedCall> use_revoked(const model::KeyName& key);
  /// An RDMA operation through the window: of all of it, up to its end, or wrong in one respect.
  std::optional<model::PlannedCall> use_window(std::uint32_t slot, bool wrong);
  /// An RDMA operation on the null region: at the requester, or (wrong) at the responder.
  std::optional<model::PlannedCall> use_null(std::uint32_t slot, bool wrong);
  /// Towards the window's invalidation by a message: that, or a receive for it.
  std::optional<model::PlannedCall> invalidate_from_afar(std::uint32_t slot);
  /// Moves a region to the PD.
  std::optional<model::PlannedCall> enter_domain(std::uint32_t pd);
  /// An RDMA or atomic operation that is served by the queue pair.
  std::optional<model::PlannedCall> ask_of(std::uint32_t qp);
  /// Binds the window, which is free again.
  std::optional<model::PlannedCall> bind_again(std::uint32_t slot, bool wrong);
  /// Deregisters the region that the window is, or was, bound to.
  std::optional<model::PlannedCall> deregister_behind(std::uint32_t slot);
  /// A message for the receive that is posted there.
  std::optional<model::PlannedCall> send_to(std::uint32_t receiver);

 private:
  using Region = model::Region<model::Plain>;
  using Window = model::Window<model::Plain>;

  /// One side of a transfer while it is being made up: a place inside [first, last].
  struct Side {
    model::KeyName key;
    std::uint64_t address = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    [[nodiscard]] std::uint64_t room() const { return last - address + 1; }
  };

  static model::PlannedCall call_of(model::Verb verb) {
    model::PlannedCall step;
    step.call.verb = verb;
    return step;
  }
  /// Whether one of the Feature flags is claimed or shown; if not, now and then all the same.
  bool worth(std::uint32_t features);
  /// A slot that satisfies the predicate, of an object or of an object and its slot; each as
  /// likely.
  template <class Slots, class Predicate>
  std::optional<std::uint32_t> one_of(const Slots& slots, Predicate&& predicate) {
    const auto start = random_.below(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto slot = static_cast<std::uint32_t>((start + i) % slots.size());
      if constexpr (std::invocable<Predicate, decltype(slots.at(0)), std::uint32_t>) {
        if (predicate(slots.at(slot), slot)) return slot;
      } else {
        if (predicate(slots.at(slot))) return slot;
      }
    }
    return std::nullopt;
  }
  std::optional<std::uint32_t> live_region();
  /// A slot that is free, of `share` of a hundred of the objects asked for.
  template <class Objects>
  std::optional<std::uint32_t> free_slot(const Objects& objects, unsigned share) {
    const auto free = [](const auto& object) { return !object.live.truth(); };
    const std::uint64_t most = std::uint64_t{objects_} * share / 100;
    if (most <= objects.few().size()) return one_of(objects, free);
    for (int i = 0; i < 20; ++i)
      if (const auto slot = random_.below(most); free(objects.at(slot)))
        return static_cast<std::uint32_t>(slot);
    return std::nullopt;
  }
  /// A region of the PD with the right that nothing is wrong with.
  std::optional<std::uint32_t> region_in(std::uint64_t pd, std::uint32_t right);
  /// A region of the PD that grants something, but not that right.
  std::optional<std::uint32_t> region_without(std::uint64_t pd, std::uint32_t right);
  static bool usable(const Region& r) {
    return r.live.truth() && !r.empty.truth() && !r.undefined.truth();
  }
  static bool usable(const Window& w) {
    return w.live.truth() && w.bound.truth() && !w.undefined.truth();
  }
  static bool is_ready(const model::QueuePair<model::Plain>& qp) {
    return qp.live.truth() && qp.state.value() == static_cast<unsigned>(model::QpState::rts);
  }
  std::uint64_t length_up_to(std::uint64_t room);
  /// A place at an edge of the hole in the memory [from, last], if there is one.
  std::optional<std::uint64_t> edge_of_hole(std::uint64_t from, std::uint64_t last);

  // walk_calls.cpp: sides and what can be wrong with them
  Side place(std::uint32_t region, model::KeyName::Kind kind);
  void keep_off_hole(Side& side, std::uint64_t memory) const;
  Side place_window(std::uint32_t window);
  /// The local side of a queue pair's work request.
  std::optional<Side> local_side(std::uint32_t qp, std::uint32_t right);
  /// The remote side of a work request that `responder` serves: a region, or a window.
  std::optional<Side> remote_side(std::uint32_t responder, std::uint32_t right);
  void spoil(Side& side, std::uint64_t& length, std::uint32_t qp, std::uint32_t right);
  bool spoil_by_region(Side& side, std::uint32_t qp, std::uint32_t right);
  bool spoil_by_hole(Side& side);
  bool spoil_by_window(Side& side, std::uint32_t qp, std::uint32_t right);
  void spoil_bounds(Side& side, std::uint64_t& length);

  // walk_regions.cpp
  /// One of the PDs that queue pairs are in at first.
  std::uint32_t pd_of_pairs();
  std::uint32_t access();
  void range(model::PlannedCall& step);
  void choose_verb(model::PlannedCall& step);
  void spoil_range(model::PlannedCall& step);

  // walk_windows.cpp
  std::optional<model::PlannedCall> bind_window(std::uint32_t window, bool wrong);
  void spoil_bind(model::PlannedCall& step);
  void spoil_bind_range(model::PlannedCall& step, const Region& region);

  // walk_transfers.cpp
  std::optional<std::uint32_t> ready_qp();
  std::optional<std::uint32_t> posting_qp();
  /// Puts the sides into the step; adds a second element now and then, if `room` allows.
  void set_local(model::PlannedCall& step, const Side& near, std::uint64_t length);
  std::optional<model::PlannedCall> receive_on(std::uint32_t qp, bool wrong);
  std::optional<model::PlannedCall> send_from(std::uint32_t qp, bool wrong);
  void add_second(model::PlannedCall& step, std::uint32_t qp, std::uint32_t right,
                  std::uint64_t room, bool wrong);
  static void set_remote(model::PlannedCall& step, const Side& far);

  // walk_probes.cpp
  std::optional<model::PlannedCall> reach(std::uint32_t responder, bool read, const Side& far,
                                          std::uint64_t length);
  /// The same with the local key that went with it.
  std::optional<model::PlannedCall> use_revoked_locally(const model::KeyName& key);
  /// A queue pair that may serve access through the window, or one that just may not.
  std::optional<std::uint32_t> responder_of(const Window& window, bool right_one);

  model::Random& random_;
  unsigned unanswered_permille_;
  std::uint32_t objects_;
  const model::Rulebook& book_;
  const model::State<model::Plain>& state_;
  std::uint64_t longest_;
};

}  // namespace mrproof::property_tests
