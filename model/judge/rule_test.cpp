// Properties of the rules themselves, on random states and calls, in two domains.
#include "model/rule.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "model/judge/dialects.hpp"

namespace mrproof::model {
namespace {

/// Words of 16 bits: everything that make() draws fits.
using Narrow = Concrete<16, 4, 8, 4, 4>;
constexpr std::uint64_t kNarrowMask = 0xffff;

/// Draws the same state, call and result in every domain that is asked with the same seed. Values
/// are few, so that keys, domains and ranges meet often.
template <class D> class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  State<D> state() {
    State<D> s;
    s.pds.change_all(Everywhere{}, [&](auto& pd) { pd.live = D::bit(below(2) == 0); });
    s.regions.change_all(Everywhere{}, [&](auto& r) { draw(r); });
    s.windows.change_all(Everywhere{}, [&](auto& w) { draw(w); });
    s.qps.change_all(Everywhere{}, [&](auto& q) { draw(q); });
    for (std::size_t i = 0; i < s.buffers.size(); ++i) {
      s.buffers[i].first = D::address(i * 0x400);
      s.buffers[i].last = D::address(i * 0x400 + 0xff);
      s.buffers[i].hole = D::bit(below(3) == 0);
      s.buffers[i].read_only = D::bit(below(2) == 0);
      s.buffers[i].hole_first = D::address(i * 0x400 + 0x40);
      s.buffers[i].hole_last = D::address(i * 0x400 + 0x7f);
    }
    s.can.claimed = D::flags(below(1024));
    s.can.max_message = D::address(below(0x100));
    s.can.features = D::flags(below(64));
    s.demonstrated_access = D::flags(below(1024) & below(1024));
    s.demonstrated_features = D::flags(below(0x2000) & below(0x2000));
    s.defined = D::flags(below(3) == 0 ? 63 : 1023);
    return s;
  }

  Call<D> call(Verb verb) {
    Call<D> c;
    c.verb = verb;
    c.pd = small();
    c.mr = static_cast<std::uint8_t>(below(8));
    c.qp = small();
    c.seed = small();
    c.mw = small();
    c.source = static_cast<std::uint8_t>(below(8));
    c.option = static_cast<std::uint8_t>(below(4));
    c.elements = below(3) == 0 ? 2 : 1;
    c.second = {key(), address(), length()};
    c.flags = D::flags(below(9));
    c.access = D::flags(below(1024));
    c.iova = address();
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
    r.error = D::key(below(3) == 0 ? 0xfffffffbU + below(5) : below(40));
    if (below(8) == 0) r.error = D::key(95);
    r.reason = D::key(below(14));
    r.lkey = key();
    r.rkey = key();
    r.completion_matches = D::bit(below(2) == 0);
    r.qp_state = D::small(below(4));
    r.peer_state = D::small(below(4));
    r.own_receive = D::small(below(kOutcomes));
    r.peer_receive = D::small(below(kOutcomes));
    r.received = length();
    r.rights = D::flags(kRightsTold | (below(16) & kPairRights));
    return r;
  }

 private:
  void draw(Region<D>& r) {
    r.live = D::bit(below(4) != 0);
    r.empty = D::bit(below(8) == 0);
    r.undefined = D::bit(below(8) == 0);
    r.pd = D::slot(below(2));
    r.access = D::flags(below(128));
    r.null = D::bit(below(12) == 0);
    r.outside_buffers = D::bit(below(12) == 0);
    r.unmapped = D::bit(below(6) == 0);
    r.unmapped_first = address();
    r.unmapped_last = r.unmapped_first + length();
    r.memory = address();
    r.first = below(3) == 0 ? D::address(0) : r.memory;
    r.last = r.first + length();
    r.lkey = key();
    r.rkey = key();
  }
  void draw(Window<D>& w) {
    w.live = D::bit(below(4) != 0);
    w.two = D::bit(below(2) == 0);
    w.bound = D::bit(below(3) != 0);
    w.undefined = D::bit(below(8) == 0);
    w.pd = D::slot(below(2));
    w.region = D::slot(below(8));
    w.qp = D::slot(below(4));
    w.access = D::flags(below(16));
    w.first = address();
    w.last = w.first + length();
    w.memory = address();
    w.rkey = key();
  }
  void draw(QueuePair<D>& q) {
    q.live = D::bit(below(8) != 0);
    q.pd = D::slot(below(2));
    q.state = D::small(below(3) == 0 ? QpState::err : QpState::rts);
    q.access = D::flags(below(2) == 0 ? kPairRights : below(16) & kPairRights);
    q.posted = D::bit(below(2) == 0);
    q.two = D::bit(below(3) == 0);
    q.elements = {Element<D>{key(), address(), length()}, Element<D>{key(), address(), length()}};
  }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint8_t small() { return static_cast<std::uint8_t>(below(4)); }
  typename D::Key key() { return D::key(below(3) * 0x100 + below(3)); }
  typename D::Address address() { return D::address(below(4) * 0x400 + below(3) * 0x40); }
  typename D::Address length() { return D::address(below(4) * 0x40 + below(2)); }

