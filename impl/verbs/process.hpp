// What one process does with a device: orders that it carries out one at a time, in the context and
// on the objects that are its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "impl/device.hpp"
#include "impl/verbs/request.hpp"
#include "model/call.hpp"
#include "model/judge/leftovers.hpp"
#include "model/trace/setup.hpp"

namespace mrproof::impl {

/// A step of connecting a queue pair (ibv_modify_qp(3)).
enum class Stage : std::uint8_t { reset, init, rtr, rts };

/// Where the port is that a queue pair is connected to.
struct PortAddress {
  std::array<std::uint8_t, 16> gid{};
  std::uint16_t lid = 0;
  std::uint8_t mtu = 0;             ///< the longest packet that it takes, an ibv_mtu
  std::uint32_t ip = 0;             ///< where it listens for connections of the CM, as
  std::uint16_t ip_port = 0;        ///< sockaddr_in has them
};

/// What a process is to do. What it names has to be its own.
struct Order {
  enum class Kind : std::uint8_t {
    call,             ///< `call`, of one that is no transfer: Answer::result
    begin,            ///< the same in a thread, which waits until it is told to go on
    go,               ///< all calls that have begun go on; if `wait` it is over when they do
    join,             ///< what the call that has begun with the label of `call` gave
    request,          ///< `call`, of a transfer: posted, and its own completion waited for
    take_receive,     ///< takes receives' completions off `qp`, if `wait` until one comes
    settle,           ///< after an error: the state of `qp`, if `wait` once it left RTS; receives
    leave_rts,        ///< waits until `qp` has left RTS, for a moment; its state then
    state,            ///< the state of `qp` that the harness goes by
    await_end,        ///< until `qp` is not connected any more, and its receive is flushed
    has_receive,      ///< whether a receive is posted on `qp`
    send_nothing,     ///< an empty message; whether it was delivered
    read_nothing,     ///< an RDMA read of no bytes; whether it succeeds in a moment
    answers,          ///< the same, until it does or the connection has ended; or `astray`
    give_pd,          ///< makes `pd`
    release_pd,       ///< lets `pd` go
    release_objects,  ///< lets all windows and regions go
    release_qp,     ///< destroys `qp`, and unless it is to be done `wholly` keeps its empty queues
    make_qp,        ///< a new queue pair in `pd`, which takes the place of `qp` when it is kept
    keep_qp,        ///< the new one takes its place
    drop_qp,        ///< the new one is destroyed
    advance,        ///< takes `qp`, the new one if there is one, to `stage`
    address,        ///< where its port is
    ask_by_cm,      ///< a new queue pair in `pd`, which asks `peer_port` for a connection
    accept_by_cm,   ///< a new queue pair in `pd`, which accepts what somebody has asked for
    join_by_cm,     ///< waits until the new queue pair is connected
    map_pages,      ///< all pages of the buffers are mapped and writable again
    count_held,     ///< what the kernel counts for the process
    nothing,        ///< hosts tell each other what has happened
  };
  Kind kind = Kind::call;
  std::uint32_t pd = 0;
  std::uint32_t qp = 0;
  Stage stage = Stage::reset;
  bool wait = false;
  bool wholly = false;
  std::uint32_t peer = 0;  ///< number of the queue pair at the other end
  PortAddress peer_port{};
  std::uint32_t psn = 0;   ///< first packet sequence number of the connection
  Delivery expected{};     ///< what a receive's completion has to show
  model::Call<model::Plain> call{};
};

/// What came of it; what an order does not give keeps its value.
struct Answer {
  model::Result<model::Plain> result;
  int error = 0;                ///< an errno, or 0
  std::uint32_t qp_number = 0;  ///< of the queue pair made
  PortAddress port{};           ///< of its own
  model::QpState state = model::QpState::unknown;
  bool done = false;       ///< yes, to what an order asks
  bool timed_out = false;  ///< a completion did not come
  bool known = true;       ///< no completion came of what was never posted
  bool astray = false;     ///< the harness's own read got a wrong answer, and the connection ended
  bool gave_up = false;    ///< the transport did, at what the harness posted behind the request
  bool cut = false;        ///< a request before the last one of a list was refused
  bool failed = false;     ///< the queue pair was not in RTS when the request was posted
  bool delivers = false;   ///< the request's success consumes a receive of the peer
  Delivery delivery{};     ///< what that receive has to show
  /// A receive's completion was found: its outcome, whether it is as expected, its byte_len.
  bool found = false;
  bool matches = true;
  model::Outcome receive = model::Outcome::none;
  std::uint64_t received = 0;
  model::Holdings held{};
};
static_assert(std::is_trivially_copyable_v<Order> && std::is_trivially_copyable_v<Answer>);

/// Carries out orders. Not thread-safe.
class Process {
 public:
  Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  virtual ~Process() = default;
  /// Returns when all is done, or the time for it is over. Throws std::logic_error if the order
  /// names what is not there, or is taken; DeviceError if the device or the machine is at fault.
  virtual Answer carry_out(const Order& order) = 0;
};

}  // namespace mrproof::impl
