// The objects of a watched program that are of one device: the model's state, and where in the
// program each object comes from.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "conformance/watch/finding.hpp"
#include "conformance/watch/recording.hpp"

namespace mrproof::watch {

using model::Plain;

/// Where in the program a call was made.
struct Site {
  std::uint64_t caller = 0;  ///< 0: not known
  std::uint32_t stack = 0;   ///< whence the caller was called: one that the Judge has; 0: not known
};

/// Where an object was made and destroyed.
struct Life {
  std::uint32_t pid = 0;
  std::uint64_t object = 0;  ///< its pointer
  std::uint64_t parent = 0;  ///< that of the context of a PD, of the PD of a region, a queue pair
  Site made_by{}, changed_by{}, ended_by{};  ///< changed_by: it was re-registered there last
  bool live = true;
  std::uint64_t made = 0, ended = 0;  ///< times
  /// Of a region: memory that was unmapped while it was registered; none if both are 0.
  std::uint64_t unmapped_first = 0, unmapped_last = 0;
  Site unmapped_by{};
};

/// Why a request has to fail.
struct Reason {
  const model::PlainCondition* condition;
  bool remote;
  model::Element<Plain> element;  ///< whose key it is about; `remote`: key and range over there
  /// Whether it says that a key is dead. Calls that are not watched may have made one with the same
  /// number, so that only a failure proves it.
  [[nodiscard]] bool of_key() const;
};

/// A request of a send queue, or a receive, whose completion was not seen yet.
struct Request {
  std::uint64_t id = 0;  ///< wr_id
  model::Verb verb = model::Verb::post_recv;
  bool judged = true;    ///< false: of a kind that is not looked at
  bool inlined = false;  ///< the elements' keys do not matter
  bool signaled = true;
  std::uint32_t tid = 0;
  std::uint64_t caller = 0, time = 0;
  std::vector<model::Element<Plain>> elements;
  Plain::Key rkey{};
  Plain::Address remote{};
  std::uint64_t handle = 0;     ///< pointer of the address handle of a datagram; 0: none
  std::vector<Reason> reasons;  ///< why it had to fail when it was posted
  /// Of a bind: what is asked for; the window's new key is `rkey`, 0 as long as it is not known.
  std::optional<model::Call<Plain>> bind;
  [[nodiscard]] Plain::Address length() const;
  [[nodiscard]] std::string_view name() const;  ///< of its verb
  [[nodiscard]] std::string description() const;
  [[nodiscard]] bool changes_windows() const { return bind || verb == model::Verb::local_inv; }
};

using Gid = std::array<std::uint64_t, 2>;

/// What a queue pair has room for (struct ibv_qp_cap); 0 where that is not known.
struct Capacity {
  std::uint32_t sends = 0, receives = 0, send_elements = 0, receive_elements = 0, inlined = 0;
};

struct World;
/// A queue pair. Its slot in the model's state is even; behind it is a place for the other end, of
/// which nothing is known there. A shared receive queue is one that only receives.
struct End {
  Life life;
  World* world = nullptr;
  std::uint32_t slot = 0;
  std::uint32_t number = 0, peer_number = 0;
  Gid gid{}, peer_gid{};
  bool is_rc = false, signals_all = false, connected = false;
  bool is_srq = false;    ///< it is a shared receive queue
  std::uint64_t srq = 0;  ///< pointer of the one that it takes its receives from; 0: none
  std::uint64_t send_cq = 0, receive_cq = 0;
  Capacity most{};
  std::uint64_t state = 0;     ///< enum ibv_qp_state, as the program asked for it
  bool state_known = true;     ///< nobody but the program has changed it
  std::uint64_t modified = 0;  ///< when its rights were last changed
  std::deque<Request> sends, receives;
  [[nodiscard]] std::string name() const;  ///< "queue pair 0x12"
};

/// A window. What it stands for is known unless the model has it as undefined: requests are under
/// way that change it, or one of them has failed.
struct WindowLife {
  Life life;
  int pending = 0;  ///< binds and invalidations of it that are not over
};

/// All objects of one device.
struct World {
  World();
  model::State<Plain> state;
  std::vector<Life> regions;            ///< by slot; slots are used once
  std::deque<End> ends;                 ///< in slots 0, 2, 4, ...
  std::vector<Life> domains;            ///< by slot
  std::vector<WindowLife> windows;      ///< by slot
  std::vector<Life> handles;            ///< address handles, by slot
  std::set<std::uint32_t> live_windows;  ///< slots of those that are not deallocated
  std::unordered_map<std::uint32_t, std::uint32_t> by_lkey, by_rkey;  ///< slot of the last holder

  /// A request that changes windows was posted: they are undefined until it is over.
  void begin_change(const Request& request);
  /// It is over. `done`: it succeeded; else nothing is known of them any more.
  void end_change(const Request& request, bool done);
  /// The queue pair failed or ended: nothing says what became of the windows bound through it.
  void doubt_windows(std::uint32_t qp_slot);
  /// A window got the key or a region did: who else had it has ended unseen.
  void end_windows_of(Plain::Key rkey);
  /// Somebody invalidates the key; of a window that has it nothing more is known.
  void doubt_window(Plain::Key rkey);
  /// Whether the key may stand for a window that is not known to stand for anything.
  [[nodiscard]] bool is_doubtful(Plain::Key rkey) const;

 private:
  void change_windows_of(const Request& request, auto&& change);
};

/// Why the request of that queue pair cannot succeed as things are now; `peer`: the end that serves
/// it, or null if that is not known.
std::vector<Reason> reasons_against(const End& end, const Request& request, const End* peer);
/// The same of a call that is no request: what its success would break.
std::vector<const model::PlainCondition*> broken_by(
    const World& world, const model::Call<Plain>& call);

}  // namespace mrproof::watch
