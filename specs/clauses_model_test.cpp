#include "specs/clauses_model.hpp"

#include <gmock/gmock.h>

#include <array>

namespace mrproof::specs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ClausesAndModel, NameEachOther) {
  EXPECT_THAT(orphans(clauses(), gaps(), model_carriers()), IsEmpty());
}

/// A small world in which everything names everything; tests break it in one place.
class Orphans : public testing::Test {
 protected:
  static constexpr std::array<std::string_view, 1> kCondition{"is_so"};
  static constexpr std::array<std::string_view, 1> kNoCondition{"is_not_so"};
  static constexpr std::array<std::string_view, 1> kRule{"reg_mr.ok"};
  static constexpr std::array<std::string_view, 1> kEveryVerb{"*.no_resources"};
  static constexpr std::array<std::string_view, 1> kNoRule{"*.maybe"};

  static Clause clause(std::string_view id) {
    Clause made{};
    made.id = id;
    return made;
  }

  [[nodiscard]] std::vector<std::string> find() const {
    return orphans(clauses_, std::span(&gap_, 1), model_);
  }

  Orphans() {
    clauses_[0].conditions = kCondition;
    clauses_[0].rules = kRule;
    clauses_[1].conditions = kCondition;  // as those of the clause that it is the same as
    clauses_[1].same_as = "page.one";
    clauses_[2].out_of_scope = "Not modelled.";
    gap_.id = "gap.open";
    gap_.conditions = kCondition;
    gap_.rules = kEveryVerb;
  }

  std::array<Clause, 3> clauses_{clause("page.one"), clause("other.one"), clause("C1-1")};
  Gap gap_{};
  Carriers model_{{{"is_so", "page.one gap.open"}},
                  {{"reg_mr.ok", "page.one"}, {"reg_mr.no_resources", "gap.open"}}};
};

TEST_F(Orphans, AreNotFoundWhereAllNameEachOther) { EXPECT_THAT(find(), IsEmpty()); }

TEST_F(Orphans, AreClausesAndGapsThatNothingCarries) {
  clauses_[2].out_of_scope = "";
  EXPECT_THAT(find(), ElementsAre("C1-1: nothing carries it, and it is not out of scope"));
  clauses_[2].rules = kRule;
  gap_.conditions = gap_.rules = {};
  model_ = {{{"is_so", "page.one"}}, {{"reg_mr.ok", ""}}};
  EXPECT_THAT(find(), ElementsAre("gap.open: nothing carries it, and it is not out of scope"));
}

TEST_F(Orphans, AreNamesOfConditionsAndRulesThatAreNotThere) {
  clauses_[2].out_of_scope = "";
  clauses_[2].conditions = kNoCondition;
  clauses_[2].rules = kNoRule;
  EXPECT_THAT(find(), ElementsAre("C1-1: no condition 'is_not_so'", "C1-1: no rule '*.maybe'"));
}

TEST_F(Orphans, AreNamesOfClausesThatAreNotThere) {
  model_.conditions["is_so"] += " page.two";
  model_.rules["reg_mr.ok"] = "gap.closed";
  EXPECT_THAT(find(), ElementsAre("condition is_so: no clause or gap 'page.two'",
                                  "rule reg_mr.ok: no clause or gap 'gap.closed'"));
}

TEST_F(Orphans, AreConditionsWithoutClauses) {
  model_.conditions["is_new"] = " ";
  EXPECT_THAT(find(), ElementsAre("condition is_new: names no clause and no gap"));
}

TEST_F(Orphans, AreRulesThatNothingLists) {
  model_.rules["reg_mr.refused"] = "";
  EXPECT_THAT(find(), ElementsAre("rule reg_mr.refused: no clause and no gap lists it"));
}

TEST_F(Orphans, AreNamesThatAreNotReturned) {
  model_.conditions["is_so"] = "gap.open";
  EXPECT_THAT(find(), ElementsAre("page.one: condition 'is_so' does not name it"));
  model_.conditions["is_so"] = "page.one gap.open C1-1";
  model_.rules["reg_mr.ok"] = "gap.open";
  EXPECT_THAT(find(), ElementsAre("condition is_so: 'C1-1' does not list it",
                                  "rule reg_mr.ok: 'gap.open' does not list it"));
}

}  // namespace
}  // namespace mrproof::specs
