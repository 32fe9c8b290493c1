#include "impl/watch/extended.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "impl/watch/call.hpp"
#include "impl/watch/guard.hpp"
#include "impl/watch/pointer_table.hpp"
#include "impl/watch/posting.hpp"

#pragma GCC visibility push(hidden)
namespace mrproof::watch {
namespace {

/// An extended queue pair: its own functions, and the requests since ibv_wr_start(). The provider
/// lets one thread at a time post to it.
struct Posting {
  ibv_qp_ex real;
  Record* records;  ///< requests, each with its further elements behind it
  std::size_t count, room, requests;
  Record* last;  ///< the request that elements are set of; null if it was not kept
};
PointerTable<Posting, 4096> postings;
PointerTable<ibv_cq_ex, 4096> queues;

Posting& posting_of(const ibv_qp_ex* qp) { return *postings.find(qp); }

/// A place for one more, or null without memory: then the request is not watched.
Record* add(Posting& p) {
  if (p.count == p.room) {
    const std::size_t room = p.room == 0 ? 16 : 2 * p.room;
    void* records = realloc(p.records, room * sizeof(Record));
    if (!records) return nullptr;
    const std::size_t last = p.last ? static_cast<std::size_t>(p.last - p.records) : 0;
    p.records = static_cast<Record*>(records);
    p.last = p.last ? p.records + last : nullptr;
    p.room = room;
  }
  return &p.records[p.count++];
}

/// Keeps the request until it is handed over.
Posting& request(const ibv_qp_ex* qp, ibv_wr_opcode opcode, const void* caller,
                 std::uint64_t remote = 0, std::uint32_t rkey = 0, std::uint64_t compare_add = 0,
                 std::uint64_t swap = 0) {
  Posting& p = posting_of(qp);
  p.last = nullptr;
  ++p.requests;
  if (Record* record = add(p)) {
    *record = {0, Kind::post_send, 0, 0, word(qp), word(caller),
               {qp->wr_id, static_cast<std::uint64_t>(qp->wr_flags) << 32 |
                               static_cast<std::uint32_t>(opcode),
                remote, rkey, compare_add, swap}};
    p.last = record;
  }
  return p;
}

void element(Posting& p, std::uint64_t address, std::uint64_t length, std::uint32_t lkey) {
  if (!p.last || p.last->parts == kMostElements) return;
  if (p.last->parts == 0) {
    set_first_element(*p.last, address, static_cast<std::uint32_t>(length), lkey);
  } else {
    Record* record = add(p);
    if (!record) return;
    *record = {0, Kind::element, 0, 0, p.last->object, p.last->caller, {address, length, lkey}};
  }
  ++p.last->parts;
}

void set_inline(Posting& p) {
  if (p.last) p.last->words[1] |= static_cast<std::uint64_t>(IBV_SEND_INLINE) << 32;
}

void wr_atomic_cmp_swp(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote,
                       std::uint64_t compare, std::uint64_t swap) {
  const void* caller = __builtin_return_address(0);
  request(qp, IBV_WR_ATOMIC_CMP_AND_SWP, caller, remote, rkey, compare, swap)
      .real.wr_atomic_cmp_swp(qp, rkey, remote, compare, swap);
}
void wr_atomic_fetch_add(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote,
                         std::uint64_t add) {
  const void* caller = __builtin_return_address(0);
  request(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, caller, remote, rkey, add)
      .real.wr_atomic_fetch_add(qp, rkey, remote, add);
}
void wr_bind_mw(ibv_qp_ex* qp, ibv_mw* window, std::uint32_t rkey, const ibv_mw_bind_info* info) {
  Posting& p = request(qp, IBV_WR_BIND_MW, __builtin_return_address(0));
  if (p.last) set_bind(*p.last, window, rkey, *info);
  p.real.wr_bind_mw(qp, window, rkey, info);
}
void wr_local_inv(ibv_qp_ex* qp, std::uint32_t rkey) {
  request(qp, IBV_WR_LOCAL_INV, __builtin_return_address(0), 0, rkey).real.wr_local_inv(qp, rkey);
}
void wr_rdma_read(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote) {
  request(qp, IBV_WR_RDMA_READ, __builtin_return_address(0), remote, rkey)
      .real.wr_rdma_read(qp, rkey, remote);
}
void wr_rdma_write(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote) {
  request(qp, IBV_WR_RDMA_WRITE, __builtin_return_address(0), remote, rkey)
      .real.wr_rdma_write(qp, rkey, remote);
}
void wr_rdma_write_imm(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote, __be32 data) {
  request(qp, IBV_WR_RDMA_WRITE_WITH_IMM, __builtin_return_address(0), remote, rkey)
      .real.wr_rdma_write_imm(qp, rkey, remote, data);
}
void wr_send(ibv_qp_ex* qp) {
  request(qp, IBV_WR_SEND, __builtin_return_address(0)).real.wr_send(qp);
}
void wr_send_imm(ibv_qp_ex* qp, __be32 data) {
  request(qp, IBV_WR_SEND_WITH_IMM, __builtin_return_address(0)).real.wr_send_imm(qp, data);
}
void wr_send_inv(ibv_qp_ex* qp, std::uint32_t rkey) {
  request(qp, IBV_WR_SEND_WITH_INV, __builtin_return_address(0), 0, rkey)
      .real.wr_send_inv(qp, rkey);
}
void wr_send_tso(ibv_qp_ex* qp, void* header, std::uint16_t size, std::uint16_t most) {
  request(qp, IBV_WR_TSO, __builtin_return_address(0)).real.wr_send_tso(qp, header, size, most);
}

void wr_set_ud_addr(ibv_qp_ex* qp, ibv_ah* handle, std::uint32_t number, std::uint32_t key) {
  Posting& p = posting_of(qp);
  if (p.last) p.last->words[2] = word(handle);
  p.real.wr_set_ud_addr(qp, handle, number, key);
}
void wr_set_inline_data(ibv_qp_ex* qp, void* data, std::size_t length) {
  Posting& p = posting_of(qp);
  set_inline(p);
  element(p, word(data), length, 0);
  p.real.wr_set_inline_data(qp, data, length);
}
void wr_set_inline_data_list(ibv_qp_ex* qp, std::size_t count, const ibv_data_buf* list) {
  Posting& p = posting_of(qp);
  set_inline(p);
  for (std::size_t i = 0; i < count && i <= kMostElements; ++i)
    element(p, word(list[i].addr), list[i].length, 0);
  p.real.wr_set_inline_data_list(qp, count, list);
}
void wr_set_sge(ibv_qp_ex* qp, std::uint32_t lkey, std::uint64_t address, std::uint32_t length) {
  Posting& p = posting_of(qp);
  element(p, address, length, lkey);
  p.real.wr_set_sge(qp, lkey, address, length);
}
void wr_set_sge_list(ibv_qp_ex* qp, std::size_t count, const ibv_sge* list) {
  Posting& p = posting_of(qp);
  for (std::size_t i = 0; i < count && i <= kMostElements; ++i)
    element(p, list[i].addr, list[i].length, list[i].lkey);
  p.real.wr_set_sge_list(qp, count, list);
}

void forget(Posting& p) {
  p.count = p.requests = 0;
  p.last = nullptr;
}
void wr_start(ibv_qp_ex* qp) {
  Posting& p = posting_of(qp);
  p.real.wr_start(qp);  // from here on no other thread posts
  forget(p);
}
void wr_abort(ibv_qp_ex* qp) {
  Posting& p = posting_of(qp);
  forget(p);
  p.real.wr_abort(qp);
}
ibv_sge element_of(const Record* request, int number) {
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  const auto& words = request[number].words;
  if (number != 0) return {words[0], low(words[1]), low(words[2])};
  return {words[6], low(words[7]), low(words[7] >> 32)};
}

/// Providers take the data of most requests when they are handed over, at the earliest.
void guard_requests(const ibv_qp_ex& qp, const Posting& p) {
  if (!guard::wanted()) return;
  for (std::size_t i = 0; i < p.count; i += std::max<std::size_t>(1, p.records[i].parts)) {
    std::array<ibv_sge, kMostElements> elements{};
    const Record& record = p.records[i];
    const bool inlined = (record.words[1] >> 32 & IBV_SEND_INLINE) != 0;
    const int count = inlined || is_bind(record) ? 0 : record.parts;
    for (int n = 0; n < count; ++n) elements[static_cast<std::size_t>(n)] = element_of(&record, n);
    guard::begin(guard::sends_of(&qp.qp_base), record.words[0], elements.data(), count);
  }
}
/// A completion cannot come before its request: they are recorded first.
int wr_complete(ibv_qp_ex* qp) {
  Posting& p = posting_of(qp);
  const std::uint64_t requests = p.requests;
  guard_requests(*qp, p);
  {
    const Moment moment;
    for (std::size_t i = 0; i < p.count; ++i) {
      p.records[i].time = moment.time();
      append(p.records[i]);
    }
  }
  forget(p);
  const guard::Provider in_provider;
  const int result = p.real.wr_complete(qp);
  if (result != 0) guard::end_queue(qp);
  if (result != 0) append_refused(qp, result, requests, false, __builtin_return_address(0));
  return result;
}

int found(ibv_cq_ex* queue, const ibv_cq_ex& real, int result, const void* caller) {
  if (result != 0) return result;
  const std::uint64_t opcode = queue->status == IBV_WC_SUCCESS ? real.read_opcode(queue) : 0;
  const std::uint32_t number = real.read_qp_num(queue);
  guard::completed(queue->context, number, queue->wr_id, queue->status,
                   (opcode & IBV_WC_RECV) != 0);
  const Moment moment;
  append({moment.time(), Kind::completion, 0, 0, word(queue), word(caller),
          {queue->wr_id, queue->status | opcode << 32, number}});
  return 0;
}
int start_poll(ibv_cq_ex* queue, ibv_poll_cq_attr* attributes) {
  const ibv_cq_ex& real = *queues.find(queue);
  const guard::Provider in_provider;
  return found(queue, real, real.start_poll(queue, attributes), __builtin_return_address(0));
}
int next_poll(ibv_cq_ex* queue) {
  const ibv_cq_ex& real = *queues.find(queue);
  const guard::Provider in_provider;
  return found(queue, real, real.next_poll(queue), __builtin_return_address(0));
}

/// Hands over each function of a queue pair that is replaced, and ours.
void each_function(auto&& take) {
  take(&ibv_qp_ex::wr_atomic_cmp_swp, &wr_atomic_cmp_swp);
  take(&ibv_qp_ex::wr_atomic_fetch_add, &wr_atomic_fetch_add);
  take(&ibv_qp_ex::wr_bind_mw, &wr_bind_mw);
  take(&ibv_qp_ex::wr_local_inv, &wr_local_inv);
  take(&ibv_qp_ex::wr_rdma_read, &wr_rdma_read);
  take(&ibv_qp_ex::wr_rdma_write, &wr_rdma_write);
  take(&ibv_qp_ex::wr_rdma_write_imm, &wr_rdma_write_imm);
  take(&ibv_qp_ex::wr_send, &wr_send);
  take(&ibv_qp_ex::wr_send_imm, &wr_send_imm);
  take(&ibv_qp_ex::wr_send_inv, &wr_send_inv);
  take(&ibv_qp_ex::wr_send_tso, &wr_send_tso);
  take(&ibv_qp_ex::wr_set_inline_data, &wr_set_inline_data);
  take(&ibv_qp_ex::wr_set_inline_data_list, &wr_set_inline_data_list);
  take(&ibv_qp_ex::wr_set_sge, &wr_set_sge);
  take(&ibv_qp_ex::wr_set_ud_addr, &wr_set_ud_addr);
  take(&ibv_qp_ex::wr_set_sge_list, &wr_set_sge_list);
  take(&ibv_qp_ex::wr_start, &wr_start);
  take(&ibv_qp_ex::wr_complete, &wr_complete);
  take(&ibv_qp_ex::wr_abort, &wr_abort);
}

}  // namespace

bool patch(ibv_qp_ex* qp) {
  Posting* p = postings.take(qp);
  if (!p) return false;
  p->real = *qp;
  forget(*p);
  postings.publish(p, qp);
  each_function([&](auto place, auto ours) {
    if (qp->*place) qp->*place = ours;
  });
  return true;
}

bool patch(ibv_cq_ex* queue) {
  if (!queue->start_poll || !queue->next_poll || !queue->read_opcode || !queue->read_qp_num)
    return false;
  ibv_cq_ex* real = queues.take(queue);
  if (!real) return false;
  *real = *queue;
  queues.publish(real, queue);
  queue->start_poll = start_poll;
  queue->next_poll = next_poll;
  return true;
}

bool unpatch(ibv_qp* qp) {
  Posting* p = postings.find(qp);
  if (!p) return false;
  auto* extended = reinterpret_cast<ibv_qp_ex*>(qp);  // whose first member it is
  each_function([&](auto place, auto) { extended->*place = p->real.*place; });
  free(p->records);
  p->records = nullptr;
  p->room = 0;
  postings.remove(p);
  return true;
}

bool unpatch(ibv_cq* queue) {
  ibv_cq_ex* real = queues.find(queue);
  if (!real) return false;
  auto* extended = reinterpret_cast<ibv_cq_ex*>(queue);  // which begins as it does
  if (extended->start_poll != start_poll) return false;  // another one, at the place of one that
                                                         // ended unseen
  extended->start_poll = real->start_poll;
  extended->next_poll = real->next_poll;
  queues.remove(real);
  return true;
}

}  // namespace mrproof::watch
#pragma GCC visibility pop
