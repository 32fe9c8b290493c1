#include "specs/clauses.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace mrproof::specs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

TEST(FindClause, GivesTheClauseAsItsFileHasIt) {
  const Clause* clause = find_clause("reg_mr.remote_write_needs_local_write");
  ASSERT_NE(clause, nullptr);
  EXPECT_EQ(clause->page, "ibv_reg_mr(3)");
  EXPECT_EQ(clause->section, "DESCRIPTION");
  EXPECT_EQ(clause->level, "must");
  EXPECT_EQ(clause->text,
            "LOCAL_WRITE has to be among the flags when REMOTE_WRITE or REMOTE_ATOMIC is.");
  EXPECT_EQ(clause->out_of_scope, "");
}

TEST(FindClause, KnowsArchitectureClausesByTheirNumbers) {
  for (const auto id : {"C10-72", "o10-37.2.30", "10.6.7.2.6", "table 78"}) {
    const Clause* clause = find_clause(id);
    ASSERT_NE(clause, nullptr) << id;
    EXPECT_THAT(clause->page, HasSubstr("architecture"));
  }
}

TEST(FindClause, FindsEachClauseAndNothingElse) {
  for (const Clause& clause : clauses()) EXPECT_EQ(find_clause(clause.id), &clause) << clause.id;
  EXPECT_EQ(find_clause(""), nullptr);
  EXPECT_EQ(find_clause("reg_mr"), nullptr);
  EXPECT_EQ(find_clause("reg_mr.remote_write_needs_local_writ"), nullptr);
  EXPECT_EQ(find_clause("gap.length_zero"), nullptr);
}

TEST(Clauses, AreOfEveryPageThatTheModelIsMadeFrom) {
  std::set<std::string_view> pages;
  for (const Clause& clause : clauses()) pages.insert(clause.page);
  EXPECT_THAT(
      pages, IsSupersetOf({"ibv_rereg_mr(3)", "ibv_rereg_mr, experimental verb (vendor page)",
                           "ibv_reg_mr(3), older page", "ibv_reg_mr(3), web copy",
                           "ibv_advise_mr(3)", "ibv_reg_mr(3)", "ibv_bind_mw(3)", "ibv_alloc_mw(3)",
                           "ibv_post_send(3)", "ibv_poll_cq(3)"}));
}

TEST(Clauses, HaveTextsWithoutLineEnds) {
  for (const Clause& clause : clauses()) {
    for (const auto text : {clause.page, clause.section, clause.text}) {
      EXPECT_NE(text, "") << clause.id;
      EXPECT_EQ(text.find('\n'), text.npos) << clause.id;
      EXPECT_EQ(text.find("  "), text.npos) << clause.id;
    }
  }
}

TEST(Clauses, AreCarriedOrOutOfScopeNotBoth) {
  for (const Clause& clause : clauses()) {
    if (clause.out_of_scope.empty()) continue;
    EXPECT_THAT(clause.conditions, IsEmpty()) << clause.id;
    EXPECT_THAT(clause.rules, IsEmpty()) << clause.id;
  }
  const Clause* datagrams = find_clause("post_send.address_handles");
  ASSERT_NE(datagrams, nullptr);
  EXPECT_EQ(datagrams->out_of_scope, "UD is not modelled.");
}

TEST(Gaps, NameClausesThatExist) {
  for (const Gap& gap : gaps()) {
    EXPECT_NE(gap.text, "") << gap.id;
    EXPECT_NE(gap.decision, "") << gap.id;
    for (const auto id : gap.clauses) EXPECT_NE(find_clause(id), nullptr) << gap.id << ": " << id;
  }
}

TEST(Gaps, HaveTheirClausesInOrder) {
  const auto all = gaps();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [](const Gap& gap) { return gap.id == "gap.zero_based_type_1"; });
  ASSERT_NE(found, all.end());
  EXPECT_THAT(found->clauses, ElementsAre("bind_mw.zero_based", "o10-36.2.2"));
}

}  // namespace
}  // namespace mrproof::specs
