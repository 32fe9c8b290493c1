#include "impl/verbs/queue_pair.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace mrproof::impl {
namespace {

/// Work requests a queue holds. One is in use at a time, but what is posted on a failed queue pair
/// may stay there until it is connected again.
constexpr int kDepth = 16;
/// Scatter/gather elements of a work request, where the device takes as many.
constexpr int kMostElements = 2;
/// Between the packet sequence numbers of two connections, and how many there are (24 bits).
constexpr std::uint32_t kPsnStep = 1U << 16U;
constexpr std::uint32_t kPsnMask = (1U << 24U) - 1;
/// The largest number of outstanding RDMA reads and atomics asked for.
constexpr int kMostReads = 16;

int make_completion_queues(const Port& port, QpEnd& end) {
  ibv_context* context = port.context.get();
  errno = 0;
  for (auto* cq : {&end.send_cq, &end.receive_cq}) {
    if (!*cq) cq->reset(ibv_create_cq(context, kDepth, nullptr, nullptr, 0));
    if (!*cq) return errno;
  }
  return 0;
}

ibv_qp_init_attr wanted_of(const Port& port, const QpEnd& end) {
  ibv_qp_init_attr wanted{};
  wanted.send_cq = end.send_cq.get();
  wanted.recv_cq = end.receive_cq.get();
  wanted.cap.max_send_wr = kDepth;
  wanted.cap.max_recv_wr = kDepth;
  const auto elements =
      static_cast<std::uint32_t>(std::clamp(port.device.orig_attr.max_sge, 1, kMostElements));
  wanted.cap.max_send_sge = elements;
  wanted.cap.max_recv_sge = elements;
  wanted.qp_type = IBV_QPT_RC;
  return wanted;
}

int make_end(const Port& port, QpEnd& end) {
  if (const int error = make_completion_queues(port, end); error != 0) return error;
  ibv_qp_init_attr wanted = wanted_of(port, end);
  errno = 0;
  end.qp.reset(ibv_create_qp(end.pd, &wanted));
  return end.qp ? 0 : errno;
}

/// The same for the CM, which has the queue pair made when it knows the device.
int make_end(const Port& port, QpEnd& end, rdma_cm_id* id) {
  if (const int error = make_completion_queues(port, end); error != 0) return error;
  ibv_qp_init_attr wanted = wanted_of(port, end);
  if (rdma_create_qp(id, end.pd, &wanted) != 0) return errno;
  end.qp.reset(id->qp);
  return 0;
}

int to_reset(ibv_qp* qp) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RESET;
  return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

int to_init(const Port& port, ibv_qp* qp) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = Port::kNumber;
  attr.qp_access_flags = port.queue_pair_rights();
  constexpr int kMask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  const int error = ibv_modify_qp(qp, &attr, kMask);
  if (error == 0 || (attr.qp_access_flags & IBV_ACCESS_MW_BIND) == 0) return error;
  // ibv_modify_qp(3) does not say that windows are to be allowed here; not every driver takes it.
  attr.qp_access_flags &= ~static_cast<unsigned>(IBV_ACCESS_MW_BIND);
  return ibv_modify_qp(qp, &attr, kMask);
}

std::uint8_t reads(int limit) {
  return static_cast<std::uint8_t>(std::clamp(limit, 1, kMostReads));
}

