#include "specs/explore/explorer.hpp"

#include <gmock/gmock.h>

#include <tuple>

#include "model/judge/rulebook.hpp"
#include "model/oracle/judge_trace.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::specs {
namespace {

using namespace model;
using ::testing::HasSubstr;

Scope scope_named(const std::string& name) {
  return load_scope(model::testing::tree_file("specs/explore/scopes/") + name + ".scope");
}

Explored explored(const Scope& scope, unsigned threads = 1) {
  const RuleMasks masks(scope.dialect);
  Explorer explorer(scope, masks);
  ExploreOptions options;
  options.threads = threads;
  return explorer.run(options);
}

using Counts = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::size_t>;
Counts counts_of(const Explored& e) {
  EXPECT_EQ(e.end, ExploreEnd::complete) << e.broken;
  EXPECT_EQ(e.counts.expanded, e.counts.states);
  return {e.counts.states, e.counts.transitions, e.counts.changes, e.counts.depth};
}

// What changes these numbers changes what the model allows: say why with the new ones.
TEST(Explorer, CountsEveryStateAndTransition) {
  EXPECT_EQ(counts_of(explored(scope_named("shared"))), Counts(11233, 651473, 257188, 15));
  EXPECT_EQ(counts_of(explored(scope_named("shared-three"))),
            Counts(114429, 11015421, 4132340, 16));
  EXPECT_EQ(counts_of(explored(scope_named("default"))), Counts(8430, 1265830, 660857, 13));
  EXPECT_EQ(counts_of(explored(scope_named("everything"))), Counts(8535, 205953, 124405, 19));
  EXPECT_EQ(counts_of(explored(scope_named("vendor"))), Counts(100698, 2138393, 1068530, 18));
}

TEST(Explorer, CountsTheSameInAnyNumberOfThreads) {
  for (const auto* name : {"shared", "default"}) {
    const Scope scope = scope_named(name);
    const auto one = counts_of(explored(scope));
    for (const unsigned threads : {2U, 3U, 8U}) EXPECT_EQ(counts_of(explored(scope, threads)), one);
  }
}

TEST(Explorer, StopsWhereMemoryEnds) {
  const Scope scope = scope_named("shared");
  const RuleMasks masks(scope.dialect);
  Explorer explorer(scope, masks);
  ExploreOptions options;
  options.memory = 1;
  options.first_places = 4096;
  const auto result = explorer.run(options);
  EXPECT_EQ(result.end, ExploreEnd::out_of_memory);
  EXPECT_LT(result.counts.states, 4096U);
  EXPECT_LT(result.counts.expanded, result.counts.states);
}

TEST(Explorer, StopsBeforeATableThatGrowsTakesMoreThanItMay) {
  const Scope scope = scope_named("shared-three");
  const RuleMasks masks(scope.dialect);
  ExploreOptions options;
  options.first_places = 1024;
  std::uint64_t last = 0;
  for (options.memory = std::size_t{1} << 18U; options.memory < 8U << 20U; options.memory *= 2) {
    Explorer explorer(scope, masks);
    const auto result = explorer.run(options);
    if (result.end == ExploreEnd::complete) break;
    EXPECT_LE(result.counts.bytes, options.memory);
    // What is remembered in between is counted when a level ends, or the table is full.
    EXPECT_LE(result.counts.all_bytes, options.memory / 4 * 5);
    EXPECT_GE(result.counts.states, last);
    last = result.counts.states;
  }
  EXPECT_GT(last, 1024U);
}

TEST(Explorer, FindsTheSameInATableThatGrows) {
  const Scope scope = scope_named("shared");
  const RuleMasks masks(scope.dialect);
  const auto whole = counts_of(explored(scope));
  for (const unsigned threads : {1U, 2U}) {
    Explorer explorer(scope, masks);
    ExploreOptions options;
    options.first_places = 1024;
    options.threads = threads;
    EXPECT_EQ(counts_of(explorer.run(options)), whole);
  }
}

/// A trace as the model itself judges it.
model::Annotation judged_last(const model::Trace& trace) {
  const model::Trace judged = model::judge_trace(trace, *find_rulebook(trace.dialect), "found");
  EXPECT_FALSE(judged.steps.empty());
  return judged.steps.empty() || judged.steps.back().annotations.empty()
             ? model::Annotation{}
             : judged.steps.back().annotations.front();
}

// The classical mistake: the last byte is compared, and nobody asks whether it wrapped around.
constexpr RuleCondition kBindInBoundsButForWraps{
    "bind_in_bounds", "", "", About::situation, [](const RuleView& v) -> RuleDomain::Bit {
      const auto last = v.call.address + v.call.length - 1;
      return (v.call.length == 0) |
             ((v.region().first <= v.call.address) & (last <= v.region().last));
    }};

TEST(Explorer, DefaultScopeFindsAWraparoundFault) {
  const Scope scope = scope_named("default");
  RuleMasks masks(scope.dialect);
  ASSERT_TRUE(masks.replace(kBindInBoundsButForWraps));
  Explorer explorer(scope, masks);
  const auto result = explorer.run({});
  ASSERT_EQ(result.end, ExploreEnd::broken);
  EXPECT_THAT(result.broken, HasSubstr("window_inside_region: mw0 mr0 range"));
  const model::Trace trace = explorer.trace_to(result);
  EXPECT_EQ(trace.steps.size(), 3U) << model::print_trace(trace);
  const auto last = judged_last(trace);
  EXPECT_TRUE(last.rule == "bind_mw.ok" || last.rule == "post_bind_mw.ok")
      << model::print_trace(trace);
  EXPECT_EQ(last.broken.text(), "bind_in_bounds+bind_wraps");
}

// The same mistake where memory is accessed.
constexpr RuleCondition kRemoteInBoundsButForWraps{
    "remote_in_bounds", "", "", About::situation, [](const RuleView& v) -> RuleDomain::Bit {
      return v.remote_side([&](auto& target) {
        const auto last = v.call.remote + v.message() - 1;
        return target.both(
            [&](auto& holder) { return (holder.first <= v.call.remote) & (last <= holder.last); });
      });
    }};

TEST(Explorer, DefaultScopeFindsAWraparoundFaultOfAccess) {
  const Scope scope = scope_named("default");
  RuleMasks masks(scope.dialect);
  ASSERT_TRUE(masks.replace(kRemoteInBoundsButForWraps));
  Explorer explorer(scope, masks);
  const auto result = explorer.run({});
  ASSERT_EQ(result.end, ExploreEnd::broken);
  EXPECT_THAT(result.broken, HasSubstr("moves bytes that its keys do not lead to"));
  const model::Trace trace = explorer.trace_to(result);
  EXPECT_EQ(trace.steps.back().call.remote.value(), 0xfffffffffffffffcU)
      << model::print_trace(trace);
}

TEST(Explorer, FindsACallWithoutAnAllowedResult) {
  const Scope scope = scope_named("default");
  RuleMasks masks(scope.dialect);
  ASSERT_TRUE(masks.drop("dereg_mr.refused"));
  Explorer explorer(scope, masks);
  const auto result = explorer.run({});
  ASSERT_EQ(result.end, ExploreEnd::broken);
  const model::Trace trace = explorer.trace_to(result);
  ASSERT_EQ(trace.steps.size(), 4U) << model::print_trace(trace);
  EXPECT_EQ(trace.steps.back().call.verb, Verb::dereg_mr);
  EXPECT_FALSE(trace.steps.back().observed);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(trace.steps[i].observed);
}

// States of six calls lead back to those of two, by deregistration and a new connection.
constexpr const char* kDeepScope = R"(# mrproof scope v1
given capabilities(0, 8388608)
given pd0
given qp0(pd0) <-> qp1(pd0)
regions 3
shown all
symmetry none
mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE)
mr1 = reg_mr(pd0, buf1+0, 4096, LOCAL_WRITE)
mr2 = reg_mr(pd0, buf2+0, 4096, LOCAL_WRITE|REMOTE_WRITE)
dereg_mr(mr*)
post_recv(qp1, mr1.lkey, buf1+0, 8)
rdma_write_with_imm(qp0, mr0.lkey, buf0+0, 8, mr2.rkey, buf2+0)
connect(qp0)
)";

TEST(Explorer, KnowsTheWayToADeepState) {
  const Scope scope = parse_scope(kDeepScope, "deep.scope");
  RuleMasks masks(scope.dialect);
  ASSERT_TRUE(masks.drop("rdma_write_with_imm.ok"));
  for (const unsigned threads : {1U, 2U, 3U}) {
    Explorer explorer(scope, masks);
    ExploreOptions options;
    options.threads = threads;
    const auto result = explorer.run(options);
    ASSERT_EQ(result.end, ExploreEnd::broken);
    const model::Trace trace = explorer.trace_to(result);
    ASSERT_EQ(trace.steps.size(), 5U) << model::print_trace(trace);
    EXPECT_EQ(trace.steps.back().call.verb, Verb::rdma_write_with_imm);
  }
}

TEST(Explorer, NeitherReplacesNorDropsWhatIsNotThere) {
  RuleMasks masks("linux");
  EXPECT_FALSE(masks.drop("dereg_mr.never"));
  auto other = kBindInBoundsButForWraps;
  other.id = "no_such_condition";
  EXPECT_FALSE(masks.replace(other));
}

}  // namespace
}  // namespace mrproof::specs
