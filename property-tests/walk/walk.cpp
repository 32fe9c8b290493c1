#include "property-tests/walk/walk.hpp"

#include <algorithm>
#include <string_view>

#include "property-tests/walk/walk_calls.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

/// Of a call that was not made yet.
const Result<Plain> kNothingYet;
/// How many more calls are looked at when one is wrong.
constexpr int kCandidates = 6;
/// Of the 200 kinds of call, from here on they are work requests.
constexpr std::uint64_t kRequests = 58;

/// The key that is not to be good any more after the step.
std::optional<model::KeyName> revoked_by(const model::PlannedCall& step) {
  using Kind = model::KeyName::Kind;
  const auto& call = step.call;
  switch (call.verb) {
    case Verb::dereg_mr: return model::KeyName{Kind::rkey, call.mr, 0, 0};
    case Verb::rereg_mr: return model::KeyName{Kind::old_rkey, call.mr, 0, 0};
    case Verb::dealloc_mw: return model::KeyName{Kind::window_rkey, call.mw, 0, 0};
    case Verb::bind_mw:
    case Verb::post_bind_mw: return model::KeyName{Kind::old_window_rkey, call.mw, 0, 0};
    case Verb::local_inv:
    case Verb::send_with_inv:
      if (step.rkey.kind == Kind::window_rkey && step.rkey.flip == 0) return step.rkey;
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

/// Percentage of calls of the kind that are wrong on purpose. What is refused at once costs no
/// pair.
unsigned Walk::wrong_share(std::uint64_t roll) const {
  if (roll < 12) return 15;
  if (roll < 20) return 0;
  if (roll < 26) return 35;
  if (roll < 35) return 0;
  if (roll < 41) return 45;
  if (roll < kRequests) return 0;
  const unsigned asked = options_->wrong_percent;
  return roll < 78 ? asked + asked * 2 / 3 : asked;
}

/// What kind of call comes next, of 200 that are possible.
std::optional<model::PlannedCall> Walk::choose(CallMaker& make, std::uint64_t roll, bool wrong) {
  if (roll < 12) return make.register_region(wrong);
  if (roll < 20) return make.deregister_region();
  if (roll < 26) return make.reregister_region(wrong);
  if (roll < 29) return random_.chance(40) ? make.allocate_pd() : make.deallocate_pd();
  if (roll < 31) return make.query();
  if (roll < 35) return make.fill();
  if (roll < 41) return make.advise(wrong);
  if (roll < 44) return make.protect();
  if (roll < 54) return make.allocate_window();
  if (roll < kRequests) return make.deallocate_window();
  if (roll < 78) return make.bind(wrong);
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

/// What looks at what the last call has done: state that is only written proves nothing.
std::optional<model::PlannedCall> Walk::follow_up(CallMaker& make, const Before& before) {
  const auto& call = before.made.call;
  const unsigned asked = options_->wrong_percent;
  const bool wrong = random_.chance(std::min(50U, 3 * asked));
  if (before.revoked && random_.chance(2 * asked)) return make.use_revoked(*before.revoked);
  const auto perhaps = [&](unsigned percent, auto&& what) {
    return random_.chance(percent) ? what() : std::optional<model::PlannedCall>();
  };
  switch (call.verb) {
    case Verb::alloc_mw: return perhaps(50, [&] { return make.bind_again(call.mw, wrong); });
    case Verb::bind_mw:
    case Verb::post_bind_mw: return after_bind(make, call, wrong);
    case Verb::dealloc_mw: return perhaps(20, [&] { return make.deregister_behind(call.mw); });
    case Verb::local_inv:
    case Verb::send_with_inv: {
      const auto& key = before.made.rkey;
      if (key.kind != model::KeyName::Kind::window_rkey) return std::nullopt;
      if (random_.chance(40)) return make.bind_again(key.slot, false);
      return perhaps(15, [&] { return make.deregister_behind(key.slot); });
    }
    case Verb::alloc_null_mr: return perhaps(60, [&] { return make.use_null(call.mr, wrong); });
    case Verb::alloc_pd: return perhaps(60, [&] { return make.enter_domain(call.pd); });
    case Verb::rereg_mr:
      if ((call.flags.value() & kChangePd) == 0) return std::nullopt;
      return perhaps(40, [&] { return make.leave_domain(); });
    case Verb::post_recv:
      return perhaps(before.wrong ? 60 : 40, [&] { return make.send_to(call.qp); });
    default: return std::nullopt;
  }
}

std::optional<model::PlannedCall> Walk::after_bind(CallMaker& make, const Call<Plain>& call,
                                                   bool wrong) {
  if (call.length.value() == 0)
    return random_.chance(50) ? make.deregister_behind(call.mw) : std::nullopt;
  const auto roll = random_.below(100);
  if (roll < 60) return make.use_window(call.mw, wrong);
  if (roll < 75) return make.invalidate_from_afar(call.mw);
  if (roll < 80) return make.destroy_qp();
  if (roll < 87) return make.invalidate(false);
  return std::nullopt;
}

/// A kind of call that the state has no object for gives way to another.
model::PlannedCall Walk::propose(CallMaker& make, std::uint64_t roll, bool wrong) {
  std::optional<model::PlannedCall> step = choose(make, roll, wrong);
  // Only work requests are wrong in as many cases as asked for.
  const bool request = roll >= kRequests;
  if (!step) step = wrong && request ? make.rdma(true) : choose(make, random_.below(200), false);
  if (!step) step = make.rdma(wrong && request);
  if (!step) step = make.register_region(wrong);
  return step ? *step : make.fill();
}

bool Walk::admits(const model::Oracle& oracle, const PlainView& view) {
  if (oracle.book().forbids(view) != nullptr) return false;
  const DeviationName* met = known().met(options_->known, oracle.book(), view);
  // Other deviations are met again now and then, trouble never: it costs a time limit or a boot.
  return met == nullptr || (!is_trouble(*met) && random_.chance(3));
}

void Walk::choose_least_tried(const model::Oracle& oracle, CallMaker& make, std::uint64_t roll,
                              model::PlannedCall& step) {
  Attempt best = attempt_of(oracle.book(), step, {oracle.state(), step.call, kNothingYet});
  for (int i = 0; i < kCandidates; ++i) {
    // Work requests that are wrong give way to such only, so there are as many as asked for.
    model::PlannedCall other =
        propose(make, roll < kRequests ? roll : random_.between(kRequests, 199), true);
    oracle.resolve(other);
    const PlainView view{oracle.state(), other.call, kNothingYet};
    if (!admits(oracle, view)) continue;
    const Attempt attempt = attempt_of(oracle.book(), other, view);
    const bool worse = best.flaws != 0 && attempts_.cost(attempt) >= attempts_.cost(best);
    if (attempt.flaws == 0 || worse) continue;
    best = attempt;
    step = other;
  }
  if (best.flaws != 0) attempts_.add(best);
}

model::Step Walk::next(const model::Oracle& oracle) {
  model::Step step;
  static_cast<model::PlannedCall&>(step) = next_call(oracle);
  return step;
}

model::PlannedCall Walk::next_call(const model::Oracle& oracle) {
  known().take(options_->known, oracle.book());
  CallMaker make(random_, oracle, options_->unanswered_permille);
  for (;;) {
    std::optional<model::PlannedCall> step;
    if (before_) step = follow_up(make, *before_);
    before_.reset();
    // A failed pair is first used a little in its failed state, then reconnected.
    if (!step && random_.chance(60)) step = make.reconnect();
    const bool chosen = !step;
    const auto roll = make.live_regions() < 3 ? 0 : random_.below(200);
    const bool wrong = chosen && random_.chance(wrong_share(roll));
    if (chosen) step = propose(make, roll, wrong);
    oracle.resolve(*step);
    if (!admits(oracle, {oracle.state(), step->call, kNothingYet})) continue;
    // Now and then as it comes: what is wrong in several respects has its place, too.
    if (wrong && !random_.chance(12)) choose_least_tried(oracle, make, roll, *step);
    before_ = Before{*step, revoked_by(*step), wrong};
    return *step;
  }
}

}  // namespace mrproof::property_tests