int to_rtr(const Port& port, ibv_qp* qp, std::uint32_t peer, std::uint32_t psn) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = port.port.active_mtu;
  attr.dest_qp_num = peer;
  attr.rq_psn = psn;
  attr.max_dest_rd_atomic = reads(port.device.orig_attr.max_qp_rd_atom);
  attr.min_rnr_timer = port.transport.min_rnr_timer;
  attr.ah_attr.port_num = Port::kNumber;
  attr.ah_attr.dlid = port.port.lid;
  if (port.port.link_layer == IBV_LINK_LAYER_ETHERNET) {
    attr.ah_attr.is_global = 1;
    attr.ah_attr.grh.dgid = port.gid.gid;
    attr.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(port.gid.gid_index);
    attr.ah_attr.grh.hop_limit = 64;
  }
  return ibv_modify_qp(qp, &attr,
                       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                           IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

int to_rts(const Port& port, ibv_qp* qp, std::uint32_t psn) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTS;
  attr.sq_psn = psn;
  attr.timeout = port.transport.timeout;
  attr.retry_cnt = port.transport.retry_count;
  attr.rnr_retry = port.transport.rnr_retry;
  attr.max_rd_atomic = reads(port.device.orig_attr.max_qp_init_rd_atom);
  return ibv_modify_qp(qp, &attr,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                           IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

/// From RESET to RTS, both ends in step: neither sends before the other can receive.
int bring_up(const Port& port, Pair& pair) {
  ibv_qp* first = pair.ends[0].qp.get();
  ibv_qp* second = pair.ends[1].qp.get();
  pair.psn = (pair.psn + kPsnStep) & kPsnMask;
  int error = to_init(port, first);
  if (error == 0) error = to_init(port, second);
  if (error == 0) error = to_rtr(port, first, second->qp_num, pair.psn);
  if (error == 0) error = to_rtr(port, second, first->qp_num, pair.psn);
  if (error == 0) error = to_rts(port, first, pair.psn);
  if (error == 0) error = to_rts(port, second, pair.psn);
  return error;
}

int connect_by_cm(const Port& port, Pair& pair) {
  QpEnd& first = pair.ends[0];
  QpEnd& second = pair.ends[1];
  const auto& limits = port.device.orig_attr;
  return port.connector->connect(
      first.connection, [&](rdma_cm_id* id) { return make_end(port, first, id); },
      second.connection, [&](rdma_cm_id* id) { return make_end(port, second, id); },
      reads(std::min(limits.max_qp_rd_atom, limits.max_qp_init_rd_atom)));
}

int connect_directly(const Port& port, Pair& pair) {
  int error = make_end(port, pair.ends[0]);
  if (error == 0) error = make_end(port, pair.ends[1]);
  return error == 0 ? bring_up(port, pair) : error;
}

void discard_completions(ibv_cq* cq) {
  ibv_wc completion{};
  while (ibv_poll_cq(cq, 1, &completion) > 0) continue;
}

}  // namespace

QpEnd& QpEnd::operator=(QpEnd&& other) noexcept {
  qp = std::move(other.qp);
  connection = std::move(other.connection);
  send_cq = std::move(other.send_cq);
  receive_cq = std::move(other.receive_cq);
  pd = other.pd;
  receive_id = other.receive_id;
  failed = other.failed;
  return *this;
}

int make_pair(const Port& port, ibv_pd* first, ibv_pd* second, Pair& pair) {
  Pair made;
  for (std::size_t i = 0; i < 2; ++i) {
    if (pair.ends.at(i).qp) continue;
    made.ends.at(i).send_cq = std::move(pair.ends.at(i).send_cq);
    made.ends.at(i).receive_cq = std::move(pair.ends.at(i).receive_cq);
  }
  made.ends[0].pd = first;
  made.ends[1].pd = second;
  const int error = port.connector ? connect_by_cm(port, made) : connect_directly(port, made);
  if (error == 0) pair = std::move(made);
  return error;
}

void release_queue_pairs(Pair& pair) {
  for (QpEnd& end : pair.ends) {
    end.qp.reset();
    end.connection = ConnectionEnd{};
    if (end.send_cq) discard_completions(end.send_cq.get());
    if (end.receive_cq) discard_completions(end.receive_cq.get());
    end.receive_id = 0;
    end.failed = false;
  }
}

int reconnect(const Port& port, Pair& pair) {
  if (port.connector) return EOPNOTSUPP;
  int error = 0;
  // Both ends first, so that nothing of the old connection reaches the new one.
  for (QpEnd& end : pair.ends)
    if (error == 0) error = to_reset(end.qp.get());
  for (QpEnd& end : pair.ends) {
    discard_completions(end.send_cq.get());
    discard_completions(end.receive_cq.get());
    end.receive_id = 0;
    end.failed = false;
  }
  return error == 0 ? bring_up(port, pair) : error;
}

model::QpState query_state(const QpEnd& end, int& error) {
  ibv_qp_attr attr{};
  ibv_qp_init_attr ignored{};
  error = 0;
  if (!end.qp) return model::QpState::unknown;
  error = ibv_query_qp(end.qp.get(), &attr, IBV_QP_STATE, &ignored);
  if (error != 0) return model::QpState::unknown;
  if (attr.qp_state == IBV_QPS_RTS) return model::QpState::rts;
  return attr.qp_state == IBV_QPS_ERR ? model::QpState::err : model::QpState::other;
}

model::QpState state_of(QpEnd& end) {
  int error = 0;
  const bool by_cm = end.qp && end.connection.id() != nullptr;
  const auto told_by_cm = [&] {
    return end.connection.ended() ? model::QpState::err : model::QpState::rts;
  };
  const model::QpState state = by_cm ? told_by_cm() : query_state(end, error);
  end.failed |= state == model::QpState::err || state == model::QpState::other;
  return state;
}

}  // namespace mrproof::impl
