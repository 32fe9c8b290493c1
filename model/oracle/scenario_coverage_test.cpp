// Whether the scenarios leave anything of the rulebooks unshown, found out by judging them all.
//
// For each rule of each dialect there has to be a step that takes it; for each condition that it
// requires, a step that deviates because that condition alone is broken; for each of its reasons, a
// step in which that reason alone allows the rule. Then no condition can be dropped from a rule
// unnoticed. Rules that several verbs or dialects share are asked for once, but for being taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "model/conditions/circumstances.hpp"
#include "model/oracle/judge_trace.hpp"
#include "model/oracle/scenario_coverage.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::model {
namespace {

/// Something that no scenario can show, and why.
struct Unshowable {
  std::string_view rules;  ///< rows as item_name() names them, joined by commas
  std::string_view what;
  std::string_view why;
};

/// Rules of failed binds, of failed local invalidations, of sends whose key to invalidate is wrong.
constexpr std::string_view kBinds =
    "bind_mw.loc_access_err,bind_mw.loc_prot_err,bind_mw.loc_qp_op_err,bind_mw.mw_bind_err,"
    "bind_mw.refused";
constexpr std::string_view kInvalidations =
    "local_inv.loc_access_err,local_inv.loc_prot_err,local_inv.loc_qp_op_err,"
    "local_inv.mw_bind_err,local_inv.refused";
constexpr std::string_view kKeyFaults =
    "send_with_inv.ok_receive_fails,send_with_inv.rem_access_err_key,"
    "send_with_inv.rem_inv_req_err_key,send_with_inv.rem_op_err_key";

constexpr Unshowable kUnshowable[] = {
    {"rereg_mr.err_do_fork_old", "breaks changes_known", "named after the code it should have had"},
    {"rereg_mr.err_do_fork_old", "breaks memory_mapped", "named after the code it should have had"},
    {"rereg_mr.err_do_fork_old", "breaks memory_writable",
        "named after the code it should have had"},
    {"rereg_mr.err_do_fork_old", "breaks remote_write_has_local_write",
        "named after the code it should have had"},
    {"send.ok,rdma_write_with_imm.ok,send_with_inv.ok,send_with_inv.ok_receive_fails",
        "breaks local_write_right", "reading needs no right: it always holds"},
    {"send.loc_prot_err,send.loc_prot_err_both,send.terminated", "because local_write_right",
        "reading needs no right"},
    {"atomic_fetch_and_add.loc_prot_err_both", "breaks qp_ready", "that is loc_prot_err's to tell"},
    {"rdma_write.loc_prot_err_both,atomic_fetch_and_add.loc_prot_err_both,send.loc_prot_err_both",
        "breaks far_side_sound", "that the responder failed is blamed first"},
    {"rdma_write.loc_prot_err_both,atomic_fetch_and_add.loc_prot_err_both,send.loc_prot_err_both",
        "breaks peer_ready", "a failed peer stays so: that is loc_prot_err"},
    {"send.ok,send.rem_inv_req_err,send.rem_op_err,send.rem_op_err_unused,send_with_inv.ok,"
     "send_with_inv.ok_receive_fails,rdma_write_with_imm.ok",
        "breaks peer_ready", "a failed peer has no receive either"},
    {"send.rem_op_err,send.rem_op_err_unused", "breaks receive_posted",
        "without a receive there is no reason either"},
    {"dealloc_pd.ok", "breaks pd_unused", "freeing a PD that is used is allowed"},
    {"dealloc_pd.ok_while_used", "breaks pd_unused", "freeing a PD that is not used is allowed"},
    {"advise_mr.no_entry", "breaks says_no_entry",
        "where there is this reason, so there is one for EFAULT or EINVAL: that is blamed first"},
    {"advise_mr.not_permitted", "breaks says_not_permitted",
        "where there is this reason, so there is one for EFAULT or EINVAL: that is blamed first"},
    {kBinds, "because bind_qp_same_pd",
        "bind_qp_of_pd, which asks the same of all windows, is a reason, too"},
    {kBinds, "because bind_region_not_null", "a null region has no MW_BIND and no rights either"},
    {kInvalidations, "because invalidates_window",
        "a key of no window is that of no bound window either"},
    {kInvalidations, "because invalidates_same_pd",
        "a window is bound through queue pairs of its own PD only"},
    {"local_inv.refused", "because qp_ready",
        "of windows that were bound through a failed queue pair nothing is known"},
    {kKeyFaults, "because invalidates_window",
        "a key of no window is that of no bound window either"},
    {kKeyFaults, "because invalidates_same_pd",
        "a window is bound through queue pairs of its own PD only"},
    {"send_with_inv.ok", "breaks invalidates_window", "success with a failed receive is blamed"},
    {"send_with_inv.ok", "breaks invalidates_same_pd", "success with a failed receive is blamed"},
    {"query_qp.ok_ended", "breaks over_iwarp",
        "that the state is not the true one is blamed first"},
    {"query_qp.ok_ended", "breaks qp_state_ended",
        "that the state is not the true one is blamed first"},
    {"rdma_write.ok", "breaks remote_aligned", "asked of atomic operations only"},
    {"rereg_mr.ok", "breaks no_bound_window", "success while a window is bound has its own rule"},
    {"rereg_mr.ok_while_bound", "breaks no_bound_window", "so has success while none is"},
    {"rereg_mr.err_do_fork_old", "breaks keys_distinct", "a trace tells no keys of a refusal"},
    {"rereg_mr.err_cmd_and_do_fork_new", "breaks code_cmd_and_do_fork_new",
        "ERR_DONT_FORK_NEW has the same reasons and is blamed first"},
    {"rereg_mr.err_cmd_doubtful,mlnx-exp rereg_mr.refused_doubtful", "because translation_given",
        "at address 0 there is no memory, and length 0 is a reason of its own"},
};

const std::set<std::string>& shown() {
  static const auto all = [] {
    std::set<std::string> found;
    for (const auto& file : testing::scenario_files()) {
      const Trace trace = load_trace(file);
      const Rulebook& book = *find_rulebook(trace.dialect);
      look(judge_trace(trace, book, file), book, found);
    }
    return found;
  }();
  return all;
}

bool is_unshowable(const std::string& item) {
  const auto split = item.find(' ', item.starts_with("mlnx-exp ") ? 9 : 0);
  const std::string rule = "," + item.substr(0, split) + ",";
  return std::any_of(std::begin(kUnshowable), std::end(kUnshowable), [&](const Unshowable& u) {
    return item.substr(split + 1) == u.what &&
           ("," + std::string(u.rules) + ",").find(rule) != std::string::npos;
  });
}

TEST(ScenarioCoverage, EveryRuleAndEachOfItsConditionsIsShown) {
  std::vector<std::string> missing;
  for (const auto& item : all_wanted())
    if (!shown().contains(item) && !is_unshowable(item)) missing.push_back(item);
  EXPECT_THAT(missing, ::testing::IsEmpty());
}

TEST(ScenarioCoverage, EveryConditionIsSeenTrueAndFalse) {
  // Where a term holds in every case that can be shown, the tables above say why.
  const std::set<std::string> one_sided{};
  std::set<std::string> missing;
  for (const auto dialect : kDialects)
    for (const PlainRule* rule : find_rulebook(dialect)->rules())
      for (const auto* terms : {&rule->requires_all, &rule->reasons})
        for (const auto& term : *terms)
          for (const char* truth : {" true", " false"})
            if (const auto what = term.condition->id + std::string(truth);
                !shown().contains(what) && !one_sided.contains(what))
              missing.insert(what);
  EXPECT_THAT(missing, ::testing::IsEmpty());
}

TEST(ScenarioCoverage, WhatCannotBeShownIsNotShownAndNotStale) {
  const auto wanted = all_wanted();
  for (const auto& u : kUnshowable) {
    EXPECT_GT(u.why.size(), 12U) << u.what;
    std::istringstream rules{std::string(u.rules)};
    for (std::string rule; std::getline(rules, rule, ',');) {
      const std::string item = rule + " " + std::string(u.what);
      EXPECT_FALSE(shown().contains(item)) << item << " is shown after all";
      EXPECT_TRUE(wanted.contains(item)) << item << " is stale";
    }
  }
}

TEST(ScenarioCoverage, EveryCircumstanceIsPartOfSomeName) {
  for (const auto* circumstance : kCircumstances<Plain>)
    EXPECT_THAT(shown(), ::testing::Contains(::testing::HasSubstr(std::string(circumstance->id))));
}

TEST(ScenarioCoverage, OutcomesThatNoRuleKnowsAreShown) {
  for (const auto verb :
      {"alloc_pd.refused", "query_qp.refused", "connect.refused", "send.rem_access_err"})
    EXPECT_THAT(shown(), ::testing::Contains(verb + std::string(" breaks ") + kOutcomeKnown.id));
}

}  // namespace
}  // namespace mrproof::model
