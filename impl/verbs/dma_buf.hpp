// A dma-buf: memory that devices share by a file descriptor.
#pragma once

#include <cstdint>
#include <string>

#include "model/conditions/registration.hpp"

namespace mrproof::impl {

/// A dma-buf of which the last kSize bytes are used. It is that of another program, of a GPU's
/// memory perhaps, where the variable MRPROOF_DMABUF_FROM names a socket of it (unix(7), of
/// streams): who connects there receives one byte with the descriptor (SCM_RIGHTS). Else it is
/// ordinary memory, by the kernel's udmabuf driver, and made when it is first asked for, since many
/// kernels cannot make one and few runs want one.
class DmaBuf {
 public:
  static constexpr std::uint64_t kSize = model::kDmabufSize;
  static constexpr const char* kSource = "MRPROOF_DMABUF_FROM";

  /// Throws DeviceError if the socket that is named sends no descriptor, or what it sends has no
  /// size, or one that is less than kSize or is not one of whole pages.
  DmaBuf();
  ~DmaBuf();
  DmaBuf(const DmaBuf&) = delete;
  DmaBuf& operator=(const DmaBuf&) = delete;

  /// The descriptor, for ibv_reg_dmabuf_mr(3); -1 if none can be made (no driver, no permission).
  int descriptor();
  /// The offset in the dma-buf of what is at `offset` in the part that is used; of one that is
  /// beyond all memory itself.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t offset) const;

 private:
  std::uint64_t start_ = 0;  ///< of the part that is used
  bool tried_ = false;
  int descriptor_ = -1;
};

}  // namespace mrproof::impl
