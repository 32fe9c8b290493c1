// The functions of libibverbs that make and end memory regions.
#include <infiniband/verbs.h>

#include <cerrno>

#include "impl/watch/call.hpp"
#include "impl/watch/guard.hpp"

// The header puts inline functions in front of these.
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

using mrproof::watch::Call;
using mrproof::watch::Kind;
using mrproof::watch::Real;
using mrproof::watch::word;

namespace guard = mrproof::watch::guard;

namespace {

constexpr const char* kOldest = "IBVERBS_1.1";  // that anything still asks for

constinit Real<decltype(ibv_reg_mr)> reg_mr{"ibv_reg_mr", kOldest};
constinit Real<decltype(ibv_reg_mr_iova)> reg_mr_iova{"ibv_reg_mr_iova"};
constinit Real<decltype(ibv_reg_mr_iova2)> reg_mr_iova2{"ibv_reg_mr_iova2"};
constinit Real<decltype(ibv_reg_dmabuf_mr)> reg_dmabuf_mr{"ibv_reg_dmabuf_mr"};
constinit Real<decltype(ibv_rereg_mr)> rereg_mr{"ibv_rereg_mr", kOldest};
constinit Real<decltype(ibv_dereg_mr)> dereg_mr{"ibv_dereg_mr", kOldest};

void registered(const Call& call, const ibv_mr* region, const ibv_pd* pd, const void* address,
                std::size_t length, std::uint64_t iova, unsigned access) {
  const std::uint64_t keys =
      region ? region->lkey | static_cast<std::uint64_t>(region->rkey) << 32 : 0;
  call.made(Kind::reg_mr, region, {word(pd), word(address), length, iova, keys, access});
  guard::add_region(region, iova, access);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

ibv_mr* ibv_reg_mr(ibv_pd* pd, void* address, size_t length, int access) {
  const Call call(__builtin_return_address(0));
  auto* real = reg_mr.get();
  guard::before_region(address, length);
  ibv_mr* region = real ? real(pd, address, length, access) : nullptr;
  registered(call, region, pd, address, length, word(address), static_cast<unsigned>(access));
  return region;
}

ibv_mr* ibv_reg_mr_iova(ibv_pd* pd, void* address, size_t length, uint64_t iova, int access) {
  const Call call(__builtin_return_address(0));
  auto* real = reg_mr_iova.get();
  guard::before_region(address, length);
  ibv_mr* region = real ? real(pd, address, length, iova, access) : nullptr;
  registered(call, region, pd, address, length, iova, static_cast<unsigned>(access));
  return region;
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* address, size_t length, uint64_t iova,
                         unsigned int access) {
  const Call call(__builtin_return_address(0));
  auto* real = reg_mr_iova2.get();
  guard::before_region(address, length);
  ibv_mr* region = real ? real(pd, address, length, iova, access) : nullptr;
  registered(call, region, pd, address, length, iova, access);
  return region;
}

ibv_mr* ibv_reg_dmabuf_mr(ibv_pd* pd, uint64_t offset, size_t length, uint64_t iova, int fd,
                          int access) {
  const Call call(__builtin_return_address(0));
  auto* real = reg_dmabuf_mr.get();
  ibv_mr* region = real ? real(pd, offset, length, iova, fd, access) : nullptr;
  registered(call, region, pd, nullptr, length, iova, static_cast<unsigned>(access));
  return region;
}

int ibv_rereg_mr(ibv_mr* region, int flags, ibv_pd* pd, void* address, size_t length, int access) {
  const Call call(__builtin_return_address(0));
  auto* real = rereg_mr.get();
  if (!real) return IBV_REREG_MR_ERR_INPUT;
  guard::end_region(region);  // it is not guarded any more
  guard::before_region(address, length);
  const int result = real(region, flags, pd, address, length, access);
  const std::uint64_t keys = region->lkey | static_cast<std::uint64_t>(region->rkey) << 32;
  call.changed(Kind::rereg_mr, region, result,
               {static_cast<unsigned>(flags), word(pd), word(address), length, keys,
                static_cast<unsigned>(access)});
  return result;
}

int ibv_dereg_mr(ibv_mr* region) {
  const Call call(__builtin_return_address(0));
  auto* real = dereg_mr.get();
  guard::end_region(region);
  const int result = real ? real(region) : ENOSYS;
  call.done(Kind::dereg_mr, region, result);
  return result;
}

}  // extern "C"
#pragma GCC visibility pop