  std::mt19937_64 random_;
};

/// A rule and the verb that has it.
template <class D> struct Entry {
  Verb verb;
  const Rule<D>* rule;
  [[nodiscard]] std::string id() const {
    return std::string(kVerbNames.at(static_cast<std::size_t>(verb))) + "." + rule->name;
  }
};

/// All rules, in one list for each domain.
template <class D> std::vector<Entry<D>> rules() {
  std::vector<Entry<D>> all;
  const auto add = [&](RuleGroup<D> group) {
    for (const auto& of_verb : group)
      for (const auto& rule : of_verb.rules) all.push_back({of_verb.verb, &rule});
  };
  for (const auto& group : kLinuxRules<D>) add(group);
  add(SharingRules<D>::kVerbs);
  add(ReregistrationRules<D>::kExperimentalVerbs);
  return all;
}

using Values = std::vector<std::uint64_t>;

template <class D> void append(Values& values, const State<D>& s) {
  const auto bits = [&](std::initializer_list<Bit> all) {
    for (const Bit bit : all) values.push_back(bit.truth());
  };
  const auto addresses = [&](std::initializer_list<typename D::Address> all) {
    for (const auto& address : all) values.push_back(address.value() & kNarrowMask);
  };
  const auto words = [&](const auto&... all) { (values.push_back(all.value()), ...); };
  for (const auto& pd : s.pds) bits({pd.live});
  for (const auto& r : s.regions) {
    bits({r.live, r.empty, r.undefined, r.null, r.outside_buffers, r.unmapped});
    addresses({r.first, r.last, r.memory, r.unmapped_first, r.unmapped_last});
    words(r.pd, r.access, r.lkey, r.rkey, r.old_lkey, r.old_rkey);
  }
  for (const auto& w : s.windows) {
    bits({w.live, w.two, w.bound, w.undefined});
    addresses({w.first, w.last, w.memory});
    words(w.pd, w.region, w.qp, w.access, w.rkey, w.old_rkey);
  }
  for (const auto& q : s.qps) {
    bits({q.live, q.posted, q.two});
    words(q.state, q.pd);
    for (const auto& e : q.elements) {
      addresses({e.address, e.length});
      words(e.lkey);
    }
  }
  for (const auto& b : s.buffers) {
    bits({b.hole, b.read_only});
    addresses({b.hole_first, b.hole_last});
  }
  words(s.demonstrated_access, s.demonstrated_features);
}

/// What a rule moves, as numbers.
template <class D> Values moved_bytes(const Transfer<D>& transfer) {
  Values values;
  for (const auto* pieces : {&transfer.from, &transfer.to})
    for (const auto& piece : *pieces) {
      values.push_back(piece.at.value() & kNarrowMask);
      values.push_back(piece.length.value() & kNarrowMask);
      values.push_back(piece.outside_buffers.truth());
      values.push_back(piece.zeros.truth());
    }
  values.push_back(transfer.exact ? 1 : 0);
  return values;
}

/// The rule's answer about one draw as numbers: its conditions, the state after it, what it moves.
template <class D> Values answer(const Entry<D>& entry, std::uint64_t seed) {
  Draw<D> draw(seed);
  const auto state = draw.state();
  const auto call = draw.call(entry.verb);
  const auto result = draw.result(entry.rule->outcome);
  const View<D> view{state, call, result};
  Values values;
  for (const auto* terms : {&entry.rule->requires_all, &entry.rule->reasons})
    for (const auto& term : *terms) values.push_back(term.condition->holds(view).truth());
  auto after = state;
  if (entry.rule->effect != nullptr) entry.rule->effect(view, after);
  append(values, after);
  if (entry.rule->transfer == nullptr) return values;
  const Values moved = moved_bytes(entry.rule->transfer(view));
  values.insert(values.end(), moved.begin(), moved.end());
  return values;
}

/// Another slot for every object: some stay, some go to where a table finds them by their links.
/// Queue pairs keep their partners.
class Renaming {
 public:
  explicit Renaming(std::uint64_t seed) : random_(seed) {}

