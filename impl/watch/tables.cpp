#include "impl/watch/tables.hpp"

#include <array>
#include <atomic>
#include <cstddef>

#include "impl/watch/call.hpp"
#include "impl/watch/posting.hpp"

#pragma GCC visibility push(hidden)
namespace mrproof::watch {
namespace {

/// An entry of the list of contexts: of none yet, of one that was closed or is just being put in,
/// or of the context.
struct Entry {
  std::atomic<std::uintptr_t> context;
  Originals originals;
};
constexpr std::uintptr_t kNone = 0;
constexpr std::uintptr_t kClosed = 1;
constexpr std::uintptr_t kTaken = 2;

/// By a hash of the context, and on from there. Read without a lock, and never moved.
std::array<Entry, 512> entries;

std::size_t place_of(const ibv_context* context) {
  return static_cast<std::size_t>(word(context) / 64 * 0x9E3779B97F4A7C15U >> 40);
}

Entry* find(const ibv_context* context) {
  const std::size_t place = place_of(context);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Entry& entry = entries[(place + i) % entries.size()];
    const std::uintptr_t found = entry.context.load(std::memory_order_acquire);
    if (found == word(context)) return &entry;
    if (found == kNone) break;
  }
  return nullptr;
}

Entry* take_entry(const ibv_context* context) {
  const std::size_t place = place_of(context);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Entry& entry = entries[(place + i) % entries.size()];
    std::uintptr_t found = entry.context.load(std::memory_order_relaxed);
    if ((found == kNone || found == kClosed) &&
        entry.context.compare_exchange_strong(found, kTaken, std::memory_order_acquire))
      return &entry;
  }
  return nullptr;
}

ibv_mw* alloc_mw(ibv_pd* pd, ibv_mw_type type) {
  const Call call(__builtin_return_address(0));
  ibv_mw* window = originals_of(pd->context)->alloc_mw(pd, type);
  call.passed(Passed::alloc_mw, window);
  return window;
}

ibv_cq_ex* create_cq_ex(ibv_context* context, ibv_cq_init_attr_ex* attributes) {
  const Call call(__builtin_return_address(0));
  ibv_cq_ex* queue = originals_of(context)->create_cq_ex(context, attributes);
  call.made(Kind::create_cq, queue, {});
  if (queue) call.passed(Passed::extended_cq, queue);
  return queue;
}

ibv_qp* create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* attributes) {
  const Call call(__builtin_return_address(0));
  ibv_qp* qp = originals_of(context)->create_qp_ex(context, attributes);
  const ibv_qp_init_attr_ex& made = *attributes;
  const bool has_pd = (made.comp_mask & IBV_QP_INIT_ATTR_PD) != 0;
  call.made(Kind::create_qp, qp,
            {has_pd ? word(made.pd) : 0, qp ? qp->qp_num : 0U,
             made.qp_type | (made.sq_sig_all ? 1U << 8 : 0U), word(made.send_cq),
             word(made.recv_cq), made.cap.max_inline_data, word(made.srq)});
  if (qp && (made.comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0)
    call.passed(Passed::extended_queue_pair, qp);
  return qp;
}

}  // namespace

const Originals* originals_of(const ibv_context* context) {
  const Entry* entry = find(context);
  // A context has these functions only while it has an entry.
  return entry ? &entry->originals : nullptr;
}

bool patch(ibv_context* context) {
  ibv_context_ops& ops = context->ops;
  if (ops.post_send == post_send) return true;
  // An entry that is there is of a context that ended unseen.
  Entry* entry = find(context);
  if (!entry) entry = take_entry(context);
  if (!entry) return false;
  Originals& originals = entry->originals;
  originals = {ops.post_send, ops.post_recv, ops.poll_cq, ops.alloc_mw, nullptr, nullptr};
  verbs_context* extended = verbs_get_ctx_op(context, create_qp_ex);
  if (extended) originals.create_qp_ex = extended->create_qp_ex;
  extended = verbs_get_ctx_op(context, create_cq_ex);
  if (extended) originals.create_cq_ex = extended->create_cq_ex;
  entry->context.store(word(context), std::memory_order_release);

  if (ops.post_send) ops.post_send = post_send;
  if (ops.post_recv) ops.post_recv = post_recv;
  if (ops.poll_cq) ops.poll_cq = poll_cq;
  if (ops.alloc_mw) ops.alloc_mw = alloc_mw;
  extended = verbs_get_ctx(context);
  if (originals.create_qp_ex) extended->create_qp_ex = create_qp_ex;
  if (originals.create_cq_ex) extended->create_cq_ex = create_cq_ex;
  return true;
}

void unpatch(ibv_context* context) {
  Entry* entry = find(context);
  if (!entry) return;
  ibv_context_ops& ops = context->ops;
  const Originals& originals = entry->originals;
  ops.post_send = originals.post_send;
  ops.post_recv = originals.post_recv;
  ops.poll_cq = originals.poll_cq;
  ops.alloc_mw = originals.alloc_mw;
  verbs_context* extended = verbs_get_ctx(context);
  if (originals.create_qp_ex) extended->create_qp_ex = originals.create_qp_ex;
  if (originals.create_cq_ex) extended->create_cq_ex = originals.create_cq_ex;
  entry->context.store(kClosed, std::memory_order_release);
}

}  // namespace mrproof::watch
#pragma GCC visibility pop
