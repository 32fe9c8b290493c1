#include "specs/explore/successors.hpp"

#include <gmock/gmock.h>

#include <set>

#include "model/judge/judge.hpp"
#include "model/random.hpp"
#include "model/testing/test_files.hpp"
#include "model/trace/key_value.hpp"
#include "specs/explore/explorer.hpp"
#include "specs/symbolic/fields.hpp"

namespace mrproof::specs {
namespace {

using namespace model;

/// Where rules of a call lead, by id.
using Ends = std::set<std::pair<std::string, PackedState>>;

/// The same in the oracle's domain, by the oracle's rulebook.
Ends plain_ends(const Scope& scope, StateCodec& codec, PackedState from, const model::Step& call) {
  const auto& book = *find_rulebook(scope.dialect);
  const auto state = plain_state(codec.unpack(from));
  model::Step step = call;
  model::resolve_keys(step, state);
  Ends ends;
  if (book.forbids(state, step.call) != nullptr) return ends;
  const auto keys = world_result(world_call(call));
  Result<Plain> seen;
  seen.lkey = keys.lkey;
  seen.rkey = keys.rkey;
  for (const PlainRule* rule : book.rules()) {
    if (rule->verb != step.call.verb || rule->weight == Weight::inconclusive) continue;
    const PlainView view{state, step.call, seen};
    const auto holds = [&](const auto& term) {
      return term.condition->holds(view).truth() == term.holds;
    };
    bool open =
        rule->reasons.empty() || std::any_of(rule->reasons.begin(), rule->reasons.end(), holds);
    for (const auto& term : rule->requires_all)
      open = open && (term.condition->about != About::situation || holds(term));
    if (!open) continue;
    auto after = state;
    advance(*rule, view, after);
    WorldState end = codec.initial();
    specs::state_fields(specs::copy_field, end, after);
    ends.insert({rule->id, codec.pack(end)});
  }
  return ends;
}

/// A scope, explored, with some hundred of its states.
class SuccessorsOf : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_EQ(explored_.end, ExploreEnd::complete);
    std::size_t states = 0;
    explorer_.each_state([&](PackedState state) {
      if (states++ % (explored_.counts.states / 250) == 0) some_.push_back(state);
    });
  }

  /// Holds what is remembered against what the rules say themselves: in another domain, and one
  /// state at a time.
  void compare(PackedState from) {
    std::vector<Ends> ends(scope_.calls.size());
    successors_.each(from, [&](PackedState to, std::size_t call, std::size_t rule) {
      ends[call].insert({explorer_.ready().calls()[call].verb->rules[rule].id, to});
    });
    const auto live = ReadyScope::live_objects(StateCodec::numbers(from));
    for (std::size_t call = 0; call < ends.size(); ++call) {
      if (!explorer_.ready().is_made(call, live)) continue;
      ASSERT_EQ(ends[call], plain_ends(scope_, explorer_.codec(), from, scope_.calls[call]))
          << model::print_call(scope_.calls[call]);
      compared_ += ends[call].size();
    }
  }

  Scope scope_ =
      load_scope(model::testing::tree_file("specs/explore/scopes/") + GetParam() + ".scope");
  RuleMasks masks_{scope_.dialect};
  Explorer explorer_{scope_, masks_};
  Explored explored_ = explorer_.run({});
  Successors successors_{explorer_.ready(), explorer_.codec()};
  std::vector<PackedState> some_;
  std::size_t compared_ = 0;
};

TEST_P(SuccessorsOf, AreWhatTheOraclesRulesSay) {
  for (const PackedState from : some_) ASSERT_NO_FATAL_FAILURE(compare(from));
  EXPECT_GT(compared_, 3000U);
}

// An answer holds for all states that agree on what it was made of. So it holds also where each
// object is that of another state, at random: most of these states no way leads to.
TEST_P(SuccessorsOf, AreWhatTheOraclesRulesSayInRandomStates) {
  model::Random random(5);
  const auto part = [&](std::uint64_t PackedState::*half) {
    std::uint64_t mixed = 0;
    for (unsigned shift = 0; shift < 64; shift += 16)
      mixed |= some_[random.below(some_.size())].*half & (std::uint64_t{0xffff} << shift);
    return mixed;
  };
  for (int i = 0; i < 400; ++i) {
    const PackedState mixed{part(&PackedState::low), part(&PackedState::high)};
    // Packed anew, since what an object is kept as may hang on the others.
    const PackedState from = explorer_.codec().pack(explorer_.codec().unpack(mixed));
    ASSERT_NO_FATAL_FAILURE(compare(from));
  }
  EXPECT_GT(compared_, 3000U);
}

INSTANTIATE_TEST_SUITE_P(EachScope, SuccessorsOf,
                         ::testing::Values("default", "everything", "shared", "vendor"),
                         [](const auto& named) { return std::string(named.param); });

}  // namespace
}  // namespace mrproof::specs
