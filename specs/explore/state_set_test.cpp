#include "specs/explore/state_set.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <string>

namespace mrproof::specs {
namespace {

PackedState numbered(std::uint64_t number) { return {mix(number, 1), number}; }

/// Adds states until the set is full; how many there are then.
std::uint64_t fill(StateSet& set, std::uint64_t from) {
  while (set.add(numbered(from), static_cast<unsigned>(from)) == StateSet::Added::is_new) ++from;
  return from;
}

/// A line of /proc/self/status, in bytes.
std::size_t status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    std::size_t kibibytes = 0;
    if (word == name + ":" && file >> kibibytes) return kibibytes << 10U;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(StateSet, KeepsStatesAndDepthsWhenItGrows) {
  StateSet set(1000);
  std::uint64_t states = 0;
  for (unsigned i = 0; i < 12; ++i) {
    states = fill(set, states);
    set.grow();
  }
  for (std::uint64_t i = 0; i < states; ++i)
    ASSERT_EQ(set.add(numbered(i), 0), StateSet::Added::was_there) << i;
  std::uint64_t seen = 0;
  for (unsigned depth = 0; depth < 4; ++depth)
    set.each_at(depth, [&](PackedState state) {
      EXPECT_EQ(state.high & 3U, depth);
      EXPECT_EQ(state, numbered(state.high));
      ++seen;
    });
  EXPECT_EQ(seen, states);
}

// Both tables at once would be two thirds more than that.
TEST(StateSet, TakesNoMoreThanItSaysWhileItGrows) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers have memory of their own beside each table";
#endif
  const std::size_t before = status("VmRSS");
  StateSet set(std::size_t{5} << 20U);
  fill(set, 0);
  const std::size_t full = status("VmRSS"), growth = set.growth_bytes();
  EXPECT_GE(full - before, set.bytes() * 9 / 10);
  set.grow();
  constexpr std::size_t kElse = std::size_t{4} << 20U;  // of the test itself
  EXPECT_LE(status("VmHWM") - before, growth + kElse);
  EXPECT_GE(status("VmRSS") - before, set.bytes() * 8 / 10);
}

}  // namespace
}  // namespace mrproof::specs
