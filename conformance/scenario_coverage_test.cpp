// Whether the scenarios leave anything of the rulebook unshown, found out by judging them all.
//
// For each rule there has to be a step that takes it; for each condition that it requires, a step
// that deviates because that condition alone is broken; for each of its reasons, a step in which
// that reason alone allows the rule. Then no condition can be dropped from a rule unnoticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "conformance/judge_trace.hpp"
#include "conformance/oracle.hpp"
#include "conformance/test_files.hpp"
#include "model/conditions/circumstances.hpp"

namespace mrproof {
namespace {

using namespace model;

/// Something that no scenario can show, and why.
struct Unshowable {
  std::string_view verbs;  ///< joined by blanks
  std::string_view what;   ///< as Coverage names it, without the verb
  std::string_view why;
};

constexpr std::string_view kWrites = "send rdma_write";
constexpr std::string_view kTransfers = "send rdma_write rdma_read";

constexpr Unshowable kUnshowable[] = {
    {"rdma_write", "ok breaks local_write_right", "reading needs no right: it always holds"},
    {kWrites, "loc_prot_err because local_write_right", "reading needs no right"},
    {kWrites, "refused because local_write_right", "reading needs no right"},
    {"send", "ok breaks peer_ready", "a failed peer has no receive either"},
    {"send", "rem_inv_req_err breaks peer_ready", "a failed peer has no receive either"},
    {"send", "rem_op_err breaks peer_ready", "a failed peer has no receive either"},
    {"send", "rem_op_err_unused breaks peer_ready", "a failed peer has no receive either"},
    {"send", "rem_op_err breaks receive_posted", "without a receive there is no reason either"},
    {"send", "rem_op_err_unused breaks receive_posted", "without a receive there is no reason"},
    {kTransfers, "retry_exc_err breaks peer_ready",
     "the transport may give up on a good peer, too"},
    {"dealloc_pd", "ok breaks pd_unused", "freeing a PD that is used is allowed"},
    {"dealloc_pd", "ok_while_used breaks pd_unused", "freeing a PD that is not used is allowed"},
    {"reg_mr", "ok_on_demand breaks memory_mapped", "registering mapped memory is allowed"},
    {"reg_mr", "ok_on_demand breaks paged_on_demand", "named reg_mr.ok breaks memory_mapped"},
};

class Coverage {
 public:
  Coverage() {
    for (const auto& file : testing::scenario_files())
      add(judge_trace(load_trace(file), linux_rulebook(), file));
  }
  std::set<std::string> shown;

 private:
  /// Memory as the judged trace tells it.
  class Recorded : public MemorySource {
   public:
    explicit Recorded(const Step& step) : runs_(step.bytes) {}
    void differences(const Memory& /*expected*/, std::vector<ByteRun>& runs) override {
      runs = runs_;
    }

   private:
    std::vector<ByteRun> runs_;
  };

  void add(const Trace& judged) {
    Oracle oracle(linux_rulebook(), judged.setup, judged.can);
    for (Step step : judged.steps) {
      look(oracle.state(), step);
      Recorded memory(step);
      step.bytes.clear();
      oracle.check(step, memory);
    }
  }

  void look(const State<Plain>& state, const Step& step) {
    const PlainView view{state, step.call, step.result};
    const Annotation& a = step.annotations.front();
    if (a.verdict == Verdict::deviates) shown.insert(a.rule + " breaks " + a.broken);
    if (const PlainRule* rule = linux_rulebook().find(a.rule);
        rule != nullptr && a.verdict != Verdict::deviates)
      taken(*rule, view);
    for (const PlainRule* rule : linux_rulebook().rules(step.call.verb, step.result.outcome))
      for (const auto* terms : {&rule->requires_all, &rule->reasons})
        for (const auto& term : *terms)
          shown.insert(std::string(term.condition->id) +
                       (term.condition->holds(view).truth() ? " true" : " false"));
  }

