// Calls of a process on memory regions and memory windows.
#include <dlfcn.h>

#include <cerrno>
#include <cstdint>

#include "impl/verbs/arguments.hpp"
#include "impl/verbs/context.hpp"
#include "impl/verbs/rereg.hpp"

namespace mrproof::impl {
namespace {

using model::Plain;
using model::Verb;
using Call = model::Call<Plain>;

int access_of(const Call& call) { return static_cast<int>(call.access.value()); }

/// ibv_reg_mr_ex(3); refused where the library has none: that which mrproof was built with, or the
/// older one that it runs with.
ibv_mr* register_extended(ibv_pd* pd, const Call& call) {
#ifdef MRPROOF_HAVE_REG_MR_EX
  ibv_mr_init_attr wanted{};
  wanted.length = call.length.value();
  wanted.access = access_of(call);
  wanted.comp_mask = IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_IOVA;
  wanted.addr = pointer(call.address);
  wanted.iova = call.iova.value();
  static void* const found = dlsym(RTLD_DEFAULT, "ibv_reg_mr_ex");
  if (found != nullptr) return reinterpret_cast<decltype(&ibv_reg_mr_ex)>(found)(pd, &wanted);
  errno = EOPNOTSUPP;
  return nullptr;
#else
  static_cast<void>(pd);
  static_cast<void>(call);
  errno = EOPNOTSUPP;
  return nullptr;
#endif
}

ibv_mr* register_dma_buf(ibv_pd* pd, const Call& call, DmaBuf& memory) {
  if (memory.descriptor() < 0) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  return ibv_reg_dmabuf_mr(pd, memory.place_of(call.address.value()), call.length.value(),
                           call.iova.value(), memory.descriptor(), access_of(call));
}

/// The macros of <infiniband/verbs.h> on purpose: they are what programs call. Their flags are not
/// constant here, so they go to ibv_reg_mr_iova2(), which drops optional flags for old kernels.
ibv_mr* make_region(ibv_pd* pd, const Call& call, DmaBuf& memory) {
  void* address = pointer(call.address);
  const std::uint64_t length = call.length.value();
  switch (call.verb) {
    case Verb::reg_mr: return ibv_reg_mr(pd, address, length, access_of(call));
    case Verb::reg_mr_iova:
      return ibv_reg_mr_iova(pd, address, length, call.iova.value(), access_of(call));
    case Verb::reg_mr_ex: return register_extended(pd, call);
    case Verb::reg_dmabuf_mr: return register_dma_buf(pd, call, memory);
    case Verb::alloc_null_mr: return ibv_alloc_null_mr(pd);
    default: errno = EOPNOTSUPP; return nullptr;  // reg_shared_mr: no part of rdma-core
  }
}

void show_keys(const ibv_mr* region, model::Result<Plain>& result) {
  result.lkey = Plain::key(region->lkey);
  result.rkey = Plain::key(region->rkey);
}

}  // namespace

ibv_mr*& Context::region(std::uint32_t mr) {
  ibv_mr*& found = regions_.at(mr);
  if (found == nullptr) report_misuse("mr", mr, "is not registered");
  return found;
}

ibv_mw*& Context::window(std::uint32_t mw) {
  ibv_mw*& found = windows_.at(mw);
  if (found == nullptr) report_misuse("mw", mw, "is not allocated");
  return found;
}

void Context::register_region(const Call& call, Result& result) {
  ibv_pd* pd = domain(call.pd);
  ibv_mr*& made = regions_.at(call.mr);
  if (made != nullptr) report_misuse("mr", call.mr, "is registered");
  errno = 0;
  made = make_region(pd, call, dma_buf_);
  if (made == nullptr) return refuse(result, errno);
  show_keys(made, result);
}

void Context::rereg_mr(const Call& call, Result& result) {
  ibv_mr* changed = region(call.mr);
  const auto flags = static_cast<std::uint32_t>(call.flags.value());
  ibv_pd* pd = (flags & model::kChangePd) != 0 ? domain(call.pd) : nullptr;
  const auto rereg = options_.rereg_by_uverbs ? rereg_by_uverbs : ibv_rereg_mr;
  errno = 0;
  const int code = rereg(changed, static_cast<int>(flags), pd, pointer(call.address),
                         call.length.value(), access_of(call));
  const int reason = errno;
  // Whatever the code says of its use, the region's structure stays the program's, to be freed by
  // ibv_dereg_mr(3). Two codes leave a region that is valid as it was asked for: its keys are seen.
  if (code == 0 || code == IBV_REREG_MR_ERR_DO_FORK_OLD) show_keys(changed, result);
  if (code == 0) return;
  refuse(result, code);
  result.reason = Plain::key(static_cast<std::uint32_t>(reason));
}

void Context::dereg_mr(const Call& call, Result& result) {
  ibv_mr*& ended = region(call.mr);
  const int error = ibv_dereg_mr(ended);
  if (error != 0) return refuse(result, error);
  ended = nullptr;
}

void Context::advise_mr(const Call& call, Result& result) {
  std::array<ibv_sge, 2> elements = elements_of(call);
  const int error =
      ibv_advise_mr(domain(call.pd), static_cast<ibv_advise_mr_advice>(call.option),
                    static_cast<std::uint32_t>(call.flags.value()), elements.data(), call.elements);
  if (error != 0) refuse(result, error);
}

void Context::alloc_mw(const Call& call, Result& result) {
  ibv_pd* pd = domain(call.pd);
  ibv_mw*& made = windows_.at(call.mw);
  if (made != nullptr) report_misuse("mw", call.mw, "is allocated");
  errno = 0;
  made = ibv_alloc_mw(pd, static_cast<ibv_mw_type>(call.option));
  if (made == nullptr) return refuse(result, errno);
  result.rkey = Plain::key(made->rkey);
}

void Context::dealloc_mw(const Call& call, Result& result) {
  ibv_mw*& ended = window(call.mw);
  const int error = ibv_dealloc_mw(ended);
  if (error != 0) return refuse(result, error);
  ended = nullptr;
}

}  // namespace mrproof::impl
