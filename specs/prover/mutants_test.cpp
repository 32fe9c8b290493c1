// Mutants are noticed, and what is the same is known to be.
#include "specs/prover/mutants.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace mrproof::specs {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<std::string> with_fate(const std::vector<Judgement>& all, Fate fate) {
  std::vector<std::string> names;
  for (const auto& end : all)
    if (end.fate == fate) names.push_back(end.mutant);
  return names;
}

std::vector<std::string> names_of(const std::vector<Mutant>& mutants) {
  std::vector<std::string> names;
  for (const auto& mutant : mutants) names.push_back(mutant.name);
  return names;
}

/// How many comparisons are made while the condition is asked.
std::size_t comparisons(const model::Condition<Terms>& condition, const model::State<Terms>& state,
                        const Shape& shape) {
  const auto call = unknown_call("call.", shape);
  const auto result = unknown_result("result.", model::Outcome::ok);
  const model::View<Terms> view{state, call, result};
  const smt::Orderings orderings;
  (void)condition.holds(view);
  return orderings.count();
}

TEST(Mutants, ComparisonsHaveTheirNumbersWhateverIsKnown) {
  std::size_t most = 0;
  for (const Row& row : rows_of(1))
    for (const Shape& shape : shapes_of(row.verb, false))
      for (const auto& term : row.rule.requires_all) {
        const smt::Store store;
        const auto any = comparisons(*term.condition, unknown_state("before."), shape);
        // Where there is no region, window, or pair, much is known to be false.
        EXPECT_EQ(comparisons(*term.condition, model::State<Terms>(), shape), any)
            << row.id << " " << term.condition->id;
        most = std::max(most, any);
      }
  EXPECT_GT(most, 60U);
}

TEST(Mutants, AreOfAllKinds) {
  const auto names = names_of(mutants_of(model::Verb::bind_mw));
  EXPECT_THAT(names, Contains("bind_mw.ok without bind_in_bounds"));
  EXPECT_THAT(names, Contains("bind_mw.ok does not set mw.rkey"));
  EXPECT_THAT(names, Contains("bind_mw: bind_in_bounds shifts comparison ee7bd1"));
  EXPECT_THAT(names, Contains("bind_mw.loc_prot_err without not bind_right"));
}

TEST(Mutants, HaveNamesOfTheirOwn) {
  for (std::size_t verb = 0; verb < model::kVerbs; ++verb) {
    auto names = names_of(mutants_of(static_cast<model::Verb>(verb)));
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  }
}

TEST(Mutants, OfDeregistrationAreNoticed) {
  const auto ends = judge_mutants("dereg_mr", "", {}, {});
  EXPECT_EQ(with_fate(ends, Fate::refuted).size(), ends.size());
  EXPECT_GE(ends.size(), 9U);
}

TEST(Mutants, ThatChangeNothingAreEquivalent) {
  const auto ends = judge_mutants("reg_dmabuf_mr", "", {}, {});
  // All of a dma-buf is writable, so that nothing is asked there.
  EXPECT_THAT(with_fate(ends, Fate::equivalent),
              Contains(HasSubstr("reg_dmabuf_mr.ok without memory_writable")));
  EXPECT_THAT(with_fate(ends, Fate::survived), ::testing::IsEmpty());
  for (const auto& end : ends) EXPECT_EQ(end.because.empty(), end.fate != Fate::equivalent);
}

TEST(Mutants, ThatChangeNothingSayByWhat) {
  const auto ends = judge_mutants("local_inv", "", {}, {});
  const auto because = [&](const std::string& mutant) {
    const auto end = std::find_if(ends.begin(), ends.end(),
                                  [&](const Judgement& j) { return j.mutant == mutant; });
    return end == ends.end() ? "no such mutant" : end->because;
  };
  EXPECT_THAT(because("local_inv.refused without not invalidates_window"),
              HasSubstr("reason `not"));
}

/// With one theorem alone most go unnoticed: it is the theorems that notice.
TEST(Mutants, SurviveATheoremThatIsNotAboutThem) {
  ProofOptions options;
  options.theorem = "no_byte_outside";
  const auto ends = judge_mutants("dereg_mr", "", options, {});
  EXPECT_THAT(with_fate(ends, Fate::survived), Contains("dereg_mr.ok does not set mr.live"));
}

}  // namespace
}  // namespace mrproof::specs
