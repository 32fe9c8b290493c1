// Properties of the rules themselves, on random states and calls, in two domains.
#include "model/rule.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "model/rules/messages.hpp"
#include "model/rules/objects.hpp"
#include "model/rules/rdma.hpp"

namespace mrproof::model {
namespace {

/// Words of 16 bits: everything that make() draws fits.
using Narrow = Concrete<16, 4, 8, 4>;
constexpr std::uint64_t kNarrowMask = 0xffff;

/// Draws the same state, call and result in every domain that is asked with the same seed. Values
/// are few, so that keys, domains and ranges meet often.
template <class D>
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  State<D> state() {
    State<D> s;
    for (auto& pd : s.pds) pd.live = D::bit(below(2) == 0);
    for (auto& r : s.regions) draw(r);
    for (auto& q : s.qps) draw(q);
    for (std::size_t i = 0; i < s.buffers.size(); ++i) {
      s.buffers[i].first = D::address(i * 0x400);
      s.buffers[i].last = D::address(i * 0x400 + 0xff);
    }
    s.can.claimed = D::flags(below(1024));
    s.can.max_message = D::address(below(0x100));
    s.proven = D::flags(below(1024) & below(1024));
    return s;
  }

  Call<D> call(Verb verb) {
    Call<D> c;
    c.verb = verb;
    c.pd = small();
    c.mr = static_cast<std::uint8_t>(below(8));
    c.qp = small();
    c.seed = small();
    c.access = D::flags(below(1024));
    c.address = address();
    c.length = length();
    c.lkey = key();
    c.rkey = key();
    c.remote = address();
    return c;
  }

  Result<D> result(Outcome outcome) {
    Result<D> r;
    r.outcome = outcome;
    r.error = D::key(below(3) == 0 ? 0U : below(30));
    r.lkey = key();
    r.rkey = key();
    r.completion_matches = D::bit(below(2) == 0);
    r.qp_state = D::small(below(4));
    r.peer_state = D::small(below(4));
    r.own_receive = D::small(below(kOutcomes));
    r.peer_receive = D::small(below(kOutcomes));
    r.received = length();
    return r;
  }

 private:
  void draw(Region<D>& r) {
    r.live = D::bit(below(4) != 0);
    r.empty = D::bit(below(8) == 0);
    r.undefined = D::bit(below(8) == 0);
    r.pd = D::small(below(2));
    r.access = D::flags(below(64));
    r.memory = address();
    r.first = below(3) == 0 ? D::address(0) : r.memory;
    r.last = r.first + length();
    r.lkey = key();
    r.rkey = key();
  }
  void draw(QueuePair<D>& q) {
    q.live = D::bit(below(8) != 0);
    q.pd = D::small(below(2));
    q.state = as_small<D>(below(3) == 0 ? QpState::err : QpState::rts);
    q.posted = D::bit(below(2) == 0);
    q.lkey = key();
    q.address = address();
    q.length = length();
  }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint8_t small() { return static_cast<std::uint8_t>(below(4)); }
  typename D::Key key() { return D::key(below(6)); }
  typename D::Address address() { return D::address(below(4) * 0x400 + below(3) * 0x40); }
  typename D::Address length() { return D::address(below(4) * 0x40 + below(2)); }

