// The functions of libibverbs, in whose place the program calls these; and munmap.
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "impl/watch/call.hpp"
#include "impl/watch/extended.hpp"
#include "impl/watch/guard.hpp"
#include "impl/watch/tables.hpp"

// The header puts inline functions in front of these.
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

using mrproof::watch::Call;
using mrproof::watch::Kind;
using mrproof::watch::Passed;
using mrproof::watch::Real;
using mrproof::watch::word;

namespace {

constexpr const char* kOldest = "IBVERBS_1.1";  // that anything still asks for

constinit Real<decltype(ibv_open_device)> open_device{"ibv_open_device", kOldest};
constinit Real<ibv_context*(int)> import_device{"ibv_import_device"};
constinit Real<decltype(ibv_close_device)> close_device{"ibv_close_device", kOldest};
constinit Real<decltype(ibv_alloc_pd)> alloc_pd{"ibv_alloc_pd", kOldest};
constinit Real<decltype(ibv_dealloc_pd)> dealloc_pd{"ibv_dealloc_pd", kOldest};
constinit Real<decltype(ibv_create_cq)> create_cq{"ibv_create_cq", kOldest};
constinit Real<decltype(ibv_destroy_cq)> destroy_cq{"ibv_destroy_cq", kOldest};
constinit Real<decltype(ibv_create_qp)> create_qp{"ibv_create_qp", kOldest};
constinit Real<decltype(ibv_modify_qp)> modify_qp{"ibv_modify_qp", kOldest};
constinit Real<decltype(ibv_destroy_qp)> destroy_qp{"ibv_destroy_qp", kOldest};
constinit Real<decltype(ibv_create_srq)> create_srq{"ibv_create_srq", kOldest};
constinit Real<decltype(ibv_destroy_srq)> destroy_srq{"ibv_destroy_srq", kOldest};
constinit Real<decltype(ibv_query_gid)> query_gid{"ibv_query_gid", kOldest};
constinit Real<decltype(ibv_create_ah)> create_ah{"ibv_create_ah", kOldest};
constinit Real<decltype(ibv_create_ah_from_wc)> create_ah_from_wc{"ibv_create_ah_from_wc", kOldest};
constinit Real<decltype(ibv_destroy_ah)> destroy_ah{"ibv_destroy_ah", kOldest};

/// Before a device is open nothing is registered, and what is unmapped does not matter.
std::atomic<bool> opened;
std::atomic<decltype(munmap)*> real_munmap;

/// As the program would have, so that others who watch munmap still do. Found early: when the
/// program calls munmap it may hold the loader's locks.
[[gnu::constructor]] void find_munmap() {
  real_munmap.store(reinterpret_cast<decltype(munmap)*>(dlsym(RTLD_NEXT, "munmap")));
}

/// The program has ended by itself.
[[gnu::destructor]] void end() {
  if (!opened.load()) return;
  mrproof::watch::guard::end_all();
  mrproof::watch::copy_maps();
  const Call call(nullptr);
  call.done(Kind::exit, nullptr, 0);
}

void watch_context(const Call& call, ibv_context* context) {
  bool patched = true;
  if (context && mrproof::watch::watching()) {
    opened.store(true);
    patched = mrproof::watch::patch(context);
    mrproof::watch::copy_maps();  // the provider is loaded now
  }
  std::array<std::uint64_t, 8> name{};
  if (context && context->device)
    strncpy(reinterpret_cast<char*>(name.data()), context->device->name, sizeof name);
  call.made(Kind::open_device, context,
            {name[0], name[1], name[2], name[3], name[4], name[5], name[6], name[7]});
  if (!patched) call.passed(Passed::other, context);
}

/// Both ends of a path. Numbers of queue pairs are the same on many machines, GIDs are not.
void gids_of(ibv_qp* qp, const ibv_ah_attr& path, std::array<std::uint64_t, 2>& peer,
             std::array<std::uint64_t, 2>& own) {
  ibv_gid gid{};
  auto* query = query_gid.get();
  const int kept = errno;
  if (path.is_global && query &&
      query(qp->context, path.port_num, path.grh.sgid_index, &gid) == 0) {
    memcpy(peer.data(), path.grh.dgid.raw, sizeof gid);
    memcpy(own.data(), gid.raw, sizeof gid);
  }
  errno = kept;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

ibv_context* ibv_open_device(ibv_device* device) {
  const Call call(__builtin_return_address(0));
  auto* real = open_device.get();
  ibv_context* context = real ? real(device) : nullptr;
  watch_context(call, context);
  return context;
}

ibv_context* ibv_import_device(int cmd_fd) {
  const Call call(__builtin_return_address(0));
  auto* real = import_device.get();
  ibv_context* context = real ? real(cmd_fd) : nullptr;
  watch_context(call, context);
  return context;
}

int ibv_close_device(ibv_context* context) {
  const Call call(__builtin_return_address(0));
  auto* real = close_device.get();
  if (!real) return ENOSYS;
  mrproof::watch::unpatch(context);
  const int result = real(context);
  if (result != 0 && mrproof::watch::watching()) mrproof::watch::patch(context);
  call.done(Kind::close_device, context, result);
  return result;
}

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  const Call call(__builtin_return_address(0));
  auto* real = alloc_pd.get();
  ibv_pd* pd = real ? real(context) : nullptr;
  call.made(Kind::alloc_pd, pd, {word(context)});
  return pd;
}

int ibv_dealloc_pd(ibv_pd* pd) {
  const Call call(__builtin_return_address(0));
  auto* real = dealloc_pd.get();
  const int result = real ? real(pd) : ENOSYS;
  call.done(Kind::dealloc_pd, pd, result);
  return result;
}

ibv_cq* ibv_create_cq(ibv_context* context, int entries, void* cq_context,
                      ibv_comp_channel* channel, int vector) {
  const Call call(__builtin_return_address(0));
  auto* real = create_cq.get();
  ibv_cq* queue = real ? real(context, entries, cq_context, channel, vector) : nullptr;
  call.made(Kind::create_cq, queue, {});
  return queue;
}

int ibv_destroy_cq(ibv_cq* queue) {
  const Call call(__builtin_return_address(0));
  auto* real = destroy_cq.get();
  const bool patched = mrproof::watch::unpatch(queue);
  const int result = real ? real(queue) : ENOSYS;
  if (patched && result != 0) mrproof::watch::patch(reinterpret_cast<ibv_cq_ex*>(queue));
  call.done(Kind::destroy_cq, queue, result);
  return result;
}

ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* attributes) {
  const Call call(__builtin_return_address(0));
  auto* real = create_qp.get();
  ibv_qp* qp = real ? real(pd, attributes) : nullptr;
  mrproof::watch::made_qp(call, qp, pd, *attributes);
  return qp;
}

