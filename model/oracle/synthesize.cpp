#include "model/oracle/synthesize.hpp"

#include <algorithm>
#include <vector>

#include "model/conditions/registration.hpp"
#include "model/conditions/windows.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::model {

namespace {

using Seen = Result<Plain>;

/// EINVAL first: it fits most refusals. Then those that rules ask for: of resources, of advice, of
/// missing verbs; and the codes of rereg_mr.
constexpr std::uint32_t kErrors[] = {
    22, 12, 14, 1, 2, 95, kErrInput, kErrCmd, kErrDontForkNew, kErrDoForkOld, kErrCmdAndDoForkNew};
constexpr std::uint32_t kReasons[] = {0, 12};  // 12: ENOMEM

bool speaks_of(const PlainRule& rule, std::initializer_list<const PlainCondition*> conditions) {
  return std::any_of(rule.requires_all.begin(), rule.requires_all.end(), [&](const auto& term) {
    return std::find(conditions.begin(), conditions.end(), term.condition) != conditions.end();
  });
}

/// A key whose index nothing has or had.
Plain::Key fresh_key(const State<Plain>& state, const Call<Plain>& call) {
  const auto used = [&](Plain::Key index) {
    const auto same = [&](Plain::Key key) { return (key_index(key) == index).truth(); };
    return same(call.rkey) || same(call.lkey) ||
           std::any_of(state.regions.begin(), state.regions.end(),
               [&](const auto& r) {
                 return same(r.lkey) || same(r.rkey) || same(r.old_lkey) || same(r.old_rkey);
               }) ||
           std::any_of(state.windows.begin(), state.windows.end(),
               [&](const auto& w) { return same(w.rkey) || same(w.old_rkey); });
  };
  auto key = Plain::key(0x100);
  while (used(key)) key = key + Plain::key(0x100);
  return key;
}

/// Searches for the result, one field after the other: conditions look at few fields each.
class Search {
 public:
  Search(const PlainRule& rule, const State<Plain>& state, const Call<Plain>& call)
      : rule_(&rule), state_(&state), call_(&call) {
    seen_.outcome = rule.outcome;
  }

  std::optional<Seen> find() {
    if (broken(About::situation) > 0 || !has_reason()) return std::nullopt;
    give_keys();
    if (rule_->outcome == Outcome::refused) {
      choose(&Seen::error, kErrors);
      if (call_->verb == Verb::rereg_mr) choose(&Seen::reason, kReasons);
    }
    if (is_transfer(call_->verb) && rule_->outcome != Outcome::refused) give_completion();
    if (call_->verb == Verb::query_qp) {
      seen_.qp_state = state_->qps.at(call_->qp).state;
      seen_.rights = state_->qps.at(call_->qp).access | kRightsTold;
    }
    if (broken(About::observation) > 0) return std::nullopt;
    return seen_;
  }

 private:
  [[nodiscard]] std::ptrdiff_t broken(About about) const {
    const PlainView view{*state_, *call_, seen_};
    return std::count_if(
        rule_->requires_all.begin(), rule_->requires_all.end(), [&](const auto& term) {
          return term.condition->about == about &&
                 term.condition->holds(view).truth() != term.holds;
        });
  }

  [[nodiscard]] bool has_reason() const {
    const PlainView view{*state_, *call_, seen_};
    return rule_->reasons.empty() ||
           std::any_of(rule_->reasons.begin(), rule_->reasons.end(),
               [&](const auto& term) { return term.condition->holds(view).truth() == term.holds; });
  }

  /// Gives the field the value of the list that breaks the fewest conditions, the first of equals.
  template <class Field, class Values> void choose(Field Seen::*field, const Values& values) {
    Seen best = seen_;
    std::ptrdiff_t fewest = -1;
    for (const auto value : values) {
      seen_.*field = Field(value);
      const auto count = broken(About::observation);
      if (fewest >= 0 && count >= fewest) continue;
      fewest = count;
      best = seen_;
    }
    seen_ = best;
  }

  /// Keys, if the rule is about new ones. A re-registration keeps the old ones, as most devices do.
  void give_keys() {
    if (!speaks_of(
            *rule_, {&keys_distinct<Plain>, &window_key_distinct<Plain>, &bind_key_right<Plain>}))
      return;
    const auto fresh = fresh_key(*state_, *call_);
    const auto& region = state_->regions.at(call_->mr);
    const bool renewed = call_->verb == Verb::rereg_mr;
    if (renewed || makes_region(call_->verb)) seen_.lkey = renewed ? region.lkey : fresh;
    std::vector<std::uint64_t> keys{fresh.value()};
    if (renewed) keys = {region.rkey.value(), fresh.value()};
    if (is_bind(call_->verb)) keys.push_back(call_->rkey.value());
    choose(&Seen::rkey, keys);
  }

