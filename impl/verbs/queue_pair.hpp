// Pairs of connected RC queue pairs, each end with completion queues of its own.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>
#include <memory>

#include "impl/verbs/port.hpp"
#include "model/call.hpp"

namespace mrproof::impl {

/// Destroys queues; a refusal leaves the object behind, there being nothing else to do.
struct DestroyQueue {
  void operator()(ibv_cq* cq) const { ibv_destroy_cq(cq); }
  void operator()(ibv_qp* qp) const { ibv_destroy_qp(qp); }
};

/// One end of a pair. Send and receive completions have a queue each, so that neither can be taken
/// for the other and one queue pair's never for another's.
struct QpEnd {
  QpEnd() = default;
  QpEnd(QpEnd&&) noexcept = default;
  /// What was there is destroyed, the queue pair before its completion queues.
  QpEnd& operator=(QpEnd&& other) noexcept;
  ~QpEnd() = default;

  std::unique_ptr<ibv_cq, DestroyQueue> send_cq;
  std::unique_ptr<ibv_cq, DestroyQueue> receive_cq;
  ConnectionEnd connection;                  ///< if the CM connected it
  std::unique_ptr<ibv_qp, DestroyQueue> qp;  ///< last, so destroyed before all that it uses
  ibv_pd* pd = nullptr;                      ///< that it was made in
  std::uint64_t receive_id = 0;              ///< wr_id of the posted receive, 0 if none is posted
  /// The state last seen was not RTS. What is posted then is as good as flushed.
  bool failed = false;
};

/// Two ends connected to each other; empty until made.
struct Pair {
  std::array<QpEnd, 2> ends;
  /// The first packet sequence number of the connection; another one each time, so that packets
  /// left over from an earlier connection are not taken for this one's.
  std::uint32_t psn = 0;
};

/// Makes a connected pair with ends in the two domains, by the port's connector if it has one, on
/// the completion queues that release_queue_pairs() has left, if there are any. Returns 0, or the
/// errno with which the device refused; then nothing is left behind and what was live of `pair` is
/// unchanged.
int make_pair(const Port& port, ibv_pd* first, ibv_pd* second, Pair& pair);

/// Destroys the queue pairs and keeps their empty completion queues for the next ones: making them
/// takes a third of the time that making a pair takes.
void release_queue_pairs(Pair& pair);

/// Takes both ends through RESET to RTS again; their queues are empty then. Returns 0 or the errno
/// of the transition that was refused (ibv_modify_qp(3)); then the pair is of no use any more. A
/// connection of the CM is made once: EOPNOTSUPP.
int reconnect(const Port& port, Pair& pair);

/// The end's state by ibv_query_qp(3). `error` receives the call's return value; where that is not
/// 0 the state is unknown, as it is of a queue pair that was destroyed.
model::QpState query_state(const QpEnd& end, int& error);

/// The state that the harness goes by, noted in QpEnd::failed if it is not RTS: the queue pair's
/// own; of one that the CM connected, ERR once the CM has told that the connection ended. (Of those
/// a driver need not know better: siw tells no state.)
model::QpState state_of(QpEnd& end);

}  // namespace mrproof::impl
