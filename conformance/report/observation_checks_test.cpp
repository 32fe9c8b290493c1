#include "conformance/report/observation_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace mrproof::conformance {
namespace {

using ::testing::UnorderedElementsAreArray;

TEST(ObservationChecks, AreThereForEachObservationOfTheRulesAndForNothingElse) {
  std::set<std::string> spoken_of;
  for (const auto dialect : model::kDialects)
    for (const auto* condition : model::find_rulebook(dialect)->conditions())
      if (condition->about == model::About::observation) spoken_of.insert(condition->id);
  std::vector<std::string> checked;
  for (const auto& check : observation_checks()) checked.emplace_back(check.condition->id);
  EXPECT_THAT(checked, UnorderedElementsAreArray(spoken_of));
}

TEST(ObservationChecks, AreWrittenOrMade) {
  for (const auto& check : observation_checks())
    EXPECT_NE(check.in_c != nullptr, check.of != nullptr) << check.condition->id;
}

}  // namespace
}  // namespace mrproof::conformance
