#include "property-tests/guide/guide.hpp"

#include <gtest/gtest.h>

#include <set>

#include "property-tests/shrink/shrink_form.hpp"

namespace mrproof::property_tests {
namespace {

constexpr std::uint64_t kCaseSteps = 40;

model::Trace trace_of(const std::string& pd) {
  return model::parse_trace("# mrproof trace v1\nmr0 = reg_mr(" + pd +
                                ", buf0+0, 64, 0)\nmr1 = reg_mr(" + pd +
                                ", buf0+64, 64, 0)\ndereg_mr(mr0)\n",
                            pd);
}

/// What a guide says in a hundred cases that were given a trace, and one more that was kept.
std::vector<Scenario> said(std::uint64_t seed) {
  Guide guide(seed, kCaseSteps, {trace_of("pd0")});
  std::vector<Scenario> all;
  for (int i = 0; i < 100; ++i) {
    if (i == 50) guide.keep(trace_of("pd1"));
    all.push_back(guide.next());
  }
  return all;
}

TEST(Guide, SaysTheSameEachTime) {
  const auto one = said(1), two = said(1), other = said(2);
  const auto same = [](const Scenario& a, const Scenario& b) {
    return a.text == b.text && a.walk_seed == b.walk_seed && a.walk_steps == b.walk_steps;
  };
  EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin(), two.end(), same));
  EXPECT_FALSE(std::equal(one.begin(), one.end(), other.begin(), other.end(), same));
}

TEST(Guide, ChangesWhatItWasGivenAndWhatWasKept) {
  std::set<std::string> given, kept;
  std::size_t walks = 0;
  for (const auto& scenario : said(1)) {
    EXPECT_TRUE(scenario.led);
    EXPECT_GE(scenario.walk_steps, 1U);
    EXPECT_LE(scenario.walk_steps, kCaseSteps);
    walks += scenario.text.empty() ? 1 : 0;
    if (scenario.text.empty()) continue;
    const auto trace = model::parse_trace(scenario.text, "said");
    EXPECT_LE(trace.steps.size(), 7U);
    const bool is_kept = scenario.text.find("pd1,") != std::string::npos;
    (is_kept ? kept : given).insert(scenario.text);
  }
  EXPECT_GT(walks, 0U);
  EXPECT_GT(given.size(), 10U);
  EXPECT_GT(kept.size(), 5U);
}

TEST(Guide, SaysWhatCanBeReadWhereRequestsAreInFlight) {
  const std::string text =
      "# mrproof trace v1\ngiven pd0\ngiven qp0(pd0) <-> qp1(pd0)\n"
      "a: rdma_write(qp0, 0x1, buf0+0, 8, 0x2, buf1+0) -> posted\n"
      "b: rdma_write(qp0, 0x1, buf0+0, 8, 0x2, buf1+8) -> posted\na -> SUCCESS\nb -> SUCCESS\n";
  Guide guide(1, kCaseSteps, {model::parse_trace(text, "given")});
  std::set<std::string> said;
  for (int i = 0; i < 300; ++i) said.insert(guide.next().text);
  said.erase("");
  EXPECT_GT(said.size(), 10U);
  for (const auto& one : said) EXPECT_NO_THROW(model::parse_trace(one, "said")) << one;
}

TEST(Guide, WalksWhereThereIsNothingToChange) {
  Guide guide(1, kCaseSteps, {});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(guide.next().text, "");
}

}  // namespace
}  // namespace mrproof::property_tests
