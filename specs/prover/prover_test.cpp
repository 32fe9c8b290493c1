// The prover proves what holds, and finds what a tired engineer breaks.
#include "specs/prover/prover.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace mrproof::specs {
namespace {

/// What is not proved: "THEOREM of SUBJECT", once each.
std::vector<std::string> open(const std::vector<Row>& rows, const std::string& theorem) {
  ProofOptions options;
  options.theorem = theorem;
  std::vector<std::string> found;
  for (const auto& obligation : prove(rows, options, {}))
    if (!obligation.proved()) found.push_back(obligation.theorem + " of " + obligation.subject);
  return found;
}

/// The rules of some verbs.
std::vector<Row> rows_starting(const std::string& prefix) {
  auto rows = rows_of(kEveryDialect);
  std::erase_if(rows, [&](const Row& row) { return !row.id.starts_with(prefix); });
  return rows;
}

/// The row without one of its conditions; `kept` holds what is left.
void drop(std::vector<Row>& rows, const std::string& id, const std::string& condition,
          std::vector<model::Term<Terms>>& kept) {
  for (Row& row : rows) {
    if (row.id != id) continue;
    kept.assign(row.rule.requires_all.begin(), row.rule.requires_all.end());
    std::erase_if(kept, [&](const auto& term) { return term.condition->id == condition; });
    ASSERT_LT(kept.size(), row.rule.requires_all.size());
    row.rule.requires_all = kept;
  }
}

TEST(Prover, NamesItsTheoremsOnce) {
  std::vector<std::string> names;
  for (const auto& heading : theorems()) names.push_back(heading.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_GE(names.size(), 40U);
}

TEST(Prover, ProvesWhatHoldsOfWindows) {
  EXPECT_THAT(open(rows_starting("bind_mw."), ""), ::testing::IsEmpty());
}

TEST(Prover, ProvesWhatHoldsOfRegions) {
  EXPECT_THAT(open(rows_starting("reg_mr."), ""), ::testing::IsEmpty());
  EXPECT_THAT(open(rows_starting("dereg_mr."), ""), ::testing::IsEmpty());
  EXPECT_THAT(open(rows_starting("reg_shared_mr."), ""), ::testing::IsEmpty());
}

TEST(Prover, ProvesItsLemmas) { EXPECT_THAT(open({}, ""), ::testing::IsEmpty()); }

TEST(Prover, FindsABindThatDoesNotLookAtBounds) {
  auto rows = rows_starting("bind_mw.");
  std::vector<model::Term<Terms>> kept;
  drop(rows, "bind_mw.ok", "bind_in_bounds", kept);
  EXPECT_THAT(open(rows, "window_inside_region"),
              ::testing::ElementsAre("window_inside_region of bind_mw.ok"));
}

TEST(Prover, FindsAWriteableRegionWithoutLocalWrite) {
  auto rows = rows_starting("reg_mr.");
  std::vector<model::Term<Terms>> kept;
  drop(rows, "reg_mr.ok", "remote_write_has_local_write", kept);
  EXPECT_THAT(open(rows, "write_needs_local_write"),
              ::testing::ElementsAre("write_needs_local_write of reg_mr.ok"));
  EXPECT_THAT(open(rows, "freedom_is_listed"), ::testing::Not(::testing::IsEmpty()));
}

TEST(Prover, FindsADeregistrationUnderAWindow) {
  auto rows = rows_starting("dereg_mr.");
  for (Row& row : rows)
    if (row.id == "dereg_mr.ok") row.rule.requires_all = {};
  EXPECT_THAT(open(rows, "freedom_is_listed"), ::testing::Not(::testing::IsEmpty()));
}

TEST(Prover, FindsAnEffectThatIsForgotten) {
  auto rows = rows_starting("dereg_mr.");
  for (Row& row : rows)
    if (row.id == "dereg_mr.ok") row.rule.effect = nullptr;
  EXPECT_THAT(open(rows, "freed_is_gone"), ::testing::ElementsAre("freed_is_gone of dereg_mr.ok"));
  EXPECT_THAT(open(rows, "revoked_key_is_dead"),
              ::testing::ElementsAre("revoked_key_is_dead of dereg_mr.ok"));
}

TEST(Prover, FindsAHole) {
  auto rows = rows_starting("dereg_mr.");
  std::erase_if(rows, [](const Row& row) { return row.id == "dereg_mr.refused"; });
  EXPECT_THAT(open(rows, "some_result_is_allowed"), ::testing::Not(::testing::IsEmpty()));
}

}  // namespace
}  // namespace mrproof::specs