  void taken(const PlainRule& rule, const PlainView& view) {
    shown.insert(std::string(rule.id) + " taken");
    const PlainCondition* reason = nullptr;
    std::size_t reasons = 0;
    for (const auto& term : rule.reasons) {
      if (term.condition->holds(view).truth() != term.holds) continue;
      reason = term.condition;
      ++reasons;
    }
    if (reasons == 1) shown.insert(std::string(rule.id) + " because " + reason->id);
  }
};

const std::set<std::string>& shown() {
  static const Coverage coverage;
  return coverage.shown;
}

/// All that is to be shown of a rule, as Coverage names it.
std::vector<std::string> wanted_of(const PlainRule& rule) {
  const std::string id = rule.id;
  std::vector<std::string> wanted{id + " taken"};
  for (const auto& term : rule.reasons) wanted.push_back(id + " because " + term.condition->id);
  if (rule.weight == Weight::inconclusive) return wanted;  // never blamed for a deviation
  for (const auto& term : rule.requires_all) wanted.push_back(id + " breaks " + term.condition->id);
  if (rule.transfer != nullptr) wanted.push_back(id + " breaks " + kBytesAsPredicted.id);
  const auto alike = linux_rulebook().rules(rule.verb, rule.outcome);
  // Of several rules with the same result the first is blamed when nothing forbids.
  if (!rule.reasons.empty() && alike.front() == &rule)
    wanted.push_back(id + " breaks " + kNothingForbids.id);
  return wanted;
}

bool is_unshowable(const PlainRule& rule, const std::string& what) {
  const std::string verb(kVerbNames.at(static_cast<std::size_t>(rule.verb)));
  return std::any_of(std::begin(kUnshowable), std::end(kUnshowable), [&](const Unshowable& u) {
    const std::string verbs = " " + std::string(u.verbs) + " ";
    return verbs.find(" " + verb + " ") != std::string::npos &&
           what == verb + "." + std::string(u.what);
  });
}

TEST(ScenarioCoverage, EveryRuleAndEachOfItsConditionsIsShown) {
  std::vector<std::string> missing;
  for (const PlainRule* rule : linux_rulebook().rules())
    for (const auto& what : wanted_of(*rule))
      if (!shown().contains(what) && !is_unshowable(*rule, what)) missing.push_back(what);
  EXPECT_THAT(missing, ::testing::IsEmpty());
}

TEST(ScenarioCoverage, EveryConditionIsSeenTrueAndFalse) {
  std::set<std::string> missing;
  for (const PlainRule* rule : linux_rulebook().rules())
    for (const auto* terms : {&rule->requires_all, &rule->reasons})
      for (const auto& term : *terms)
        for (const char* truth : {" true", " false"})
          if (const auto what = term.condition->id + std::string(truth); !shown().contains(what))
            missing.insert(what);
  EXPECT_THAT(missing, ::testing::IsEmpty());
}

TEST(ScenarioCoverage, WhatCannotBeShownIsNotShownAndNotStale) {
  for (const auto& u : kUnshowable) {
    std::istringstream verbs{std::string(u.verbs)};
    for (std::string verb; verbs >> verb;) {
      const std::string what = verb + "." + std::string(u.what);
      EXPECT_FALSE(shown().contains(what)) << what << " is shown after all";
      const PlainRule* rule = linux_rulebook().find(what.substr(0, what.find(' ')));
      ASSERT_NE(rule, nullptr) << what;
      EXPECT_THAT(wanted_of(*rule), ::testing::Contains(what)) << "stale";
    }
  }
}

TEST(ScenarioCoverage, EveryCircumstanceIsPartOfSomeName) {
  for (const auto* circumstance : kCircumstances<Plain>)
    EXPECT_THAT(shown(), ::testing::Contains(::testing::EndsWith("nothing_forbids+" +
                                                                 std::string(circumstance->id))));
}

TEST(ScenarioCoverage, OutcomesThatNoRuleKnowsAreShown) {
  for (const auto verb : {"alloc_pd.refused", "dereg_mr.refused", "query_qp.refused",
                          "connect.refused", "send.rem_access_err", "rdma_write.rem_op_err"})
    EXPECT_THAT(shown(), ::testing::Contains(verb + std::string(" breaks ") + kOutcomeKnown.id));
}

}  // namespace
}  // namespace mrproof
