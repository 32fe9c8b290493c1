// What the pages leave open is found, and listed.
#include "specs/prover/freedoms.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace mrproof::specs {
namespace {

TEST(Freedoms, OfRegistrationAreListedAndHaveWitnesses) {
  ProofOptions options;
  options.changed = model::Verb::reg_mr;
  const auto all = freedoms(options, {});
  EXPECT_GE(all.size(), 4U);
  for (const auto& freedom : all) {
    EXPECT_FALSE(freedom.listed.empty()) << freedom.success << " or " << freedom.failure;
    EXPECT_TRUE(freedom.decided) << freedom.success << " or " << freedom.failure;
    EXPECT_FALSE(freedom.witness.empty());
  }
  const auto empty = std::find_if(all.begin(), all.end(), [](const Freedom& freedom) {
    return freedom.reason == "the region would have no bytes" && freedom.success == "reg_mr.ok";
  });
  ASSERT_NE(empty, all.end());
  EXPECT_THAT(empty->listed, ::testing::ElementsAre("gap.length_zero"));
  const auto length = [](const Value& value) { return value.name == "call.length"; };
  EXPECT_TRUE(std::none_of(empty->witness.begin(), empty->witness.end(), length)) << "it is zero";
  EXPECT_THAT(freedoms_text(all), ::testing::HasSubstr("gap `gap.length_zero`"));
}

}  // namespace
}  // namespace mrproof::specs
