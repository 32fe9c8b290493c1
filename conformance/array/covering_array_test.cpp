#include "conformance/array/covering_array.hpp"

#include <gmock/gmock.h>

#include <set>

#include "conformance/array/array_traces.hpp"
#include "conformance/oracle/oracle.hpp"

namespace mrproof {
namespace {

using ::testing::IsEmpty;

/// What has to be: counted in the plainest way, by looking for each triple in each row.
std::size_t count_uncovered(const std::vector<ArrayParameter>& parameters,
                            const CoveringArray& array) {
  std::size_t uncovered = 0;
  for (const auto& triple : all_triples(parameters)) {
    bool covered = false;
    for (const auto& row : array.rows) covered = covered || triple.in(row);
    uncovered += covered ? 0 : 1;
  }
  return uncovered;
}

TEST(CoveringArray, HasEveryTripleOfSmallParameters) {
  const std::vector<ArrayParameter> parameters{
      {"a", {"0", "1"}}, {"b", {"0", "1"}}, {"c", {"0", "1"}}, {"d", {"0", "1"}}};
  const auto array = make_covering_array(parameters, [](const ArrayRow&) { return nullptr; });
  EXPECT_EQ(all_triples(parameters).size(), 4U * 8U);
  EXPECT_EQ(count_uncovered(parameters, array), 0U);
  EXPECT_EQ(array.rows.size(), 8U) << "fewer rows cannot have the triples of three parameters";
}

TEST(CoveringArray, NamesTheConstraintOfWhatCannotBe) {
  const std::vector<ArrayParameter> parameters{
      {"a", {"0", "1"}}, {"b", {"0", "1"}}, {"c", {"0", "1"}}, {"d", {"0", "1"}}};
  const auto array = make_covering_array(parameters, [](const ArrayRow& row) -> const char* {
    return row[0] == 1 && row[1] == 1 ? "a and b" : nullptr;
  });
  EXPECT_EQ(array.impossible.size(), 4U);  // with each value of c, and of d
  for (const auto& [triple, why] : array.impossible) EXPECT_EQ(why, "a and b");
  EXPECT_EQ(count_uncovered(parameters, array), array.impossible.size());
  EXPECT_THAT(uncovered_triples(parameters, array), IsEmpty());
}

TEST(AccessArray, HasEveryTripleThatCanBe) {
  const auto& array = access_array();
  const auto total = all_triples(array_parameters()).size();
  EXPECT_THAT(uncovered_triples(array_parameters(), array), IsEmpty());
  EXPECT_EQ(count_uncovered(array_parameters(), array), array.impossible.size());
  EXPECT_LT(array.impossible.size() * 4, total) << "most triples can be";
  for (const auto& row : array.rows) EXPECT_EQ(array_constraint(row), nullptr);
  EXPECT_LT(array.rows.size(), 1000U);
}

// Each row is needed by what it was begun for.
TEST(AccessArray, IsMissedIfARowIsLost) {
  CoveringArray array = access_array();
  array.rows.pop_back();
  EXPECT_FALSE(uncovered_triples(array_parameters(), array).empty());
}

// What cannot be really cannot: no row that the constraints allow has it.
TEST(AccessArray, CallsNothingImpossibleThatCanBe) {
  std::set<ArrayTriple> impossible;
  for (const auto& [triple, why] : access_array().impossible) {
    EXPECT_NE(why, "");
    impossible.insert(triple);
  }
  for (const auto& row : access_array().rows)
    for (const auto& triple : all_triples(array_parameters())) {
      if (!triple.in(row)) continue;
      EXPECT_FALSE(impossible.contains(triple)) << array_row_name(row);
    }
}

TEST(AccessArray, EachRowIsATraceThatMayBeCalledToItsEnd) {
  std::set<std::string> texts;
  for (const auto& row : access_array().rows) {
    const Trace trace = array_trace(row);
    EXPECT_LE(trace.steps.size(), 10U);
    texts.insert(print_trace(trace));
  }
  EXPECT_EQ(texts.size(), access_array().rows.size());
}

}  // namespace
}  // namespace mrproof
