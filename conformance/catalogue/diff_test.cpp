#include "conformance/catalogue/diff.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace mrproof::conformance {
namespace {

using namespace model;

constexpr DiffScope kSmall{2, 30};

const VerbDifference& of_verb(const std::vector<VerbDifference>& all, Verb verb) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& d) { return d.verb == verb; });
  if (found == all.end()) throw std::logic_error("no such verb");
  return *found;
}

TEST(Diff, ADialectAgreesWithItself) {
  const auto all = compare(linux_rulebook(), linux_rulebook(), kSmall);
  EXPECT_GT(all.size(), 25U);
  for (const auto& d : all) {
    EXPECT_TRUE(d.in_first && d.in_second);
    EXPECT_FALSE(d.trace.has_value());
  }
}

TEST(Diff, TheOlderPageLacksVerbsAndFlags) {
  const auto all = compare(linux_rulebook(), linux_2006_rulebook(), kSmall);
  EXPECT_FALSE(of_verb(all, Verb::rereg_mr).in_second);
  const auto& trace = of_verb(all, Verb::reg_mr).trace;
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->steps.size(), 1U);
  EXPECT_THAT(trace->steps.back().remarks, ::testing::SizeIs(2));
  const auto text = print_differences(all, linux_rulebook(), linux_2006_rulebook());
  EXPECT_THAT(text, ::testing::HasSubstr("ZERO_BASED"));
  EXPECT_THAT(text, ::testing::HasSubstr("rereg_mr: only linux has it"));
}

TEST(Diff, TheVendorsReregistrationIsAnother) {
  const auto all = compare(linux_rulebook(), experimental_rulebook(), kSmall);
  const auto& trace = of_verb(all, Verb::rereg_mr).trace;
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->steps.size(), 2U);
  // What is printed can be read again.
  EXPECT_EQ(model::print_trace(model::parse_trace(model::print_trace(*trace), "again")),
            model::print_trace(*trace));
  EXPECT_FALSE(of_verb(all, Verb::reg_shared_mr).in_first);
}

}  // namespace
}  // namespace mrproof::conformance
