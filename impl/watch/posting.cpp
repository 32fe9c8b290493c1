#include "impl/watch/posting.hpp"

#include <cstdint>

#include "impl/watch/call.hpp"
#include "impl/watch/guard.hpp"

#pragma GCC visibility push(hidden)
namespace mrproof::watch {
namespace {

/// No queue is longer: a list that is has been made a ring by mistake.
constexpr std::uint64_t kMostRequests = 1 << 17;

/// The remote side of a request; the header keeps it in a union, by the opcode.
void remote_side(const ibv_send_wr& request, bool is_datagram, Record& record) {
  switch (request.opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
    case IBV_WR_RDMA_READ:
      record.words[2] = request.wr.rdma.remote_addr;
      record.words[3] = request.wr.rdma.rkey;
      break;
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
      record.words[2] = request.wr.atomic.remote_addr;
      record.words[3] = request.wr.atomic.rkey;
      record.words[4] = request.wr.atomic.compare_add;
      if (request.opcode == IBV_WR_ATOMIC_CMP_AND_SWP) record.words[5] = request.wr.atomic.swap;
      break;
    case IBV_WR_SEND_WITH_INV:
    case IBV_WR_LOCAL_INV: record.words[3] = request.invalidate_rkey; break;
    case IBV_WR_BIND_MW:
      set_bind(record, request.bind_mw.mw, request.bind_mw.rkey, request.bind_mw.bind_info);
      break;
    default:
      if (is_datagram) record.words[2] = word(request.wr.ud.ah);
  }
}

void describe(const ibv_send_wr& request, bool is_datagram, Record& record) {
  record.kind = Kind::post_send;
  record.words = {request.wr_id, static_cast<std::uint64_t>(request.send_flags) << 32 |
                                     static_cast<std::uint32_t>(request.opcode)};
  remote_side(request, is_datagram, record);
}

void describe(const ibv_recv_wr& request, bool, Record& record) {
  record.kind = Kind::post_recv;
  record.words = {request.wr_id};
}

/// Records the requests of the list, and tells how many there are.
template <typename Request>
std::uint64_t record_list(const void* queue, bool is_datagram, const Request* list,
                          const void* caller) {
  const Moment moment;
  const std::uint64_t time = moment.time();
  std::uint64_t count = 0;
  for (; list && count < kMostRequests; list = list->next, ++count) {
    const bool looked_at = list->sg_list && list->num_sge > 0 && list->num_sge <= kMostElements;
    Record record{time, Kind::none, 0, 0, word(queue), word(caller), {}};
    describe(*list, is_datagram, record);
    const int parts = looked_at && !is_bind(record) ? list->num_sge : 0;
    record.parts = static_cast<std::uint16_t>(parts);
    if (parts > 0) {
      const ibv_sge& first = list->sg_list[0];
      set_first_element(record, first.addr, first.length, first.lkey);
    }
    append(record);
    for (int i = 1; i < parts; ++i) {
      const ibv_sge& sge = list->sg_list[i];
      append({time, Kind::element, 0, 0, word(queue), word(caller),
              {sge.addr, sge.length, sge.lkey}});
    }
  }
  return count;
}

bool needs_memory(const ibv_send_wr& request) {
  return (request.send_flags & IBV_SEND_INLINE) == 0 && request.opcode != IBV_WR_BIND_MW &&
         request.opcode != IBV_WR_LOCAL_INV;
}
bool needs_memory(const ibv_recv_wr&) { return true; }

template <typename Request>
void guard_list(const guard::Queue& queue, const Request* list) {
  if (!guard::wanted()) return;
  for (std::uint64_t i = 0; list && i < kMostRequests; list = list->next, ++i)
    guard::begin(queue, list->wr_id, list->sg_list,
                 needs_memory(*list) && list->num_sge <= kMostElements ? list->num_sge : 0);
}

/// A place that no list has.
template <typename Request>
Request nowhere{};

/// Posts the list, having recorded it: a completion cannot come before its request.
template <typename Request, typename Queue, typename Post>
int post(Post original, Queue* queue, const guard::Queue& guarded, bool is_datagram, Request* list,
         Request** bad, const void* caller) {
  guard_list(guarded, list);
  const std::uint64_t count = record_list(queue, is_datagram, list, caller);
  // The program's own pointer is written only if the provider does: it may hold anything, and that
  // is not to be followed.
  Request* first_refused = &nowhere<Request>;
  const guard::Provider in_provider;
  const int result = original(queue, list, bad ? &first_refused : nullptr);
  const bool told = first_refused != &nowhere<Request>;
  if (told) *bad = first_refused;
  if (result == 0) return 0;
  guard::end_queue(queue);
  // From the refused one on: those before it may have completed, and their requests be gone.
  std::uint64_t lost = told && first_refused ? 0 : count;
  for (; told && first_refused && lost < count; first_refused = first_refused->next) ++lost;
  append_refused(queue, result, lost, sizeof(Request) == sizeof(ibv_recv_wr), caller);
  return result;
}

}  // namespace

void set_first_element(Record& request, std::uint64_t address, std::uint32_t length,
                       std::uint32_t lkey) {
  request.words[6] = address;
  request.words[7] = length | static_cast<std::uint64_t>(lkey) << 32;
}

bool is_bind(const Record& record) {
  return record.kind == Kind::post_send && (record.words[1] & 0xffffffffU) == IBV_WR_BIND_MW;
}

void set_bind(Record& request, const ibv_mw* window, std::uint32_t rkey,
              const ibv_mw_bind_info& info) {
  request.words[2] = word(window);
  request.words[3] = word(info.mr);
  request.words[4] = info.addr;
  request.words[5] = info.length;
  request.words[6] = info.mw_access_flags | static_cast<std::uint64_t>(rkey) << 32;
}

void append_refused(const void* queue, int result, std::uint64_t count, bool receives,
                    const void* caller) {
  const Moment moment;
  append({moment.time(),
          Kind::refused,
          0,
          result < 0 ? errno : result,
          word(queue),
          word(caller),
          {count, receives ? 1U : 0U}});
}

int post_send(ibv_qp* qp, ibv_send_wr* list, ibv_send_wr** bad) {
  return post(originals_of(qp->context)->post_send, qp, guard::sends_of(qp),
              qp->qp_type == IBV_QPT_UD, list, bad, __builtin_return_address(0));
}

int post_recv(ibv_qp* qp, ibv_recv_wr* list, ibv_recv_wr** bad) {
  return post(originals_of(qp->context)->post_recv, qp, guard::receives_of(qp), false, list, bad,
              __builtin_return_address(0));
}

int post_srq_recv(ibv_srq* queue, ibv_recv_wr* list, ibv_recv_wr** bad) {
  return post(originals_of(queue->context)->post_srq_recv, queue, guard::receives_of(queue), false,
              list, bad, __builtin_return_address(0));
}

int bind_mw(ibv_qp* qp, ibv_mw* window, ibv_mw_bind* bind) {
  const void* caller = __builtin_return_address(0);
  Record record{0, Kind::bind_mw, 0, 0, word(qp), word(caller),
                {bind->wr_id, static_cast<std::uint64_t>(bind->send_flags) << 32 |
                                  static_cast<std::uint32_t>(IBV_WR_BIND_MW)}};
  set_bind(record, window, 0, bind->bind_info);
  {
    const Moment moment;
    record.time = moment.time();
    append(record);
  }
  const int result = originals_of(qp->context)->bind_mw(qp, window, bind);
  if (result != 0) {
    append_refused(qp, result, 1, false, caller);
    return result;
  }
  const Moment moment;
  append({moment.time(), Kind::bound, 0, 0, word(window), word(caller), {window->rkey}});
  return 0;
}

int poll_cq(ibv_cq* queue, int entries, ibv_wc* completions) {
  const guard::Provider in_provider;
  const int count = originals_of(queue->context)->poll_cq(queue, entries, completions);
  if (count <= 0) return count;
  const Moment moment;
  const std::uint64_t caller = word(__builtin_return_address(0));
  for (int i = 0; i < count; ++i) {
    const ibv_wc& wc = completions[i];
    // Of a request that failed, the provider does not always tell what it was.
    const std::uint64_t opcode = wc.status == IBV_WC_SUCCESS ? wc.opcode : 0;
    guard::completed(queue->context, wc.qp_num, wc.wr_id, wc.status, (opcode & IBV_WC_RECV) != 0);
    append({moment.time(),
            Kind::completion,
            0,
            0,
            word(queue),
            caller,
            {wc.wr_id, wc.status | opcode << 32, wc.qp_num}});
  }
  return count;
}

}  // namespace mrproof::watch
#pragma GCC visibility pop
