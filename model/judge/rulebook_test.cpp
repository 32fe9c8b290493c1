#include "model/judge/rulebook.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "model/judge/dialects.hpp"

namespace mrproof::model {
namespace {

using ::testing::Contains;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

const Rulebook& book() { return linux_rulebook(); }

std::string verb_of(const PlainRule& rule) {
  return std::string(kVerbNames.at(static_cast<std::size_t>(rule.verb)));
}

TEST(Rulebook, IdsAreUniqueAndBeginWithTheirVerb) {
  std::set<std::string_view> ids;
  for (const PlainRule* rule : book().rules()) {
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id << " is there twice";
    EXPECT_THAT(rule->id, StartsWith(verb_of(*rule) + "."));
    EXPECT_THAT(rule->id, MatchesRegex("[a-z_]+\\.[a-z_]+"));
    EXPECT_EQ(book().find(rule->id), rule);
    EXPECT_EQ(book().rules()[book().index(*rule)], rule);
  }
  EXPECT_EQ(book().find("reg_mr.nothing"), nullptr);
}

TEST(Rulebook, ConditionsHaveOneIdASentenceAndClauses) {
  std::map<std::string_view, const PlainCondition*> ids;
  for (const auto* condition : book().conditions()) {
    EXPECT_THAT(condition->id, MatchesRegex("[a-z][a-z_]*"));
    EXPECT_EQ(ids.emplace(condition->id, condition).first->second, condition)
        << condition->id << " names two conditions";
    EXPECT_GT(std::string_view(condition->sentence).size(), 10U) << condition->id;
    EXPECT_THAT(condition->clauses, MatchesRegex("[a-zA-Z][^ ]*( [^ ]+)*|[0-9][^ ]*( [^ ]+)*"));
    EXPECT_NE(condition->holds, nullptr) << condition->id;
  }
}

TEST(Rulebook, ConditionsAreThoseOfRulesAndDutiesOnce) {
  const auto all = book().conditions();
  EXPECT_THAT(
      all, ::testing::IsSupersetOf({&qp_live<Plain>, &qp_ready<Plain>, &says_fault<Plain>}));
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
}

TEST(Rulebook, RulesAreFoundByVerbAndOutcomeStrictestFirst) {
  std::size_t found = 0;
  for (std::size_t verb = 0; verb < kVerbs; ++verb)
    for (std::size_t outcome = 0; outcome < kOutcomes; ++outcome) {
      const auto rules = book().rules(static_cast<Verb>(verb), static_cast<Outcome>(outcome));
      found += rules.size();
      const auto strictness = [](const PlainRule* rule) {
        if (rule->weight == Weight::verdict) return 0;
        return rule->weight == Weight::unsupported ? 1 : 2;
      };
      EXPECT_TRUE(std::is_sorted(rules.begin(), rules.end(),
          [&](const auto* a, const auto* b) { return strictness(a) < strictness(b); }))
          << kVerbNames.at(verb) << " -> " << kOutcomeNames.at(outcome)
          << ": what proves nothing must come last";
      for (const PlainRule* rule : rules) {
        EXPECT_EQ(rule->verb, static_cast<Verb>(verb));
        EXPECT_EQ(rule->outcome, static_cast<Outcome>(outcome));
      }
    }
  EXPECT_EQ(found, book().rules().size());
}

TEST(Rulebook, EveryVerbCanSucceedAndARefusalNeedsAReason) {
  for (std::size_t verb = 0; verb < kVerbs; ++verb)
    EXPECT_EQ(book().has(static_cast<Verb>(verb)), static_cast<Verb>(verb) != Verb::reg_shared_mr)
        << kVerbNames.at(verb);
  for (const PlainRule* rule : book().rules()) {
    const bool excuses = rule->reasons.empty() && rule->weight != Weight::inconclusive;
    EXPECT_FALSE(rule->outcome == Outcome::refused && excuses)
        << rule->id << " would excuse every refusal";
  }
}

TEST(Rulebook, ConditionsOfARuleAreNotNamedTwice) {
  for (const PlainRule* rule : book().rules())
    for (const auto* terms : {&rule->requires_all, &rule->reasons}) {
      std::set<const PlainCondition*> seen;
      for (const auto& term : *terms)
        EXPECT_TRUE(seen.insert(term.condition).second) << rule->id << " " << term.condition->id;
    }
}

TEST(Rulebook, ReasonsSpeakOfTheSituation) {
  for (const PlainRule* rule : book().rules())
    for (const auto& term : rule->reasons)
      EXPECT_EQ(term.condition->about, About::situation) << rule->id << " " << term.condition->id;
}

/// What the caller of a verb that names an object owes at least.
struct Owed {
  Verb verb;
  const char* precondition;
};

TEST(Rulebook, WhoeverNamesAnObjectOwesThatItIsThere) {
  for (const auto& [verb, precondition] : {Owed{Verb::alloc_pd, "pd_slot_free"},
           {Verb::dealloc_pd, "pd_live"}, {Verb::reg_mr, "pd_live"}, {Verb::reg_mr, "mr_slot_free"},
           {Verb::dereg_mr, "mr_live"}, {Verb::post_recv, "qp_live"}, {Verb::send, "qp_live"},
           {Verb::rdma_write, "qp_live"}, {Verb::rdma_read, "qp_live"}, {Verb::query_qp, "qp_live"},
           {Verb::connect, "pair_live"}, {Verb::rereg_mr, "mr_defined"},
           {Verb::alloc_mw, "mw_slot_free"}, {Verb::dealloc_mw, "mw_live"},
           {Verb::bind_mw, "mw_defined"}, {Verb::post_bind_mw, "mr_defined"},
           {Verb::local_inv, "invalidated_defined"}, {Verb::destroy_qp, "qp_live"},
           {Verb::protect, "pages_whole"}, {Verb::fill, "store_in_buffer"},
           {Verb::send, "receive_copy_defined"}, {Verb::rdma_write, "copy_defined"},
           {Verb::rdma_read, "copy_defined"}, {Verb::rereg_mr, "one_process"},
           {Verb::bind_mw, "one_process"}, {Verb::post_bind_mw, "one_process"}}) {
    std::vector<std::string> ids;
    for (const auto* condition : book().preconditions(verb)) ids.emplace_back(condition->id);
    EXPECT_THAT(ids, Contains(precondition)) << kVerbNames.at(static_cast<std::size_t>(verb));
  }
}

/// A queue pair, a window and a region in pd0, and a region in pd1, which is the other process's.
State<Plain> two_processes() {
  State<Plain> state;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto make = [&](auto& object) {
      object.live = Bit(true);
      object.pd = Plain::slot(i);
    };
    state.pds.change(i, [](auto& pd) { pd.live = Bit(true); });
    state.regions.change(i, make);
    state.qps.change(i, make);
  }
  state.windows.change(0, [](auto& w) { w.live = Bit(true); });
  state.process = {0, 1};
  return state;
}

TEST(Rulebook, HandlesOfTwoProcessesAreNotForOneCall) {
  Call<Plain> move{.verb = Verb::rereg_mr, .pd = 1, .flags = Plain::flags(kChangePd)};
  Call<Plain> bind{.verb = Verb::bind_mw, .mr = 1};
  const Call<Plain> posted{.verb = Verb::post_bind_mw, .mr = 1};
  const Call<Plain> share{.verb = Verb::reg_shared_mr, .mr = 2, .source = 1};
  State<Plain> state = two_processes();
  const auto& books = {&book(), &book(), &book(), &experimental_rulebook()};
  auto of = books.begin();
  for (const Call<Plain>& call : {move, bind, posted, share}) {
    const Rulebook& rules = **of++;
    EXPECT_EQ(rules.forbids(state, call), &one_process<Plain>);
    State<Plain> in_one = state;
    in_one.process = {};
    EXPECT_EQ(rules.forbids(in_one, call), nullptr);
  }
  move.flags = Plain::flags(kChangeAccess);  // names no PD
  EXPECT_EQ(book().forbids(state, move), nullptr);
  bind.mr = 0;
  bind.qp = 1;
  EXPECT_EQ(book().forbids(state, bind), &one_process<Plain>);
  bind.qp = 0;
  EXPECT_EQ(book().forbids(state, bind), nullptr);
}

TEST(Rulebook, KeysOfTheOtherProcessMayBeUsed) {
  State<Plain> state = two_processes();
  Call<Plain> write{.verb = Verb::rdma_write};
  write.lkey = write.rkey = Plain::key(0x100);
  state.regions.change(1, [&](auto& r) { r.lkey = r.rkey = write.lkey; });
  EXPECT_EQ(book().forbids(state, write), nullptr);
  write.verb = Verb::local_inv;
  state.can.features = Plain::flags(kMemoryExtensions);
  EXPECT_EQ(book().forbids(state, write), nullptr);
}

TEST(Rulebook, DialectsDifferInVerbsAndFlags) {
  const auto& old = linux_2006_rulebook();
  EXPECT_FALSE(old.has(Verb::rereg_mr));
  EXPECT_FALSE(old.has(Verb::reg_mr_iova));
  EXPECT_TRUE(old.has(Verb::reg_mr));
  EXPECT_EQ(old.forbids({}, {.verb = Verb::rereg_mr}), &kVerbInDialect);
  EXPECT_EQ(old.defined_access() & kZeroBased, 0U);
  EXPECT_TRUE(experimental_rulebook().has(Verb::reg_shared_mr));
  EXPECT_NE(experimental_rulebook().find("rereg_mr.refused_peer_memory"), nullptr);
  EXPECT_EQ(experimental_rulebook().find("rereg_mr.err_cmd"), nullptr);
}

TEST(Rulebook, IsFoundByItsDialect) {
  EXPECT_EQ(find_rulebook("linux"), &book());
  EXPECT_EQ(book().dialect(), "linux");
  for (const auto dialect : kDialects) EXPECT_EQ(find_rulebook(dialect)->dialect(), dialect);
  EXPECT_EQ(find_rulebook("Linux"), nullptr);
  EXPECT_EQ(find_rulebook(""), nullptr);
}

}  // namespace
}  // namespace mrproof::model
