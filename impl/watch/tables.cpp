#include "impl/watch/tables.hpp"

#include "impl/watch/call.hpp"
#include "impl/watch/extended.hpp"
#include "impl/watch/pointer_table.hpp"
#include "impl/watch/posting.hpp"

#pragma GCC visibility push(hidden)
namespace mrproof::watch {
namespace {

PointerTable<Originals, 512> contexts;

constinit Real<decltype(ibv_qp_to_qp_ex)> to_qp_ex{"ibv_qp_to_qp_ex"};

ibv_mw* alloc_mw(ibv_pd* pd, ibv_mw_type type) {
  const Call call(__builtin_return_address(0));
  ibv_mw* window = originals_of(pd->context)->alloc_mw(pd, type);
  call.made(Kind::alloc_mw, window, {word(pd), window ? window->rkey : 0U, type});
  return window;
}

int dealloc_mw(ibv_mw* window) {
  const Call call(__builtin_return_address(0));
  const int result = originals_of(window->context)->dealloc_mw(window);
  call.done(Kind::dealloc_mw, window, result);
  return result;
}

ibv_cq_ex* create_cq_ex(ibv_context* context, ibv_cq_init_attr_ex* attributes) {
  const Call call(__builtin_return_address(0));
  auto* real = originals_of(context)->create_cq_ex;
  constexpr auto kKnown = IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD;
  ibv_cq_ex* queue = nullptr;
  if ((attributes->comp_mask & ~static_cast<std::uint32_t>(kKnown)) == 0) {
    // Whose a completion is, has to be asked for.
    ibv_cq_init_attr_ex asked = *attributes;
    asked.wc_flags |= IBV_WC_EX_WITH_QP_NUM;
    queue = real(context, &asked);
  }
  if (!queue) queue = real(context, attributes);
  call.made(Kind::create_cq, queue, {});
  if (queue && watching() && !patch(queue)) call.passed(Passed::extended_cq, queue);
  return queue;
}

ibv_qp* create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* attributes) {
  const Call call(__builtin_return_address(0));
  ibv_qp* qp = originals_of(context)->create_qp_ex(context, attributes);
  const ibv_qp_init_attr_ex& made = *attributes;
  const bool has_pd = (made.comp_mask & IBV_QP_INIT_ATTR_PD) != 0;
  made_qp(call, qp, has_pd ? made.pd : nullptr, made);
  if (!qp || !watching() || (made.comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) == 0) return qp;
  const int kept = errno;
  auto* find_extended = to_qp_ex.get();
  errno = kept;
  ibv_qp_ex* extended = find_extended ? find_extended(qp) : nullptr;
  if (!extended || !patch(extended)) call.passed(Passed::extended_queue_pair, qp);
  return qp;
}

ibv_srq* create_srq_ex(ibv_context* context, ibv_srq_init_attr_ex* attributes) {
  const Call call(__builtin_return_address(0));
  ibv_srq* queue = originals_of(context)->create_srq_ex(context, attributes);
  const bool has_pd = (attributes->comp_mask & IBV_SRQ_INIT_ATTR_PD) != 0;
  call.made(Kind::create_srq, queue, {has_pd ? word(attributes->pd) : 0});
  return queue;
}

}  // namespace

const Originals* originals_of(const ibv_context* context) {
  return contexts.find(context);  // a context has these functions only while it is there
}

// The header asks whether the larger struct that the context is in is null: g++ 14 concludes that
// the context may lie a little behind address zero.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
bool patch(ibv_context* context) {
  ibv_context_ops& ops = context->ops;
  if (ops.post_send == post_send) return true;
  Originals* place = contexts.take(context);
  if (!place) return false;
  Originals& originals = *place;
  originals = {ops.post_send, ops.post_recv, ops.post_srq_recv, ops.poll_cq,
               ops.alloc_mw,  ops.dealloc_mw, ops.bind_mw,      nullptr,
               nullptr,       nullptr};
  verbs_context* extended = verbs_get_ctx_op(context, create_qp_ex);
  if (extended) originals.create_qp_ex = extended->create_qp_ex;
  extended = verbs_get_ctx_op(context, create_cq_ex);
  if (extended) originals.create_cq_ex = extended->create_cq_ex;
  extended = verbs_get_ctx_op(context, create_srq_ex);
  if (extended) originals.create_srq_ex = extended->create_srq_ex;
  contexts.publish(place, context);

  if (ops.post_send) ops.post_send = post_send;
  if (ops.post_recv) ops.post_recv = post_recv;
  if (ops.post_srq_recv) ops.post_srq_recv = post_srq_recv;
  if (ops.poll_cq) ops.poll_cq = poll_cq;
  if (ops.alloc_mw) ops.alloc_mw = alloc_mw;
  if (ops.dealloc_mw) ops.dealloc_mw = dealloc_mw;
  if (ops.bind_mw) ops.bind_mw = bind_mw;
  extended = verbs_get_ctx(context);
  if (originals.create_qp_ex) extended->create_qp_ex = create_qp_ex;
  if (originals.create_cq_ex) extended->create_cq_ex = create_cq_ex;
  if (originals.create_srq_ex) extended->create_srq_ex = create_srq_ex;
  return true;
}
#pragma GCC diagnostic pop

void unpatch(ibv_context* context) {
  Originals* place = contexts.find(context);
  if (!place) return;
  ibv_context_ops& ops = context->ops;
  const Originals& originals = *place;
  ops.post_send = originals.post_send;
  ops.post_recv = originals.post_recv;
  ops.post_srq_recv = originals.post_srq_recv;
  ops.poll_cq = originals.poll_cq;
  ops.alloc_mw = originals.alloc_mw;
  ops.dealloc_mw = originals.dealloc_mw;
  ops.bind_mw = originals.bind_mw;
  verbs_context* extended = verbs_get_ctx(context);
  if (originals.create_qp_ex) extended->create_qp_ex = originals.create_qp_ex;
  if (originals.create_cq_ex) extended->create_cq_ex = originals.create_cq_ex;
  if (originals.create_srq_ex) extended->create_srq_ex = originals.create_srq_ex;
  contexts.remove(place);
}

}  // namespace mrproof::watch
#pragma GCC visibility pop
