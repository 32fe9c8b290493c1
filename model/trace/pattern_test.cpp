#include "model/trace/pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mrproof::model {
namespace {

using ::testing::ElementsAre;

TEST(Pattern, MatchesTheWholeText) {
  EXPECT_TRUE(matches("mr12", "mr[0-9]+"));
  EXPECT_FALSE(matches("mr12x", "mr[0-9]+"));
  EXPECT_TRUE(matches("b", "a|b")) << "an alternative is matched whole, too";
  EXPECT_FALSE(matches("ab", "a|b"));
}

TEST(Pattern, FindsEveryMatchWithItsGroups) {
  const auto all = all_matches("mr1 mw22", "m([rw])([0-9]+)");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(std::vector(all[1].begin(), all[1].begin() + 3), ElementsAre("mw22", "w", "22"));
  EXPECT_EQ(all_matches("aa", "^a").size(), 1U) << "a text begins once";
}

TEST(Pattern, ReplacesEveryMatch) {
  EXPECT_EQ(replaced("ok lkey=0x1 rkey=0x2 end", " [lr]key=0x[0-9a-f]+", ""), "ok end");
}

}  // namespace
}  // namespace mrproof::model
