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
  wanted.cap.max_inline_data = model::kInlineBytes;
  wanted.qp_type = IBV_QPT_RC;
  return wanted;
}

/// Makes a queue pair that takes bytes along, or one that does not where the device has none such.
/// `make` returns 0 or an errno.
template <class Make>
int make_either(const Port& port, QpEnd& end, Make make) {
  ibv_qp_init_attr wanted = wanted_of(port, end);
  int error = make(wanted);
  if (error == EINVAL || error == ENOMEM || error == EOPNOTSUPP) {
    wanted = wanted_of(port, end);
    wanted.cap.max_inline_data = 0;
    error = make(wanted);
  }
  end.takes_inline = wanted.cap.max_inline_data >= model::kInlineBytes;
  return error;
}

/// What make_end() does, for the CM, which has the queue pair made when it knows the device.
int make_end(const Port& port, QpEnd& end, rdma_cm_id* id) {
  if (const int error = make_completion_queues(port, end); error != 0) return error;
  return make_either(port, end, [&](ibv_qp_init_attr& wanted) {
    if (rdma_create_qp(id, end.pd, &wanted) != 0) return errno;
    end.qp.reset(id->qp);
    return 0;
  });
}

int to_reset(ibv_qp* qp) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RESET;
  return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

int to_init(const Port& port, ibv_qp* qp) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = port.transport.port;
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

int to_rtr(const Port& port, ibv_qp* qp, const Peer& peer) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = std::min(port.port.active_mtu, static_cast<ibv_mtu>(peer.port.mtu));
  attr.dest_qp_num = peer.number;
  attr.rq_psn = peer.psn;
  attr.max_dest_rd_atomic = reads(port.device.orig_attr.max_qp_rd_atom);
  attr.min_rnr_timer = port.transport.min_rnr_timer;
  attr.ah_attr.port_num = port.transport.port;
  attr.ah_attr.dlid = peer.port.lid;
  if (port.gid.port_num != 0) {
    attr.ah_attr.is_global = 1;
    std::copy(peer.port.gid.begin(), peer.port.gid.end(), attr.ah_attr.grh.dgid.raw);
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

std::uint8_t reads_by_cm(const Port& port) {
  const auto& limits = port.device.orig_attr;
  return reads(std::min(limits.max_qp_rd_atom, limits.max_qp_init_rd_atom));
}

void discard_completions(ibv_cq* cq) {
  ibv_wc completion{};
  while (ibv_poll_cq(cq, 1, &completion) > 0) continue;
}

/// What the queues held is gone.
void empty(QpEnd& end) {
  if (end.send_cq) discard_completions(end.send_cq.get());
  if (end.receive_cq) discard_completions(end.receive_cq.get());
  end.receive_id = 0;
  end.failed = false;
}

}  // namespace

QpEnd& QpEnd::operator=(QpEnd&& other) noexcept {
  qp = std::move(other.qp);
  connection = std::move(other.connection);
  send_cq = std::move(other.send_cq);
  receive_cq = std::move(other.receive_cq);
  pd = other.pd;
  receive_id = other.receive_id;
  takes_inline = other.takes_inline;
  failed = other.failed;
  return *this;
}

int make_end(const Port& port, QpEnd& end) {
  if (const int error = make_completion_queues(port, end); error != 0) return error;
  return make_either(port, end, [&](ibv_qp_init_attr& wanted) {
    errno = 0;
    end.qp.reset(ibv_create_qp(end.pd, &wanted));
    return end.qp ? 0 : errno;
  });
}

int advance(const Port& port, QpEnd& end, Stage stage, const Peer& peer) {
  if (port.connector) return EOPNOTSUPP;
  switch (stage) {
    case Stage::reset: break;
    case Stage::init: return to_init(port, end.qp.get());
    case Stage::rtr: return to_rtr(port, end.qp.get(), peer);
    case Stage::rts: return to_rts(port, end.qp.get(), peer.psn);
  }
  const int error = to_reset(end.qp.get());
  empty(end);
  return error;
}

int ask_by_cm(const Port& port, QpEnd& end, const PortAddress& to) {
  return port.connector->ask(
      end.connection, [&](rdma_cm_id* id) { return make_end(port, end, id); }, to,
      reads_by_cm(port));
}

int accept_by_cm(const Port& port, QpEnd& end) {
  return port.connector->accept(
      end.connection, [&](rdma_cm_id* id) { return make_end(port, end, id); }, reads_by_cm(port));
}

int joined_by_cm(QpEnd& end) { return end.connection.await(RDMA_CM_EVENT_ESTABLISHED); }

void release_queue_pair(QpEnd& end) {
  end.qp.reset();
  end.connection = ConnectionEnd{};
  empty(end);
}

model::QpState query_state(const QpEnd& end, int& error, std::uint32_t* rights) {
  ibv_qp_attr attr{};
  ibv_qp_init_attr ignored{};
  error = 0;
  if (!end.qp) return model::QpState::unknown;
  const int asked = rights == nullptr ? 0 : IBV_QP_ACCESS_FLAGS;
  error = ibv_query_qp(end.qp.get(), &attr, IBV_QP_STATE | asked, &ignored);
  if (error != 0) return model::QpState::unknown;
  if (rights != nullptr) *rights = attr.qp_access_flags;
  if (attr.qp_state == IBV_QPS_RTS) return model::QpState::rts;
  return attr.qp_state == IBV_QPS_ERR ? model::QpState::err : model::QpState::other;
}

int set_rights(const QpEnd& end, std::uint32_t rights) {
  ibv_qp_attr attr{};
  attr.qp_access_flags = rights;
  return ibv_modify_qp(end.qp.get(), &attr, IBV_QP_ACCESS_FLAGS);
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
