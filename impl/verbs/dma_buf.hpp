// A dma-buf: memory that devices share by a file descriptor.
#pragma once

#include <cstdint>

namespace mrproof::impl {

/// A dma-buf of zeros in ordinary memory, by the kernel's udmabuf driver. Made when it is first
/// asked for, since many kernels cannot make one and few runs want one.
class DmaBuf {
 public:
  static constexpr std::uint64_t kSize = 8192;

  DmaBuf() = default;
  ~DmaBuf();
  DmaBuf(const DmaBuf&) = delete;
  DmaBuf& operator=(const DmaBuf&) = delete;

  /// The descriptor, for ibv_reg_dmabuf_mr(3); -1 if none can be made (no driver, no permission).
  int descriptor();

 private:
  bool tried_ = false;
  int descriptor_ = -1;
};

}  // namespace mrproof::impl
