#include "impl/verbs/dma_buf.hpp"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mrproof::impl {
namespace {

/// Memory behind a file that cannot shrink, as udmabuf wants it; -1 if there is none.
int make_memory() {
  const int memory = memfd_create("mrproof", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -1;
  if (ftruncate(memory, static_cast<off_t>(DmaBuf::kSize)) == 0 &&
      fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
    return memory;
  close(memory);
  return -1;
}

int make_dma_buf() {
  const int driver = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
  if (driver < 0) return -1;
  int made = -1;
  if (const int memory = make_memory(); memory >= 0) {
    udmabuf_create wanted{};
    wanted.memfd = static_cast<__u32>(memory);
    wanted.flags = UDMABUF_FLAGS_CLOEXEC;
    wanted.size = DmaBuf::kSize;
    made = ioctl(driver, UDMABUF_CREATE, &wanted);
    close(memory);  // the dma-buf holds its pages
  }
  close(driver);
  return made;
}

}  // namespace

DmaBuf::~DmaBuf() {
  if (descriptor_ >= 0) close(descriptor_);
}

int DmaBuf::descriptor() {
  if (!tried_) descriptor_ = make_dma_buf();
  tried_ = true;
  return descriptor_;
}

}  // namespace mrproof::impl
