#include "conformance/walk.hpp"

#include <algorithm>
#include <sstream>

#include "conformance/walk_calls.hpp"

namespace mrproof {

using namespace model;

namespace {

/// The situation's conditions that a rule would break, as a deviation names them.
std::string broken_situation(const PlainRule& rule, const PlainView& view) {
  std::string names;
  for (const auto& term : rule.requires_all) {
    if (term.condition->about == About::observation) continue;
    if (term.condition->holds(view).truth() == term.holds) continue;
    if (!names.empty()) names += '+';
    names += term.condition->id;
  }
  return names;
}

std::string joined(const Judgement& judgement) {
  std::string names;
  for (std::size_t i = 0; i < judgement.broken_count; ++i) {
    if (i != 0) names += '+';
    names += judgement.broken.at(i)->id;
  }
  return names;
}

/// What an unexplained refusal of the call with that outcome would be named by.
std::string refusal_name(const PlainView& view, Outcome outcome) {
  Result<Plain> result;
  result.outcome = outcome;
  Judgement judgement;
  add_circumstances(judgement, {view.state, view.call, result});
  return std::string(kNothingForbids.id) + (judgement.broken_count == 0 ? "" : "+") +
         joined(judgement);
}

}  // namespace

bool covers(const std::string& known, const std::string& names) {
  const std::string all = "+" + names + "+";
  std::istringstream wanted(known);
  for (std::string name; std::getline(wanted, name, '+');)
    if (all.find("+" + name + "+") == std::string::npos) return false;
  return true;
}

std::string trouble_name(const Rulebook& book, const PlainView& view) {
  const Judgement judgement = judge_trouble(book, view, Verdict::hang);
  return judgement.broken_count == 0 ? "-" : joined(judgement);
}

namespace {

/// The key that is not to be good any more after the step.
std::optional<KeyName> revoked_by(const Step& step) {
  using Kind = KeyName::Kind;
  const auto& call = step.call;
  switch (call.verb) {
    case Verb::dereg_mr: return KeyName{Kind::rkey, call.mr, 0, 0};
    case Verb::rereg_mr: return KeyName{Kind::old_rkey, call.mr, 0, 0};
    case Verb::dealloc_mw: return KeyName{Kind::window_rkey, call.mw, 0, 0};
    case Verb::bind_mw:
    case Verb::post_bind_mw: return KeyName{Kind::old_window_rkey, call.mw, 0, 0};
    case Verb::local_inv:
    case Verb::send_with_inv:
      if (step.rkey.kind == Kind::window_rkey && step.rkey.flip == 0) return step.rkey;
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

/// What kind of call comes next, of 200 that are possible.
std::optional<Step> Walk::choose(CallMaker& make, std::uint64_t roll, bool wrong) {
  const std::size_t regions = make.live_regions();
  if (regions < 3 || (roll < 12 && regions < 7)) return make.register_region(random_.chance(15));
  if (roll < 20) return make.deregister_region();
  if (roll < 26) return make.reregister_region(random_.chance(35));
  if (roll < 29) return random_.chance(40) ? make.allocate_pd() : make.deallocate_pd();
  if (roll < 31) return make.query();
  if (roll < 35) return make.fill();
  if (roll < 41) return make.advise(random_.chance(45));
  if (roll < 44) return make.protect();
  if (roll < 54 && make.live_windows() < 4) return make.allocate_window();
  if (roll < 58) return make.deallocate_window();
  if (roll < 78) return make.bind(wrong || random_.chance(options_->wrong_percent * 2 / 3));
  if (roll < 84) return make.invalidate(wrong);
  if (roll < 102) return make.post_receive(wrong);
  if (roll < 130) return make.send(wrong);
  if (roll < 148) return make.atomic(wrong);
  if (roll == 148 || (roll == 149 && make.live_windows() > 2))
    return random_.chance(60) ? make.destroy_qp() : std::nullopt;
  if (roll < 158)
    if (auto step = make.leave_domain()) return step;
  return make.rdma(wrong);
}

Step Walk::propose(const Oracle& oracle) {
  CallMaker make(random_, oracle, options_->unanswered_permille);
  const bool wrong = random_.chance(options_->wrong_percent);
  std::optional<Step> step;
  if (revoked_ && random_.chance(options_->wrong_percent)) step = make.use_revoked(*revoked_);
  revoked_.reset();
  // A failed pair is first used a little in its failed state, then reconnected.
  if (!step && random_.chance(60)) step = make.reconnect();
  if (!step) step = choose(make, random_.below(200), wrong);
  if (!step) step = make.rdma(wrong);
  if (!step) step = make.register_region(wrong);
  return step ? *step : make.fill();
}

Step Walk::next(const Oracle& oracle) {
  for (;;) {
    Step step = propose(oracle);
    oracle.resolve(step);
    if (oracle.forbids(step) != nullptr) continue;
    const KnownDeviation* known = repeats(oracle, step);
    // Other deviations are met again now and then, trouble never: it costs a time limit or a boot.
    if (known != nullptr && (known->kind == KnownDeviation::kTrouble || !random_.chance(3)))
      continue;
    revoked_ = revoked_by(step);
    return step;
  }
}

const KnownDeviation* Walk::repeats(const Oracle& oracle, const Step& step) const {
  if (options_->known.empty()) return nullptr;
  const PlainView view{oracle.state(), step.call, step.result};
  const auto meets = [&](const KnownDeviation& known) {
    const PlainRule* rule = oracle.book().find(known.rule);
    if (rule == nullptr || rule->verb != step.call.verb) return false;
    if (known.kind == KnownDeviation::kTrouble)
      return covers(known.broken, trouble_name(oracle.book(), view));
    if (known.kind == "accepted") return broken_situation(*rule, view) == known.broken;
    // A refusal that nothing explains, not even a circumstance, cannot be told beforehand.
    return known.broken != kNothingForbids.id && refusal_name(view, rule->outcome) == known.broken;
  };
  const auto& all = options_->known;
  const auto found = std::find_if(all.begin(), all.end(), meets);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace mrproof