  State<Plain> state(const State<Plain>& old) {
    State<Plain> s = old;
    s.pds = moved(old.pds, pds_, [](auto&) {});
    s.regions = moved(old.regions, regions_, [&](auto& r) { rename(r.pd, pds_); });
    s.windows = moved(old.windows, windows_, [&](auto& w) {
      rename(w.pd, pds_);
      rename(w.region, regions_);
      rename(w.qp, qps_);
    });
    s.qps = moved(old.qps, qps_, [&](auto& q) { rename(q.pd, pds_); });
    return s;
  }
  Call<Plain> call(Call<Plain> c) const {
    c.pd = pds_.at(c.pd);
    c.mr = regions_.at(c.mr);
    c.source = regions_.at(c.source);
    c.mw = windows_.at(c.mw);
    c.qp = qps_.at(c.qp);
    return c;
  }

 private:
  template <std::size_t N> std::array<std::uint32_t, N> slots(std::uint32_t together) {
    std::array<std::uint32_t, N> all;
    for (std::uint32_t i = 0; i < N; ++i)
      all.at(i) = i % together != 0 ? all.at(i - 1) + 1
                                    : i + static_cast<std::uint32_t>(N * (random_() % 4));
    return all;
  }
  template <class Table, std::size_t N>
  static Table moved(const Table& old, const std::array<std::uint32_t, N>& to, auto&& rename) {
    Table table;
    for (std::size_t i = 0; i < N; ++i) {
      auto object = old.at(i);
      rename(object);
      table.put(to.at(i), object);
    }
    return table;
  }
  template <std::size_t N> static void rename(Name& slot, const std::array<std::uint32_t, N>& to) {
    slot = Name(to.at(slot.value()));
  }

