// The other way to say the same: ibv_wr_*() of extended queue pairs, ibv_start_poll() of extended
// completion queues. Their functions are in the objects themselves.
#pragma once

#include <infiniband/verbs.h>

#pragma GCC visibility push(hidden)
namespace mrproof::watch {

/// Has what is posted by ibv_wr_*() recorded from now on, as requests of ibv_post_send() are, when
/// they are handed over; false if too many queue pairs are watched.
bool patch(ibv_qp_ex* qp);
/// Has what ibv_start_poll() and ibv_next_poll() find recorded, as completions; false if too many
/// are watched, or if the queue cannot tell whose they are.
bool patch(ibv_cq_ex* queue);

/// Gives the object its own functions back, as it is about to be destroyed; false if it was not
/// patched.
bool unpatch(ibv_qp* qp);
bool unpatch(ibv_cq* queue);

}  // namespace mrproof::watch
#pragma GCC visibility pop
