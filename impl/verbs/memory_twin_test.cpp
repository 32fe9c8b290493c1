// Two files that tell each other what has changed.
#include "impl/verbs/memory_twin.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <random>
#include <stdexcept>
#include <string>

namespace mrproof::impl {
namespace {

constexpr std::size_t kSize = 3000;

struct File {
  File() { EXPECT_EQ(ftruncate(descriptor, kSize), 0); }
  ~File() { close(descriptor); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  void write(std::size_t at, const std::string& bytes) const {
    EXPECT_EQ(pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at)),
              static_cast<ssize_t>(bytes.size()));
  }
  [[nodiscard]] std::string read() const {
    std::string bytes(kSize, ' ');
    EXPECT_EQ(pread(descriptor, bytes.data(), kSize, 0), static_cast<ssize_t>(kSize));
    return bytes;
  }
  int descriptor = memfd_create("twin", 0);
};

TEST(MemoryTwin, TellsWhatHasChangedOnce) {
  const File here, there;
  MemoryTwin one(here.descriptor, kSize), two(there.descriptor, kSize);
  EXPECT_EQ(one.changes(), "");
  here.write(0, "a");
  here.write(kSize - 1, "z");
  const std::string changes = one.changes();
  EXPECT_EQ(changes.size(), 2 * (8 + 1));
  EXPECT_EQ(one.changes(), "");
  two.take(changes);
  EXPECT_EQ(there.read(), here.read());
  EXPECT_EQ(two.changes(), "") << "what came from there is not told back";
}

TEST(MemoryTwin, KeepsTheSameWhateverEitherWrites) {
  const File here, there;
  MemoryTwin one(here.descriptor, kSize), two(there.descriptor, kSize);
  std::minstd_rand random(1);
  for (int round = 0; round < 200; ++round) {
    const File& writer = random() % 2 == 0 ? here : there;
    for (auto i = random() % 5; i > 0; --i) {
      const std::string bytes(1 + random() % 100, static_cast<char>(random()));
      writer.write(random() % (kSize - bytes.size() + 1), bytes);
    }
    two.take(one.changes());
    one.take(two.changes());
    ASSERT_EQ(there.read(), here.read()) << round;
  }
}

TEST(MemoryTwin, TakesNothingThatDoesNotFit) {
  const File here, there;
  MemoryTwin one(here.descriptor, kSize), two(there.descriptor, kSize / 2);
  here.write(0, "a");
  here.write(kSize - 1, "z");
  const std::string changes = one.changes(), before = there.read();
  EXPECT_THROW(two.take(changes), std::logic_error);
  EXPECT_THROW(two.take(changes.substr(0, changes.size() - 1)), std::logic_error);
  EXPECT_THROW(two.take("x"), std::logic_error);
  EXPECT_EQ(there.read(), before);
}

}  // namespace
}  // namespace mrproof::impl
