#include "model/oracle/synthesize.hpp"

#include <gmock/gmock.h>

#include <set>

#include "impl/sim/sim_device.hpp"
#include "model/random.hpp"
#include "property-tests/walk/walk.hpp"

namespace mrproof::property_tests {
namespace {

using namespace model;

/// A device that exists on paper only: its memory is always as predicted.
class NoMemory : public model::MemorySource {
 public:
  void differences(const model::Memory& /*expected*/,
                   std::vector<model::ByteRun>& /*runs*/) override {}
};

/// What the simulated device can do, so that walks reach what devices have.
Capabilities<Plain> abilities() { return impl::SimDevice().capabilities(); }

State<Plain> state_of(const Rulebook& book) {
  return model::initial_state(model::standard_setup(), abilities(), book.defined_access());
}

Call<Plain> registration() {
  return {.verb = Verb::reg_mr,
          .access = Plain::flags(kLocalWrite),
          .address = Plain::address(model::buffer_address(0)),
          .length = Plain::address(64)};
}

const PlainRule& rule(std::string_view id) { return *linux_rulebook().find(id); }

TEST(Synthesize, GivesRegionsFreshKeys) {
  State<Plain> state = state_of(linux_rulebook());
  Call<Plain> call = registration();
  std::set<std::uint64_t> keys;
  for (std::uint32_t mr = 0; mr < 3; ++mr) {
    call.mr = mr;
    const auto result = model::synthesize(rule("reg_mr.ok"), state, call);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->error.value(), 0U);
    EXPECT_TRUE(keys.insert(result->lkey.value()).second);
    advance(rule("reg_mr.ok"), {state, call, *result}, state);
  }
}

TEST(Synthesize, GivesTheErrnoOrCodeThatTheRuleAsksFor) {
  State<Plain> state = state_of(linux_rulebook());
  Call<Plain> call = registration();
  const auto made = model::synthesize(rule("reg_mr.ok"), state, call);
  advance(rule("reg_mr.ok"), {state, call, made.value()}, state);
  call.mr = 1;
  EXPECT_EQ(model::synthesize(rule("reg_mr.no_resources"), state, call)->error.value(), 12U);
  call.verb = Verb::rereg_mr;
  call.mr = 0;
  call.flags = Plain::flags(8);
  EXPECT_EQ(model::synthesize(rule("rereg_mr.err_input"), state, call)->error.value(), kErrInput);
  EXPECT_EQ(model::synthesize(rule("rereg_mr.no_resources_kept"), state, call)->reason.value(),
            12U);
}

TEST(Synthesize, GivesNothingWhereTheSituationForbidsTheRule) {
  const State<Plain> state = state_of(linux_rulebook());
  Call<Plain> call = registration();
  EXPECT_FALSE(model::synthesize(rule("reg_mr.refused"), state, call));
  call.access = Plain::flags(kRemoteWrite);
  EXPECT_FALSE(model::synthesize(rule("reg_mr.ok"), state, call));
  EXPECT_TRUE(model::synthesize(rule("reg_mr.refused"), state, call));
}

TEST(Synthesize, GivesWhatIsSeenWithACompletion) {
  State<Plain> state = state_of(linux_rulebook());
  const Call<Plain> call{.verb = Verb::send};
  const auto none = model::synthesize(rule("send.rnr_retry_exc_err"), state, call);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->qp_state.value(), Plain::small(QpState::err).value());
  EXPECT_EQ(none->peer_state.value(), Plain::small(QpState::rts).value());
  state.qps.change(1, [](auto& qp) { qp.posted = Bit(true); });
  const auto empty = model::synthesize(rule("send.ok"), state, call);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->peer_receive.value(), Plain::small(Outcome::ok).value());
}

/// Every rule that the situation allows must have a result, and by that result the step conforms.
void check_step(model::Oracle& oracle, const model::Step& step, model::Random& random,
                std::set<std::string>& taken) {
  const Rulebook& book = oracle.book();
  OutcomeSet found;
  std::vector<model::Step> results;
  for (const PlainRule* candidate : book.rules()) {
    if (candidate->verb != step.call.verb) continue;
    const auto result = model::synthesize(*candidate, oracle.state(), step.call);
    if (!result) continue;
    if (candidate->weight != Weight::inconclusive) found.add(candidate->outcome);
    const auto judged = judge(book, {oracle.state(), step.call, *result});
    ASSERT_NE(judged.verdict, Verdict::deviates) << candidate->id << " " << model::print_call(step);
    taken.insert(candidate->id);
    results.push_back(step);
    results.back().result = *result;
  }
  const auto expected = allowed(book, {oracle.state(), step.call, step.result});
  for (std::size_t i = 0; i < kOutcomes; ++i)
    ASSERT_EQ(found.contains(static_cast<Outcome>(i)), expected.contains(static_cast<Outcome>(i)))
        << model::print_call(step) << " " << kOutcomeNames.at(i);
  // Mostly as it succeeds, so that there is something to fail with later.
  const auto& chosen =
      random.chance(80) ? results.front() : results.at(random.below(results.size()));
  model::Step next = chosen;
  NoMemory memory;
  ASSERT_NE(oracle.check(next, memory).verdict, Verdict::deviates) << model::print_call(step);
}

TEST(Synthesize, FindsAResultForEveryRuleThatTheSituationAllows) {
  for (const auto dialect : kDialects) {
    const Rulebook& book = *find_rulebook(dialect);
    std::set<std::string> taken;
    WalkOptions options;
    options.wrong_percent = 20;
    for (std::uint64_t seed = 1; seed <= 160; ++seed) {
      model::Oracle oracle(book, model::standard_setup(), abilities());
      Walk walk(4 * seed + 1, options);  // no calls overlap, whose results hang together
      model::Random random(seed);
      for (int i = 0; i < 150; ++i) {
        const model::Step step = walk.next(oracle);
        ASSERT_NO_FATAL_FAILURE(check_step(oracle, step, random, taken));
      }
    }
    // What a walk seldom reaches (lost peers, missing pages) weighs more in a small dialect.
    EXPECT_GT(taken.size() * 4, book.rules().size() * 3) << dialect;
  }
}

}  // namespace
}  // namespace mrproof::property_tests
