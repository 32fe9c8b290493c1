#include "model/judge/deviation_name.hpp"

#include <gtest/gtest.h>

namespace mrproof::model {
namespace {

TEST(BrokenConditions, AreReadAsTheyArePrinted) {
  for (const auto* text : {"", "-", "local_same_pd", "nothing_forbids+on_demand_used+x", "a++b+"})
    EXPECT_EQ(BrokenConditions(text).text(), text);
  EXPECT_EQ(BrokenConditions("a+b").ids().size(), 2U);
  EXPECT_TRUE(BrokenConditions("").empty());
  EXPECT_TRUE(BrokenConditions("-").is_dash());
  EXPECT_FALSE(BrokenConditions("").is_dash());
}

TEST(BrokenConditions, AreFoundByTheirWholeIds) {
  const BrokenConditions some("remote_right+bytes_as_predicted");
  EXPECT_TRUE(some.contains("remote_right"));
  EXPECT_FALSE(some.contains("right"));
  EXPECT_FALSE(some.contains("remote_right+bytes_as_predicted"));
  EXPECT_TRUE(some.contains_all({"bytes_as_predicted"}));
  EXPECT_TRUE(some.contains_all({"bytes_as_predicted+remote_right"}));
  EXPECT_FALSE(some.contains_all({"bytes_as_predicted+other"}));
  EXPECT_FALSE(some.contains_all({"-"}));
  EXPECT_TRUE(BrokenConditions("-").contains_all({"-"}));
}

TEST(BrokenConditions, AreThoseOfAJudgementInItsOrder) {
  Judgement judgement;
  judgement.broken.push_back(&kOutcomeKnown);
  judgement.broken.push_back(&kBytesAsPredicted);
  EXPECT_EQ(BrokenConditions(judgement.broken).text(), "outcome_known+bytes_as_predicted");
}

TEST(DeviationName, IsReadAsItIsPrinted) {
  const DeviationName name{"rdma_read.ok", DeviationClass::accepted, {"remote_right+on_demand"}};
  EXPECT_EQ(print_name(name), "rdma_read.ok/accepted/remote_right+on_demand");
  EXPECT_EQ(print_name(name, ' '), "rdma_read.ok accepted remote_right+on_demand");
  EXPECT_EQ(parse_name(print_name(name)), name);
  EXPECT_EQ(name.verb(), "rdma_read");
  EXPECT_EQ(name.outcome(), "ok");
  for (const auto* text : {"", "a", "a/status", "a/status/b/c", "a/unknown/b"})
    EXPECT_FALSE(parse_name(text)) << text;
}

TEST(DeviationName, HasTheIdThatTheRuleOfAnOutcomeWouldHave) {
  EXPECT_EQ(rule_id(Verb::send, Outcome::rem_op_err), "send.rem_op_err");
  EXPECT_EQ(rule_id(Verb::post_bind_mw, Outcome::none), "post_bind_mw.none");
}

TEST(DeviationName, OfASuccessIsThatOfTheVerbsFirstRule) {
  for (const auto dialect : kDialects)
    for (std::size_t i = 0; i < kVerbs; ++i) {
      const auto rules = find_rulebook(dialect)->rules(static_cast<Verb>(i), Outcome::ok);
      if (!rules.empty()) {
        EXPECT_EQ(rules.front()->id, rule_id(static_cast<Verb>(i), Outcome::ok));
      }
    }
}

}  // namespace
}  // namespace mrproof::model