  std::mt19937_64 random_;
  std::array<std::uint32_t, Plain::kPds> pds_ = slots<Plain::kPds>(1);
  std::array<std::uint32_t, Plain::kRegions> regions_ = slots<Plain::kRegions>(1);
  std::array<std::uint32_t, Plain::kWindows> windows_ = slots<Plain::kWindows>(1);
  std::array<std::uint32_t, Plain::kQps> qps_ = slots<Plain::kQps>(2);
};

/// The state without what dead objects had and windows that are not bound: nothing depends on it.
State<Plain> buried(State<Plain> s) {
  const auto bury = [](auto& object) {
    if (!object.live.truth()) object = {};
  };
  s.regions.change_all(Everywhere{}, bury);
  s.windows.change_all(Everywhere{}, bury);
  s.windows.change_all(Everywhere{}, [](auto& w) {
    if (!w.bound.truth()) w.region = 0;
    if (!(w.bound & w.two).truth()) w.qp = 0;
  });
  s.qps.change_all(Everywhere{}, bury);
  return s;
}

/// The state without those that have a key which another has: no implementation gives one twice
/// (theorem remote_keys_distinct), and two that answer have no order.
State<Plain> without_twins(State<Plain> s) {
  std::set<std::uint64_t> lkeys;
  std::set<std::uint64_t> rkeys;
  s.regions.change_all(Everywhere{}, [&](auto& r) {
    r.live = Bit(
        r.live.truth() && !lkeys.contains(r.lkey.value()) && rkeys.insert(r.rkey.value()).second);
    if (r.live.truth()) lkeys.insert(r.lkey.value());
  });
  s.windows.change_all(Everywhere{},
      [&](auto& w) { w.live = Bit(w.live.truth() && rkeys.insert(w.rkey.value()).second); });
  return s;
}

constexpr std::uint64_t kDraws = 500;

TEST(Rules, AreBlindToSlots) {
  for (const auto& entry : rules<Plain>())
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      const auto& [verb, rule] = entry;
      Draw<Plain> draw(seed);
      Renaming renaming(seed);
      const auto state = without_twins(draw.state());
      const auto call = draw.call(verb);
      const auto result = draw.result(rule->outcome);
      const auto moved = renaming.state(state);
      const auto renamed = renaming.call(call);
      const View<Plain> here{state, call, result};
      const View<Plain> there{moved, renamed, result};
      for (const auto* terms : {&rule->requires_all, &rule->reasons})
        for (const auto& term : *terms)
          ASSERT_EQ(term.condition->holds(here).truth(), term.condition->holds(there).truth())
              << term.condition->id << " " << seed;
      if (rule->transfer != nullptr) {
        ASSERT_EQ(moved_bytes(rule->transfer(here)), moved_bytes(rule->transfer(there)))
            << entry.id() << " " << seed;
      }
      if (rule->effect == nullptr) continue;
      auto after = state;
      auto after_there = moved;
      rule->effect(here, after);
      rule->effect(there, after_there);
      Values one;
      Values two;
      append(one, buried(renaming.state(after)));
      append(two, buried(after_there));
      ASSERT_EQ(one, two) << entry.id() << " " << seed;
    }
}

TEST(Rules, SayTheSameInNarrowWordsWhereValuesFit) {
  const auto plain = rules<Plain>();
  const auto narrow = rules<Narrow>();
  ASSERT_EQ(plain.size(), narrow.size());
  for (std::size_t i = 0; i < plain.size(); ++i)
    for (std::uint64_t seed = 0; seed < kDraws; ++seed)
      ASSERT_EQ(answer(plain[i], seed), answer(narrow[i], seed)) << plain[i].id() << " " << seed;
}

TEST(Rules, SituationsDoNotDependOnWhatWasSeenAndObservationsDo) {
  std::set<std::string> depending;
  std::set<std::string> observations;
  for (const auto& [verb, rule] : rules<Plain>())
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      Draw<Plain> draw(seed);
      const auto state = draw.state();
      const auto call = draw.call(verb);
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
  for (const auto& [verb, rule] : rules<Plain>()) {
    if (rule->effect == nullptr) continue;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      Draw<Plain> draw(seed);
      auto state = draw.state();
      const auto call = draw.call(verb);
      const auto result = draw.result(rule->outcome);
      const auto before = state;
      auto apart = state;
      rule->effect({before, call, result}, apart);
      rule->effect({state, call, result}, state);
      Values one;
      Values two;
      append(one, apart);
      append(two, state);
      ASSERT_EQ(one, two) << rule->name;
    }
  }
}

TEST(Rules, TransfersMoveNoMoreThanTheCallAskedFor) {
  for (const auto& [verb, rule] : rules<Plain>()) {
    if (rule->transfer == nullptr) continue;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      Draw<Plain> draw(seed);
      const auto state = draw.state();
      const auto call = draw.call(verb);
      const auto result = draw.result(rule->outcome);
      const auto transfer = rule->transfer({state, call, result});
      const auto most = call.length.value() + (call.elements == 2 ? call.second.length.value() : 0);
      for (const auto* pieces : {&transfer.from, &transfer.to})
        ASSERT_LE((*pieces)[0].length.value() + (*pieces)[1].length.value(), most) << rule->name;
      // A send whose receive fails may have stored part of its bytes.
      const bool whole =
          rule->outcome == Outcome::ok && std::string(rule->name) != "ok_receive_fails";
      ASSERT_EQ(transfer.exact, whole) << rule->name;
    }
  }
}

}  // namespace
}  // namespace mrproof::model
