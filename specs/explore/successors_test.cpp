#include "specs/explore/successors.hpp"

#include <gmock/gmock.h>

#include <set>

#include "model/judge/judge.hpp"
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
    specs::state_fields([](const std::string&, auto& to, const auto& value) { to = value; }, end,
                        after);
    ends.insert({rule->id, codec.pack(end)});
  }
  return ends;
}

class MovesOf : public ::testing::TestWithParam<const char*> {};

// SuccessorCache are remembered by what they depend on: what the rules say themselves, in another
// domain and one state at a time, has to be the same, wherever exploration comes.
TEST_P(MovesOf, AreWhatTheOraclesRulesSay) {
  const Scope scope =
      load_scope(model::testing::tree_file("specs/explore/scopes/") + GetParam() + ".scope");
  const RuleMasks masks(scope.dialect);
  Explorer explorer(scope, masks);
  const auto explored = explorer.run({});
  ASSERT_EQ(explored.end, ExploreEnd::complete);
  Successors moves(explorer.ready(), explorer.codec());
  std::size_t states = 0, compared = 0;
  std::vector<PackedState> some;
  explorer.each_state([&](PackedState state) {
    if (states++ % (explored.counts.states / 250) == 0) some.push_back(state);
  });
  for (const PackedState from : some) {
    std::vector<Ends> ends(scope.calls.size());
    moves.each(from, [&](PackedState to, std::size_t call, std::size_t rule) {
      ends[call].insert({explorer.ready().calls()[call].verb->rules[rule].id, to});
    });
    const auto live = ReadyScope::live_objects(StateCodec::numbers(from));
    for (std::size_t call = 0; call < ends.size(); ++call) {
      if (!explorer.ready().is_made(call, live)) continue;
      ASSERT_EQ(ends[call], plain_ends(scope, explorer.codec(), from, scope.calls[call]))
          << model::print_call(scope.calls[call]);
      compared += ends[call].size();
    }
  }
  EXPECT_GT(compared, 3000U);
}

INSTANTIATE_TEST_SUITE_P(EachScope, MovesOf,
                         ::testing::Values("default", "everything", "shared", "vendor"),
                         [](const auto& named) { return std::string(named.param); });

}  // namespace
}  // namespace mrproof::specs
