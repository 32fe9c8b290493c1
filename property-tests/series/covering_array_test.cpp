#include "property-tests/series/covering_array.hpp"

#include <gmock/gmock.h>

namespace mrproof::property_tests {
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

}  // namespace
}  // namespace mrproof::property_tests