  void give_completion() {
    static constexpr Outcome kReceives[] = {Outcome::none, Outcome::ok, Outcome::wr_flush_err,
        Outcome::loc_len_err, Outcome::loc_prot_err, Outcome::loc_qp_op_err};
    std::vector<std::uint64_t> receives;
    for (const Outcome outcome : kReceives) receives.push_back(Plain::small(outcome).value());
    const auto states = [&](std::uint32_t qp) {
      return std::vector<std::uint64_t>{
          state_->qps.at(qp).state.value(), Plain::small(QpState::err).value()};
    };
    const PlainView view{*state_, *call_, seen_};
    seen_.completion_matches = Bit(true);
    choose(&Seen::qp_state, states(call_->qp));
    choose(&Seen::peer_state, states(peer_of(call_->qp)));
    choose(&Seen::own_receive, receives);
    choose(&Seen::peer_receive, receives);
    choose(&Seen::received, std::vector<std::uint64_t>{0, view.message().value()});
  }

  const PlainRule* rule_;
  const State<Plain>* state_;
  const Call<Plain>* call_;
  Seen seen_;
};

}  // namespace

std::optional<Seen> synthesize(
    const PlainRule& rule, const State<Plain>& state, const Call<Plain>& call) {
  return Search(rule, state, call).find();
}

std::optional<Seen> seen_by(
    const PlainRule& rule, const State<Plain>& state, const Call<Plain>& call) {
  PlainRule seen_only = rule;
  std::vector<Term<Plain>> terms;
  for (const auto& term : rule.requires_all)
    if (term.condition->about == About::observation) terms.push_back(term);
  seen_only.requires_all = terms;
  seen_only.reasons = {};
  auto seen = synthesize(seen_only, state, call);
  if (!seen) return seen;
  const bool completes = is_transfer(call.verb) && seen->outcome != Outcome::refused;
  if (!completes) {
    seen->completion_matches = Bit(true);
    seen->own_receive = seen->peer_receive = Plain::small(Outcome::none);
  }
  return seen;
}

std::vector<Seen> variants_of(
    const Seen& seen, const State<Plain>& state, const Call<Plain>& call) {
  std::vector<Seen> all;
  const auto vary = [&](auto Seen::*field, std::initializer_list<std::uint64_t> values) {
    for (const auto value : values) {
      all.push_back(seen);
      all.back().*field = std::remove_reference_t<decltype(all.back().*field)>(value);
    }
  };
  if (seen.outcome == Outcome::refused) {
    vary(&Seen::error, {0, 22, 1, kErrInput, kErrCmd});
    if (call.verb == Verb::rereg_mr) vary(&Seen::reason, {22});
    return all;
  }
  if (call.verb == Verb::query_qp) {
    vary(&Seen::qp_state, {1, 2, 3});
    vary(&Seen::rights, {kRightsTold, kRightsTold | kPairRights});
  }
  if (is_transfer(call.verb)) {
    all.push_back(seen);
    all.back().completion_matches = Bit(false);
    vary(&Seen::qp_state, {1, 2, 3});
    vary(&Seen::peer_state, {1, 2, 3});
    for (auto field : {&Seen::own_receive, &Seen::peer_receive})
      for (const auto outcome : {Outcome::none, Outcome::ok, Outcome::wr_flush_err,
               Outcome::loc_len_err, Outcome::loc_prot_err})
        vary(field, {Plain::small(outcome).value()});
    vary(&Seen::received, {0, seen.received.value() + 1});
  }
  if (!tells_keys(call.verb, seen)) return all;
  for (const auto& r : state.regions) {
    if (!r.live.truth()) continue;
    if (tells_lkey(call.verb)) vary(&Seen::lkey, {r.lkey.value()});
    vary(&Seen::rkey, {r.rkey.value(), r.rkey.value() + 1});
  }
  for (const auto& w : state.windows)
    if (w.live.truth()) vary(&Seen::rkey, {w.rkey.value(), w.rkey.value() + 1});
  return all;
}

}  // namespace mrproof::model
