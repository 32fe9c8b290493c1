#include "specs/prover/deciding.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/access.hpp"

namespace mrproof::specs {
namespace {

const Deciding& entry(const std::vector<Deciding>& all, std::string_view rule,
                      std::string_view condition, bool reason) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Deciding& d) {
    return d.rule == rule && d.condition == condition && d.reason == reason;
  });
  return all.at(static_cast<std::size_t>(found - all.begin()));  // throws where there is none
}

TEST(Deciding, TellsWhatNeverDecidesAlone) {
  ProofOptions options;
  options.dialects = 1;
  options.changed = model::Verb::local_inv;
  std::size_t told = 0;
  const auto all = deciding(options, [&](const Deciding&) { ++told; });
  EXPECT_EQ(told, all.size());
  EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](const auto& d) { return d.decided; }));
  // A key of no window is that of no bound window either.
  EXPECT_TRUE(entry(all, "local_inv.mw_bind_err", "invalidates_window", true).never);
  const auto& bound = entry(all, "local_inv.mw_bind_err", "invalidates_bound", true);
  EXPECT_FALSE(bound.never);
  // Local invalidation is none of iWARP's requests that the rules have.
  EXPECT_EQ(bound.all.features & model::kIwarp, 0U);
  // A window of type 2A does as well as one of type 2B.
  EXPECT_TRUE(bound.all.none());
  EXPECT_EQ(bound.any.features & model::kMwType2A, model::kMwType2A);
  EXPECT_EQ(bound.any.features & model::kMwType2B, model::kMwType2B);
  const auto text = deciding_text(all);
  EXPECT_NE(text.find(R"({"local_inv.mw_bind_err","invalidates_window",1,1,1,{},{},{}},)"),
            std::string::npos)
      << text;
}

TEST(Deciding, TellsWhatADeviceMustNotHave) {
  ProofOptions options;
  options.dialects = 1;
  options.changed = model::Verb::alloc_mw;
  const auto all = deciding(options, {});
  const auto& refused = entry(all, "alloc_mw.unsupported", "verb_available", true);
  EXPECT_FALSE(refused.never);
  EXPECT_NE(refused.without.features, 0U);
}

}  // namespace
}  // namespace mrproof::specs
