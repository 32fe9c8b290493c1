#include "impl/verbs/rereg.hpp"

#include <rdma/ib_user_verbs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mrproof::impl {
namespace {

constexpr std::size_t kWord = 4;  // bytes, as the head counts

}  // namespace

int rereg_by_uverbs(ibv_mr* region, int flags, ibv_pd* pd, void* address, std::size_t length,
                    int access) {
  errno = 0;
  const int code = ibv_rereg_mr(region, flags, pd, address, length, access);
  if (code != IBV_REREG_MR_ERR_CMD || errno != EOPNOTSUPP) return code;

  ib_uverbs_rereg_mr_resp answer{};
  ib_uverbs_rereg_mr arguments{};
  arguments.response = reinterpret_cast<std::uintptr_t>(&answer);
  arguments.mr_handle = region->handle;
  arguments.flags = static_cast<std::uint32_t>(flags);
  arguments.start = arguments.hca_va = reinterpret_cast<std::uintptr_t>(address);
  arguments.length = length;
  arguments.pd_handle = pd != nullptr ? pd->handle : 0;
  arguments.access_flags = static_cast<std::uint32_t>(access);
  // The command as the file takes it: a head that counts words, then the arguments.
  std::array<std::byte, sizeof(ib_uverbs_cmd_hdr) + sizeof arguments> request{};
  const ib_uverbs_cmd_hdr head{IB_USER_VERBS_CMD_REREG_MR, request.size() / kWord,
                               sizeof answer / kWord};
  std::memcpy(request.data(), &head, sizeof head);
  std::memcpy(request.data() + sizeof head, &arguments, sizeof arguments);
  errno = 0;
  if (write(region->context->cmd_fd, request.data(), request.size()) !=
      static_cast<ssize_t>(request.size()))
    return IBV_REREG_MR_ERR_CMD;

  region->lkey = answer.lkey;
  region->rkey = answer.rkey;
  if ((flags & IBV_REREG_MR_CHANGE_PD) != 0) region->pd = pd;
  if ((flags & IBV_REREG_MR_CHANGE_TRANSLATION) != 0) {
    region->addr = address;
    region->length = length;
  }
  return 0;
}

}  // namespace mrproof::impl
