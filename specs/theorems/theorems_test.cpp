// Theorems on plain numbers: what is proved of terms holds on every step of every scenario, as the
// oracle takes it. So no theorem is about something else than the model that judges devices.
#include "specs/theorems/all.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "model/oracle/judge_trace.hpp"
#include "model/testing/test_files.hpp"

namespace mrproof::specs {
namespace {

using model::Plain;

/// What is asked with each step: how often a theorem said something, and of how many steps.
struct Asked {
  std::map<std::string, std::size_t> facts;
  std::size_t steps = 0, learnt = 0;
};

/// A fact that does not hold though all that is given does; empty if there is none.
template <class Facts>
std::string broken(const Facts& facts, const char* theorem, Asked& asked) {
  for (const auto& fact : facts.all()) {
    const auto& given = fact.given;
    if (!std::all_of(given.begin(), given.end(), [](auto bit) { return bit.truth(); })) continue;
    ++asked.facts[theorem];
    if (!fact.holds.truth()) return std::string(theorem) + ": " + fact.of;
  }
  return "";
}

/// Bytes that facts about each byte are asked of: the first ones, and those around the last.
std::vector<Plain::Address> offsets_of(const model::PlainView& view) {
  const auto length = view.message();
  std::vector<Plain::Address> all;
  for (const int at : {0, 1, 7}) all.push_back(Plain::address(at));
  for (const int back : {-1, 0, 1, 2}) all.push_back(length - Plain::address(back));
  return all;
}

/// Keys that facts about any key are asked of: those that the step and the objects have.
std::vector<Plain::Key> keys_of(const Taken<Plain>& t) {
  std::vector<Plain::Key> all{t.call.rkey,   t.call.lkey,   t.call.second.lkey,
                              t.result.rkey, t.result.lkey, Plain::key(0)};
  for (const auto* state : {&t.before, &t.after}) {
    for (const auto& r : state->regions)
      all.insert(all.end(), {r.lkey, r.rkey, r.old_lkey, r.old_rkey});
    for (const auto& w : state->windows) all.insert(all.end(), {w.rkey, w.old_rkey});
  }
  const auto less = [](auto a, auto b) { return a.value() < b.value(); };
  const auto same = [](auto a, auto b) { return a.value() == b.value(); };
  std::sort(all.begin(), all.end(), less);
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

/// The first fact that is broken by the step, for any of those bytes and keys.
std::string first_broken(Taken<Plain> taken, Asked& asked) {
  for (const auto& theorem : step_theorems<Plain>()) {
    const auto ask = [&] {
      Facts<Plain> facts;
      theorem.facts(taken, facts);
      return broken(facts, theorem.name, asked);
    };
    for (const auto offset : offsets_of(taken.view())) {
      taken.offset = offset;
      if (auto what = ask(); !what.empty()) return what;
    }
    for (const auto key : keys_of(taken)) {
      taken.key = key;
      if (auto what = ask(); !what.empty()) return what;
    }
  }
  for (const auto& invariant : invariants<Plain>()) {
    Facts<Plain> facts;
    invariant.facts(taken.after, facts);
    if (auto what = broken(facts, invariant.name, asked); !what.empty()) return what;
  }
  return "";
}

const model::PlainRule& rule_named(const model::Rulebook& book, const std::string& id) {
  const auto rules = book.rules();
  return **std::find_if(rules.begin(), rules.end(), [&](auto* rule) { return rule->id == id; });
}

/// Asks of each step of the scenario that a rule allows.
void ask_scenario(const std::string& file, Asked& asked) {
  const model::Trace trace = model::load_trace(file);
  const auto& book = *model::find_rulebook(trace.dialect);
  const model::Trace judged = model::judge_trace(trace, book, file);
  for (std::size_t i = 0; i < judged.steps.size(); ++i) {
    model::Step step = judged.steps[i];
    if (step.annotations.front().verdict == model::Verdict::deviates ||
        step.annotations.front().verdict == model::Verdict::hang ||
        step.call.part != model::Part::whole)  // made at a moment of its own
      continue;
    const auto before = model::oracle_before(judged, book, i);
    const auto after = model::oracle_before(judged, book, i + 1).state();
    before.resolve(step);
    const auto& rule = rule_named(book, step.annotations.front().rule);
    const model::PlainView view{before.state(), step.call, step.result};
    // Here the oracle learnt that a queue pair had failed before the step.
    if (model::judge(book, view).verdict == model::Verdict::deviates) {
      ++asked.learnt;
      continue;
    }
    const auto moved = rule.transfer == nullptr ? Transfer<Plain>{} : rule.transfer(view);
    const Taken<Plain> taken{before.state(),
                             step.call,
                             step.result,
                             after,
                             rule,
                             rule.transfer == nullptr ? nullptr : &moved,
                             {},
                             {}};
    ++asked.steps;
    EXPECT_EQ(first_broken(taken, asked), "") << file << ":" << step.line;
  }
}

TEST(Theorems, HoldOnEveryStepOfEveryScenario) {
  Asked asked;
  for (const auto& file : model::testing::scenario_files()) ask_scenario(file, asked);
  EXPECT_GT(asked.steps, 3000U);
  EXPECT_LE(asked.learnt, 5U) << "steps that are not asked of";
  for (const auto& theorem : step_theorems<Plain>())
    EXPECT_GT(asked.facts[theorem.name], 0U) << theorem.name << " says nothing of any step";
  for (const auto& invariant : invariants<Plain>())
    EXPECT_GT(asked.facts[invariant.name], 0U) << invariant.name << " says nothing of any state";
}

}  // namespace
}  // namespace mrproof::specs
