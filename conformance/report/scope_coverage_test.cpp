#include "conformance/report/scope_coverage.hpp"

#include <gmock/gmock.h>

#include "model/oracle/recorded_case.hpp"
#include "model/testing/test_files.hpp"
#include "property-tests/series/tours.hpp"

namespace mrproof::conformance {
namespace {

using namespace model;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A scope, its tours, and what was seen of them.
class Covered {
 public:
  explicit Covered(const std::string& name)
      : scope_(specs::load_scope(model::testing::tree_file("specs/explore/scopes/") + name +
                                 ".scope")),
        all_(scope_),
        seen_(all_),
        tours_(property_tests::make_tours(all_)) {
    seen_.device(scope_.can);
  }

  std::vector<property_tests::Tour>& tours() { return tours_; }
  specs::Transitions& all() { return all_; }
  ScopeCoverage& seen() { return seen_; }

  /// A device that does what is likely, and (`turn` says so) something else.
  template <class Turn>
  void make_tours_but(Turn&& turn) {
    for (const property_tests::Tour& tour : tours_)
      follow(property_tests::tour_trace(all_, tour), turn);
  }
  /// The same with one trace.
  template <class Turn>
  void follow(const model::Trace& trace, Turn&& turn) {
    model::RecordedCase recorded(trace, all_.book(), model::RecordedCase::Keys::given);
    seen_.begin_case(trace.setup);
    while (model::Step* step = recorded.next()) {
      if (recorded.oracle().forbids(*step) != nullptr) continue;
      turn(*step);
      const auto before = recorded.oracle().state();
      const auto judgement = recorded.judge();
      seen_.step(before, *step, judgement);
      if (judgement.verdict == Verdict::deviates)
        break;  // the results to come are for another state
    }
  }
  ScopeFigures figures(const std::vector<property_tests::KnownDeviation>& known = {}) {
    return seen_.figures(known);
  }