  std::mt19937_64 random_;
};

/// All rules, in one list for each domain.
template <class D>
std::vector<const Rule<D>*> rules() {
  std::vector<const Rule<D>*> all;
  for (const auto& rule : ObjectRules<D>::kRules) all.push_back(&rule);
  for (const auto& rule : MessageRules<D>::kRules) all.push_back(&rule);
  for (const auto& rule : RdmaRules<D>::kWrite) all.push_back(&rule);
  for (const auto& rule : RdmaRules<D>::kRead) all.push_back(&rule);
  return all;
}

template <class D>
void append(std::vector<std::uint64_t>& values, const Region<D>& r) {
  for (const auto bit : {r.live, r.empty, r.undefined}) values.push_back(bit.truth());
  for (const std::uint64_t value :
       {r.pd.value(), r.access.value(), r.first.value() & kNarrowMask, r.last.value() & kNarrowMask,
        r.memory.value() & kNarrowMask, r.lkey.value(), r.rkey.value()})
    values.push_back(value);
}

/// The rule's answer about one draw as numbers: its conditions, the state after it, what it moves.
template <class D>
std::vector<std::uint64_t> answer(const Rule<D>& rule, std::uint64_t seed) {
  Draw<D> draw(seed);
  const auto state = draw.state();
  const auto call = draw.call(rule.verb);
  const auto result = draw.result(rule.outcome);
  const View<D> view{state, call, result};
  std::vector<std::uint64_t> values;
  for (const auto* terms : {&rule.requires_all, &rule.reasons})
    for (const auto& term : *terms) values.push_back(term.condition->holds(view).truth());
  auto after = state;
  if (rule.effect != nullptr) rule.effect(view, after);
  for (const auto& pd : after.pds) values.push_back(pd.live.truth());
  for (const auto& region : after.regions) append(values, region);
  for (const auto& qp : after.qps)
    for (const std::uint64_t value :
         {std::uint64_t{qp.live.truth()}, std::uint64_t{qp.posted.truth()}, qp.state.value(),
          qp.pd.value(), qp.lkey.value(), qp.address.value(), qp.length.value()})
      values.push_back(value);
  values.push_back(after.proven.value());
  if (rule.transfer != nullptr) {
    const auto transfer = rule.transfer(view);
    for (const auto& address : {transfer.from, transfer.to, transfer.length})
      values.push_back(address.value() & kNarrowMask);
    values.push_back(transfer.exact ? 1 : 0);
  }
  return values;
}

constexpr std::uint64_t kDraws = 2000;

TEST(Rules, SayTheSameInNarrowWordsWhereValuesFit) {
  const auto plain = rules<Plain>();
  const auto narrow = rules<Narrow>();
  ASSERT_EQ(plain.size(), narrow.size());
  for (std::size_t i = 0; i < plain.size(); ++i)
    for (std::uint64_t seed = 0; seed < kDraws; ++seed)
      ASSERT_EQ(answer(*plain[i], seed), answer(*narrow[i], seed)) << plain[i]->id << " " << seed;
}

TEST(Rules, SituationsDoNotDependOnWhatWasSeenAndObservationsDo) {
  std::set<std::string> depending;
  std::set<std::string> observations;
  for (const auto* rule : rules<Plain>())
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      Draw<Plain> draw(seed);
      const auto state = draw.state();
      const auto call = draw.call(rule->verb);
      const auto one = draw.result(rule->outcome);
      const auto other = draw.result(rule->outcome);
      for (const auto& term : rule->requires_all) {
        const auto& condition = *term.condition;
        const bool differs = condition.holds({state, call, one}).truth() !=
                             condition.holds({state, call, other}).truth();
        if (condition.about == About::observation) observations.insert(condition.id);
        if (differs) depending.insert(condition.id);
      }
    }
  EXPECT_EQ(depending, observations);
}

TEST(Rules, EffectsMayRunInPlace) {
  for (const auto* rule : rules<Plain>()) {
    if (rule->effect == nullptr) continue;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      Draw<Plain> draw(seed);
      auto state = draw.state();
      const auto call = draw.call(rule->verb);
      const auto result = draw.result(rule->outcome);
      const auto before = state;
      auto apart = state;
      rule->effect({before, call, result}, apart);
      rule->effect({state, call, result}, state);
      std::vector<std::uint64_t> one;
      std::vector<std::uint64_t> two;
      for (const auto& region : apart.regions) append(one, region);
      for (const auto& region : state.regions) append(two, region);
      ASSERT_EQ(one, two) << rule->id;
    }
  }
}

TEST(Rules, TransfersMoveNoMoreThanTheCallAskedFor) {
  for (const auto* rule : rules<Plain>()) {
    if (rule->transfer == nullptr) continue;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      Draw<Plain> draw(seed);
      const auto state = draw.state();
      const auto call = draw.call(rule->verb);
      const auto result = draw.result(rule->outcome);
      const auto transfer = rule->transfer({state, call, result});
      ASSERT_LE(transfer.length.value(), call.length.value()) << rule->id;
      ASSERT_EQ(transfer.exact, rule->outcome == Outcome::ok) << rule->id;
    }
  }
}

}  // namespace
}  // namespace mrproof::model
