// The calls that the header of libibverbs makes through the tables of a context.
#pragma once

#include <infiniband/verbs.h>

#pragma GCC visibility push(hidden)
namespace mrproof::watch {

/// Has the calls through the context's tables recorded from now on; false if too many contexts are
/// open.
bool patch(ibv_context* context);
/// Gives the context its own tables back.
void unpatch(ibv_context* context);

}  // namespace mrproof::watch
#pragma GCC visibility pop
