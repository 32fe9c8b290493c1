// A dma-buf that another program gives; that of udmabuf is there on some kernels only.
#include "impl/verbs/dma_buf.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <thread>

#include "impl/device.hpp"

namespace mrproof::impl {
namespace {

/// Whoever connects receives a byte with the descriptor; without one if it is negative.
class Source {
 public:
  explicit Source(int descriptor) : descriptor_(descriptor) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(static_cast<char*>(address.sun_path), path_.size());
    unlink(path_.c_str());
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    setenv(DmaBuf::kSource, path_.c_str(), 1);
    server_ = std::thread([this] { serve(); });
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    server_.join();
    close(listener_);
    if (descriptor_ >= 0) close(descriptor_);
    unlink(path_.c_str());
    unsetenv(DmaBuf::kSource);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void serve() const {
    const int caller = accept(listener_, nullptr, nullptr);
    char byte = 1;
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (descriptor_ >= 0) {
      message.msg_control = room.data();
      message.msg_controllen = room.size();
      cmsghdr* with = CMSG_FIRSTHDR(&message);
      with->cmsg_level = SOL_SOCKET;
      with->cmsg_type = SCM_RIGHTS;
      with->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(with), &descriptor_, sizeof descriptor_);
    }
    EXPECT_EQ(sendmsg(caller, &message, 0), 1);
    close(caller);
  }

  std::string path_ = testing::TempDir() + "dma-buf-" + std::to_string(getpid());
  int listener_ = socket(AF_UNIX, SOCK_STREAM, 0);
  int descriptor_;
  std::thread server_;
};

/// A file in memory has a size, as a dma-buf has.
int memory_of(std::uint64_t size) {
  const int memory = memfd_create("memory", 0);
  EXPECT_EQ(ftruncate(memory, static_cast<off_t>(size)), 0);
  return memory;
}

std::string message_of(int descriptor) {
  const Source source(descriptor);
  try {
    const DmaBuf taken;
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("from " + source.path() + ": "), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(DmaBuf, IsWhatAnotherProgramSends) {
  const int memory = memory_of(1U << 20U);
  const Source source(memory);
  DmaBuf taken;
  struct stat theirs{};
  struct stat ours{};
  ASSERT_EQ(fstat(memory, &theirs), 0);
  ASSERT_EQ(fstat(taken.descriptor(), &ours), 0);
  EXPECT_EQ(ours.st_ino, theirs.st_ino);
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(taken.place_of(5), (1U << 20U) - DmaBuf::kSize + 5) << "its end is used";
  EXPECT_EQ(taken.place_of(kLast - 4096), kLast - 4096) << "what is beyond it stays so";
}

TEST(DmaBuf, SaysWhyItHasNone) {
  EXPECT_NE(message_of(-1).find("sends no descriptor"), std::string::npos);
  EXPECT_NE(message_of(memory_of(4096)).find("has 4096 bytes"), std::string::npos);
  EXPECT_NE(message_of(memory_of(8200)).find("whole pages"), std::string::npos);
  EXPECT_NE(message_of(dup(STDERR_FILENO)).find("dma-buf from"), std::string::npos);
  EXPECT_EQ(message_of(memory_of(DmaBuf::kSize)), "");
  setenv(DmaBuf::kSource, "/nowhere/at/all", 1);
  EXPECT_THROW(const DmaBuf none, DeviceError);
  setenv(DmaBuf::kSource, std::string(200, 'x').c_str(), 1);
  EXPECT_THROW(const DmaBuf none, DeviceError);
  unsetenv(DmaBuf::kSource);
}

}  // namespace
}  // namespace mrproof::impl
