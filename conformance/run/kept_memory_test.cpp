#include "conformance/run/kept_memory.hpp"

#include <gmock/gmock.h>

namespace mrproof::conformance {
namespace {

using ::testing::ElementsAre;

TEST(KeptMemory, IsWhatHasGrownByAnObjectEachRound) {
  const impl::KernelCaches before{{"a", {100, 64}}, {"b", {5, 8}}, {"d", {7, 32}}};
  const impl::KernelCaches after{{"a", {130, 64}}, {"b", {14, 8}}, {"c", {10, 96}}, {"d", {2, 32}}};
  const auto kept = kept_each_round(before, after, 10);
  EXPECT_THAT(kept, ElementsAre(KeptMemory{"a", 3, 64}, KeptMemory{"c", 1, 96}));
  EXPECT_EQ(bytes_of(kept), 3 * 64U + 96U);
  EXPECT_EQ(print_kept(kept), "a: 3, c: 1");
}

TEST(KeptMemory, IsTheSameAgain) {
  const std::vector<KeptMemory> one{{"a", 7, 8}, {"b", 1, 64}, {"c", 2, 64}, {"d", 1, 8}};
  const std::vector<KeptMemory> other{{"a", 3, 8}, {"b", 1, 64}, {"c", 4, 64}};
  EXPECT_THAT(in_both(one, other), ElementsAre(KeptMemory{"b", 1, 64}, KeptMemory{"c", 2, 64}));
}

TEST(KeptMemory, IsNotWhatGrowsByItself) {
  EXPECT_THAT(less({{"a", 7, 8}, {"b", 1, 64}}, {{"a", 20, 8}}),
              ElementsAre(KeptMemory{"b", 1, 64}));
}

}  // namespace
}  // namespace mrproof::conformance