int ibv_modify_qp(ibv_qp* qp, ibv_qp_attr* attributes, int mask) {
  const Call call(__builtin_return_address(0));
  auto* real = modify_qp.get();
  if ((mask & IBV_QP_STATE) != 0 &&
      (attributes->qp_state == IBV_QPS_RESET || attributes->qp_state == IBV_QPS_ERR))
    mrproof::watch::guard::end_queue(qp);
  const int result = real ? real(qp, attributes, mask) : ENOSYS;
  const auto given = [mask](int bit, std::uint64_t value) { return mask & bit ? value : 0; };
  std::array<std::uint64_t, 2> peer{}, own{};
  if (result == 0 && (mask & IBV_QP_AV) != 0) gids_of(qp, attributes->ah_attr, peer, own);
  call.done(Kind::modify_qp, qp, result,
            {static_cast<std::uint32_t>(mask),
             given(IBV_QP_STATE, attributes->qp_state) |
                 given(IBV_QP_ACCESS_FLAGS, attributes->qp_access_flags) << 32U,
             given(IBV_QP_DEST_QPN, attributes->dest_qp_num), peer[0], peer[1], own[0], own[1],
             mrproof::watch::now()});
  return result;
}

int ibv_destroy_qp(ibv_qp* qp) {
  const Call call(__builtin_return_address(0));
  auto* real = destroy_qp.get();
  mrproof::watch::guard::end_queue(qp);
  const bool patched = mrproof::watch::unpatch(qp);
  const int result = real ? real(qp) : ENOSYS;
  if (patched && result != 0) mrproof::watch::patch(reinterpret_cast<ibv_qp_ex*>(qp));
  call.done(Kind::destroy_qp, qp, result);
  return result;
}

ibv_srq* ibv_create_srq(ibv_pd* pd, ibv_srq_init_attr* attributes) {
  const Call call(__builtin_return_address(0));
  auto* real = create_srq.get();
  ibv_srq* queue = real ? real(pd, attributes) : nullptr;
  call.made(Kind::create_srq, queue, {word(pd)});
  return queue;
}

int ibv_destroy_srq(ibv_srq* queue) {
  const Call call(__builtin_return_address(0));
  auto* real = destroy_srq.get();
  mrproof::watch::guard::end_queue(queue);
  const int result = real ? real(queue) : ENOSYS;
  call.done(Kind::destroy_srq, queue, result);
  return result;
}

ibv_ah* ibv_create_ah(ibv_pd* pd, ibv_ah_attr* attributes) {
  const Call call(__builtin_return_address(0));
  auto* real = create_ah.get();
  ibv_ah* handle = real ? real(pd, attributes) : nullptr;
  call.made(Kind::create_ah, handle, {word(pd)});
  return handle;
}

ibv_ah* ibv_create_ah_from_wc(ibv_pd* pd, ibv_wc* completion, ibv_grh* header, uint8_t port) {
  const Call call(__builtin_return_address(0));
  auto* real = create_ah_from_wc.get();
  ibv_ah* handle = real ? real(pd, completion, header, port) : nullptr;
  call.made(Kind::create_ah, handle, {word(pd)});
  return handle;
}

int ibv_destroy_ah(ibv_ah* handle) {
  const Call call(__builtin_return_address(0));
  auto* real = destroy_ah.get();
  const int result = real ? real(handle) : ENOSYS;
  call.done(Kind::destroy_ah, handle, result);
  return result;
}

int munmap(void* address, size_t length) noexcept {
  const bool recorded = opened.load(std::memory_order_relaxed) && !mrproof::watch::within_call();
  const mrproof::watch::Moment begun(recorded);
  auto* real = real_munmap.load(std::memory_order_relaxed);
  if (recorded) mrproof::watch::guard::forget(word(address), length);
  const int result =
      real ? real(address, length) : static_cast<int>(syscall(SYS_munmap, address, length));
  if (recorded && result == 0)
    mrproof::watch::append({begun.time(), Kind::unmap, 0, 0, 0,
                            word(__builtin_return_address(0)), {word(address), length}});
  return result;
}

}  // extern "C"
#pragma GCC visibility pop
