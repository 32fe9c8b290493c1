// RC queue pairs, each with completion queues of its own, and how they are connected.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>

#include "impl/verbs/port.hpp"
#include "impl/verbs/process.hpp"
#include "model/call.hpp"

namespace mrproof::impl {

/// Destroys queues; a refusal leaves the object behind, there being nothing else to do.
struct DestroyQueue {
  void operator()(ibv_cq* cq) const { ibv_destroy_cq(cq); }
  void operator()(ibv_qp* qp) const { ibv_destroy_qp(qp); }
};

/// One end of a connection. Send and receive completions have a queue each, so that neither can be
/// taken for the other and one queue pair's never for another's.
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
  bool takes_inline = false;                 ///< kInlineBytes of a request
  /// The state last seen was not RTS. What is posted then is as good as flushed.
  bool failed = false;
};

/// Makes a queue pair in the end's domain, on completion queues that are made unless the end has
/// some left. Returns 0 or the errno of the refusal.
int make_end(const Port& port, QpEnd& end);

/// What a queue pair is connected to: the one of that number on that port, with packets that are
/// counted from `psn` on.
struct Peer {
  PortAddress port;
  std::uint32_t number = 0;
  std::uint32_t psn = 0;
};

/// Takes the end's queue pair one step on the way from RESET to RTS (ibv_modify_qp(3)), to be
/// connected to the peer; or back to RESET. Returns 0 or the errno of the refusal. A connection of
/// the CM is made once: EOPNOTSUPP.
int advance(const Port& port, QpEnd& end, Stage stage, const Peer& peer);

/// Makes a queue pair by the port's connector, which asks for a connection there, or accepts one
/// that somebody has asked for; joined_by_cm() waits until it is there. Each returns 0 or the errno
/// of what failed: then the end is of no use any more.
int ask_by_cm(const Port& port, QpEnd& end, const PortAddress& to);
int accept_by_cm(const Port& port, QpEnd& end);
int joined_by_cm(QpEnd& end);

/// Destroys the queue pair and keeps its empty completion queues for the next one: making them
/// takes a third of the time that making a pair takes.
void release_queue_pair(QpEnd& end);

/// The end's state by ibv_query_qp(3). `error` receives the call's return value; where that is not
/// 0 the state is unknown, as it is of a queue pair that was destroyed. `rights`, if given, gets
/// qp_access_flags.
model::QpState query_state(const QpEnd& end, int& error, std::uint32_t* rights = nullptr);

/// Changes what the queue pair accepts from its peer (qp_access_flags), in whatever state it is.
/// Returns 0 or the errno with which the device refused.
int set_rights(const QpEnd& end, std::uint32_t rights);

/// The state that the harness goes by, noted in QpEnd::failed if it is not RTS: the queue pair's
/// own; of one that the CM connected, ERR once the CM has told that the connection ended. (Of those
/// a driver need not know better: siw tells no state.)
model::QpState state_of(QpEnd& end);

}  // namespace mrproof::impl
