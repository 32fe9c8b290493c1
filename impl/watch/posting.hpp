// The calls that carry data, and what a context had in their places.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>

#include "impl/watch/record.hpp"

#pragma GCC visibility push(hidden)
namespace mrproof::watch {

/// The provider's functions.
struct Originals {
  decltype(ibv_context_ops::post_send) post_send;
  decltype(ibv_context_ops::post_recv) post_recv;
  decltype(ibv_context_ops::post_srq_recv) post_srq_recv;
  decltype(ibv_context_ops::poll_cq) poll_cq;
  decltype(ibv_context_ops::alloc_mw) alloc_mw;
  decltype(ibv_context_ops::dealloc_mw) dealloc_mw;
  decltype(ibv_context_ops::bind_mw) bind_mw;
  decltype(verbs_context::create_qp_ex) create_qp_ex;  ///< null where the context has none
  decltype(verbs_context::create_cq_ex) create_cq_ex;
  decltype(verbs_context::create_srq_ex) create_srq_ex;
};

/// Those of a context that has been patched.
const Originals* originals_of(const ibv_context* context);

/// A provider refuses requests with more elements, mostly without looking at them: so do we not.
inline constexpr int kMostElements = 256;

/// Puts the first element into the record of its request.
void set_first_element(Record& request, std::uint64_t address, std::uint32_t length,
                       std::uint32_t lkey);
/// Its words have no room for an element, and it needs none.
bool is_bind(const Record& record);
/// Puts what a bind asks for into the record of its request.
void set_bind(Record& request, const ibv_mw* window, std::uint32_t rkey,
              const ibv_mw_bind_info& info);
/// Adds that the provider refused so many requests, the last ones that this thread posted to the
/// queue. `result`: an errno, or less than 0 if that is in errno.
void append_refused(const void* queue, int result, std::uint64_t count, bool receives,
                    const void* caller);

/// What a context's table holds in their place.
int post_send(ibv_qp* qp, ibv_send_wr* list, ibv_send_wr** bad);
int post_recv(ibv_qp* qp, ibv_recv_wr* list, ibv_recv_wr** bad);
int post_srq_recv(ibv_srq* queue, ibv_recv_wr* list, ibv_recv_wr** bad);
int bind_mw(ibv_qp* qp, ibv_mw* window, ibv_mw_bind* bind);
int poll_cq(ibv_cq* queue, int entries, ibv_wc* completions);

}  // namespace mrproof::watch
#pragma GCC visibility pop
