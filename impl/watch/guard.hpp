// Memory of a request is read-only for the program from the posting until the completion is seen,
// if the program is watched so: who writes to it meanwhile is found by the fault. Whole pages only;
// once found, the page is as it was before, and the program goes on.
//
// Where it is not known whether a request is over, its memory is let go: then nothing is found.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>

#pragma GCC visibility push(hidden)
namespace mrproof::watch::guard {

/// Whether kGuardVariable is set: else nothing here does anything.
bool wanted();

/// While it is there, what this thread writes to is written by the provider, and is not told.
class Provider {
 public:
  Provider();
  ~Provider();
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;
};

/// A region about to be registered: the kernel has to be able to take its memory.
void before_region(const void* address, std::size_t length);
/// It is registered. Requests are guarded if their memory is in a region of which all can be read
/// and written.
void add_region(const ibv_mr* region, std::uint64_t iova, unsigned access);
/// It is about to go, and what it has lent.
void end_region(const ibv_mr* region);

/// Where requests are posted, and complete one after the other unless it is shared.
struct Queue {
  const ibv_context* context;
  const void* object;    ///< ibv_qp or ibv_srq
  std::uint32_t number;  ///< of the queue pair
  bool receives, shared;
};
Queue sends_of(const ibv_qp* qp);
Queue receives_of(const ibv_qp* qp);
Queue receives_of(const ibv_srq* queue);

/// A request that the provider is about to see; no elements if it needs no memory.
void begin(const Queue& queue, std::uint64_t id, const ibv_sge* elements, int count);
/// A completion, before the program sees it.
void completed(const ibv_context* context, std::uint32_t number, std::uint64_t id,
               ibv_wc_status status, bool of_receive);
/// Nothing is known of the requests of the ibv_qp or ibv_srq any more.
void end_queue(const void* object);
/// The memory is about to be unmapped.
void forget(std::uintptr_t address, std::size_t length);
/// Nothing is guarded any more.
void end_all();
/// The same of a child that has just been forked.
void end_all_in_child();

}  // namespace mrproof::watch::guard
#pragma GCC visibility pop
