#include "property-tests/series/tours.hpp"

#include <gmock/gmock.h>

#include "model/oracle/judge_trace.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::property_tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A scope with its transitions and tours.
struct Toured {
  explicit Toured(const std::string& name)
      : scope(specs::load_scope(model::testing::tree_file("specs/explore/scopes/") + name +
                                ".scope")),
        all(scope),
        tours(make_tours(all)) {}
  specs::Scope scope;
  specs::Transitions all;
  std::vector<Tour> tours;
};

class ToursOf : public ::testing::TestWithParam<const char*> {};

TEST_P(ToursOf, MakeEveryCallInEveryStateAndEveryPairOfRules) {
  const Toured toured(GetParam());
  const auto gaps = gaps_of(toured.all, toured.tours);
  EXPECT_THAT(gaps.calls, IsEmpty());
  EXPECT_THAT(gaps.pairs, IsEmpty());
}

// Each step of a tour is a step of the trace before it, and the model agrees with all of them.
TEST_P(ToursOf, AreTracesThatConform) {
  const Toured toured(GetParam());
  for (std::size_t i = 0; i < toured.tours.size(); ++i) {
    const Tour& tour = toured.tours[i];
    ASSERT_FALSE(tour.empty());
    EXPECT_LE(tour.size(), TourOptions().most_steps);
    std::size_t at = 0;
    for (const TourStep& step : tour) {
      ASSERT_EQ(toured.all.calls()[step.call].from, at);
      at = toured.all.ends(toured.all.calls()[step.call])[step.end].to;
    }
    if (i % 7 != 0) continue;  // a sample is judged
    const model::Trace trace = tour_trace(toured.all, tour);
    const model::Trace judged = model::judge_trace(trace, toured.all.book(), "tour");
    ASSERT_EQ(judged.steps.size(), tour.size()) << model::print_trace(judged);
    for (const model::Step& step : judged.steps)
      EXPECT_EQ(step.annotations.front().verdict, model::Verdict::conforms)
          << model::print_trace(judged);
  }
}

// What has no other way is left out together with it: the count tells of it.
TEST_P(ToursOf, AreMissedIfOneIsLost) {
  const Toured toured(GetParam());
  std::vector<int> times(toured.all.calls().size());
  for (const Tour& tour : toured.tours)
    for (const TourStep& step : tour) ++times[step.call];
  auto lost = toured.tours;
  for (Tour& tour : lost) {
    if (times[tour.back().call] != 1) continue;
    const auto call = tour.back().call;
    tour.pop_back();
    EXPECT_THAT(gaps_of(toured.all, lost).calls, ::testing::ElementsAre(call));
    return;
  }
  FAIL() << "no tour ends with a call that no other one makes";
}

TEST_P(ToursOf, AreTheSameEachTime) {
  const Toured once(GetParam()), again(GetParam());
  ASSERT_EQ(once.tours.size(), again.tours.size());
  for (std::size_t i = 0; i < once.tours.size(); ++i)
    EXPECT_EQ(model::print_trace(tour_trace(once.all, once.tours[i])),
              model::print_trace(tour_trace(again.all, again.tours[i])));
}

INSTANTIATE_TEST_SUITE_P(EachScope, ToursOf,
                         ::testing::Values("tour-regions", "tour-rights", "tour-windows",
                                           "tour-windows-2"),
                         [](const auto& named) {
                           std::string name = named.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Tours, NeedNamedSlots) {
  const specs::Scope scope =
      specs::load_scope(model::testing::tree_file("specs/explore/scopes/default.scope"));
  EXPECT_THAT(
      [&] { specs::Transitions all(scope); },
      ::testing::ThrowsMessage<model::TraceError>(HasSubstr("write 'symmetry none' for tours")));
}

}  // namespace
}  // namespace mrproof::property_tests
