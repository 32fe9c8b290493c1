// The calls that carry data, and what a context had in their places.
#pragma once

#include <infiniband/verbs.h>

#pragma GCC visibility push(hidden)
namespace mrproof::watch {

/// The provider's functions.
struct Originals {
  decltype(ibv_context_ops::post_send) post_send;
  decltype(ibv_context_ops::post_recv) post_recv;
  decltype(ibv_context_ops::poll_cq) poll_cq;
  decltype(ibv_context_ops::alloc_mw) alloc_mw;
  decltype(verbs_context::create_qp_ex) create_qp_ex;  ///< null where the context has none
  decltype(verbs_context::create_cq_ex) create_cq_ex;
};

/// Those of a context that has been patched.
const Originals* originals_of(const ibv_context* context);

/// What a context's table holds in their place.
int post_send(ibv_qp* qp, ibv_send_wr* list, ibv_send_wr** bad);
int post_recv(ibv_qp* qp, ibv_recv_wr* list, ibv_recv_wr** bad);
int poll_cq(ibv_cq* queue, int entries, ibv_wc* completions);

}  // namespace mrproof::watch
#pragma GCC visibility pop