 private:
  specs::Scope scope_;
  specs::Transitions all_;
  ScopeCoverage seen_;
  std::vector<property_tests::Tour> tours_;
};

TEST(ScopeCoverage, IsCompleteAfterAllTours) {
  Covered covered("tour-windows");
  covered.make_tours_but([](model::Step&) {});
  const auto figures = covered.figures();
  EXPECT_TRUE(figures.complete());
  EXPECT_EQ(figures.states_visited, figures.states);
  EXPECT_EQ(figures.calls_made, figures.calls);
  EXPECT_EQ(figures.pairs_met + figures.pairs_missed.size(), figures.pairs);
  EXPECT_GT(figures.pairs, 100U);
  EXPECT_THAT(figures.deviations, IsEmpty());
  EXPECT_THAT(figures.behind, IsEmpty());
  std::size_t choices = 0;
  for (const auto& [name, count] : figures.choices) choices += count;
  EXPECT_GT(choices, 0U);
  EXPECT_EQ(figures.transitions_taken + choices, figures.transitions);
}

TEST(ScopeCoverage, NamesTheOneCallThatWasNotMade) {
  Covered covered("tour-windows");
  std::vector<int> times(covered.all().calls().size());
  for (const property_tests::Tour& tour : covered.tours())
    for (const property_tests::TourStep& step : tour) ++times[step.call];
  for (property_tests::Tour& tour : covered.tours()) {
    if (times[tour.back().call] != 1) continue;
    const auto& call = covered.all().calls()[tour.back().call];
    tour.pop_back();
    covered.make_tours_but([](model::Step&) {});
    const auto figures = covered.figures();
    EXPECT_FALSE(figures.complete());
    ASSERT_EQ(figures.missed.size(), 1U);
    EXPECT_THAT(figures.missed[0],
                ::testing::StartsWith(model::print_call(covered.all().scope().calls[call.call])));
    const auto again = covered.seen().missed_traces(figures).traces;
    ASSERT_EQ(again.size(), 1U);
    covered.follow(again[0], [](model::Step&) {});
    EXPECT_TRUE(covered.figures().complete()) << model::print_trace(again[0]);
    return;
  }
  FAIL() << "no tour ends with a call that no other one makes";
}

// Each round may come to states from which others are near.
TEST(ScopeCoverage, IsCompleteAfterTracesOfWhatWasMissed) {
  Covered covered("tour-windows");
  auto& tours = covered.tours();
  tours.erase(tours.begin() + static_cast<long>(tours.size() / 20), tours.end());
  covered.make_tours_but([](model::Step&) {});
  std::size_t missed = covered.figures().missed.size();
  EXPECT_GT(missed, 100U);
  for (int round = 0; round < 20 && missed != 0; ++round) {
    const auto figures = covered.figures();
    const auto [traces, out_of_reach] = covered.seen().missed_traces(figures);
    EXPECT_LT(out_of_reach, figures.missed.size());
    for (const model::Trace& trace : traces) covered.follow(trace, [](model::Step&) {});
    const std::size_t left = covered.figures().missed.size();
    ASSERT_LT(left, missed) << "round " << round;
    missed = left;
  }
  EXPECT_EQ(missed, 0U);
}

// A case ends there, so that what comes after is missed, and not called done.
TEST(ScopeCoverage, NamesDeviationsAndWhatWasMissedForThem) {
  Covered covered("tour-windows");
  covered.make_tours_but([](model::Step& step) {
    if (step.call.verb != Verb::alloc_mw) return;
    step.result = {};
    step.result.outcome = Outcome::refused;
    step.result.error = Plain::key(22);
  });
  const auto figures = covered.figures();
  EXPECT_FALSE(figures.complete());
  EXPECT_FALSE(figures.deviations.empty());
  for (const auto& [name, count] : figures.deviations) EXPECT_THAT(name, HasSubstr("alloc_mw"));
  EXPECT_GT(figures.missed.size(), 1000U);
  EXPECT_LT(figures.states_visited, figures.states);
}

TEST(ScopeCoverage, NamesCallsThatWereLeftOut) {
  Covered covered("tour-windows");
  const std::vector<property_tests::KnownDeviation> known{
      {"rdma_write.ok", property_tests::KnownDeviation::kTrouble, "remote_key_live"}};
  for (property_tests::Tour& tour : covered.tours())
    std::erase_if(tour, [&](const property_tests::TourStep& step) {
      const auto& call = covered.all().calls()[step.call];
      const model::Step& made = covered.all().scope().calls[call.call];
      const auto state = specs::plain_state(covered.all().state(call.from));
      return made.call.verb == Verb::rdma_write && made.rkey.kind == model::KeyName::Kind::value &&
             (state.qps[0].state == QpState::rts).truth();
    });
  covered.make_tours_but([](model::Step&) {});
  const auto figures = covered.figures(known);
  EXPECT_THAT(figures.left_out, ::testing::SizeIs(::testing::Gt(0U)));
  for (const auto& [name, count] : figures.left_out)
    EXPECT_THAT(name, ::testing::StartsWith("rdma_write.none/none/"));
  EXPECT_FALSE(covered.figures({}).complete()) << "without that knowledge they are missed";
}

TEST(ScopeCoverage, SkipsAScopeThatTheDeviceLacksSomethingFor) {
  Covered covered("tour-windows");
  Capabilities<Plain> less = covered.all().scope().can;
  less.features = 0;
  covered.seen().device(less);
  EXPECT_EQ(covered.figures().lacking, "the device lacks MW_TYPE_1");
}

TEST(ScopeCoverage, FollowsACaseAsLongAsItStaysInTheScope) {
  Covered covered("tour-windows");
  covered.tours().resize(1);
  bool left = false;
  covered.make_tours_but([&](model::Step& step) {
    if (left) return;
    left = true;
    step.call.verb = Verb::query_qp;  // the scope has no such call
    step.result = {};
    step.result.qp_state = Plain::small(QpState::rts);
  });
  EXPECT_EQ(covered.figures().calls_made, 0U);
}

}  // namespace
}  // namespace mrproof::conformance
