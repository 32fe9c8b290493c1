// Re-registration below libibverbs, for drivers whose provider library does not pass it on.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>

namespace mrproof::impl {

/// What ibv_rereg_mr(3) does, but where the provider has no such operation the kernel's driver is
/// asked straight, by IB_USER_VERBS_CMD_REREG_MR of <rdma/ib_user_verbs.h> on the context's command
/// file. What libibverbs checks before it asks a provider, it has checked then; the kernel's
/// refusal is IBV_REREG_MR_ERR_CMD, as the library would have it, with the kernel's errno. Memory
/// that is newly translated is not kept from being copied on fork (ibv_fork_init(3)).
int rereg_by_uverbs(ibv_mr* region, int flags, ibv_pd* pd, void* address, std::size_t length,
                    int access);

}  // namespace mrproof::impl
