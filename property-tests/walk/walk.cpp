#include "property-tests/walk/walk.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "property-tests/walk/walk_calls.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

/// Of a call that was not made yet.
const Result<Plain> kNothingYet;
/// Requests in flight at once.
constexpr std::uint8_t kMostInFlight = 8;
/// Calls that overlap each other at once.
constexpr std::size_t kMostBegun = 3;
/// How many calls are looked at for one that may overlap those that have begun.
constexpr int kOthers = 12;
/// How many more calls are looked at when one is wrong.
constexpr int kCandidates = 6;

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

using Made = std::optional<model::PlannedCall>;

/// What a member of CallMaker makes.
template <auto member>
Made made(CallMaker& make, model::Random& /*random*/, bool wrong) {
  if constexpr (std::is_invocable_v<decltype(member), CallMaker&, bool>)
    return (make.*member)(wrong);
  else
    return (make.*member)();
}
Made change_pds(CallMaker& make, model::Random& random, bool /*wrong*/) {
  return random.chance(40) ? make.allocate_pd() : make.deallocate_pd();
}
Made destroy_qp(CallMaker& make, model::Random& random, bool /*wrong*/) {
  return random.chance(60) ? make.destroy_qp() : std::nullopt;
}
Made leave_domain(CallMaker& make, model::Random& /*random*/, bool wrong) {
  if (auto step = make.leave_domain()) return step;
  return make.rdma(wrong);
}
Made destroy_qp_of_windows(CallMaker& make, model::Random& random, bool wrong) {
  return make.live_windows() > 2 ? destroy_qp(make, random, wrong)
                                 : leave_domain(make, random, wrong);
}

/// A kind of call.
struct Kind {
  unsigned weight;  ///< of kAllKinds
  /// How many are wrong on purpose: so many percent, or of work requests so many thirds of what
  /// the options ask for, since each costs a pair. What is refused at once costs none.
  unsigned wrong_percent, wrong_thirds;
  Made (*make)(CallMaker& make, model::Random& random, bool wrong);

  [[nodiscard]] unsigned wrong_share(unsigned asked) const {
    return wrong_percent + asked * wrong_thirds / 3;
  }
};
constexpr std::array kKinds{
    Kind{12, 15, 0, made<&CallMaker::register_region>},
    Kind{8, 0, 0, made<&CallMaker::deregister_region>},
    Kind{6, 35, 0, made<&CallMaker::reregister_region>},
    Kind{3, 0, 0, change_pds},
    Kind{2, 0, 0, made<&CallMaker::query>},
    Kind{2, 0, 0, made<&CallMaker::change_rights>},
    Kind{4, 0, 0, made<&CallMaker::fill>},
    Kind{6, 45, 0, made<&CallMaker::advise>},
    Kind{3, 0, 0, made<&CallMaker::protect>},
    Kind{10, 0, 0, made<&CallMaker::allocate_window>},
    Kind{4, 0, 0, made<&CallMaker::deallocate_window>},
    // Work requests stand last.
    Kind{20, 0, 5, made<&CallMaker::bind>},
    Kind{6, 0, 3, made<&CallMaker::invalidate>},
    Kind{18, 0, 3, made<&CallMaker::post_receive>},
    Kind{28, 0, 3, made<&CallMaker::send>},
    Kind{18, 0, 3, made<&CallMaker::atomic>},
    Kind{1, 0, 3, destroy_qp},
    Kind{1, 0, 3, destroy_qp_of_windows},
    Kind{8, 0, 3, leave_domain},
    Kind{42, 0, 3, made<&CallMaker::rdma>},
};

static_assert(std::is_partitioned(kKinds.begin(), kKinds.end(),
                                  [](const Kind& kind) { return kind.wrong_thirds == 0; }));
constexpr std::uint64_t weight_of(bool requests) {
  std::uint64_t sum = 0;
  for (const Kind& kind : kKinds)
    if ((kind.wrong_thirds != 0) == requests) sum += kind.weight;
  return sum;
}
/// Of the rolls below kAllKinds, those from here on mean work requests.
constexpr std::uint64_t kRequests = weight_of(false);
constexpr std::uint64_t kAllKinds = kRequests + weight_of(true);

const Kind& kind_of(std::uint64_t roll) {
  const Kind* kind = kKinds.data();
  for (; roll >= kind->weight; ++kind) roll -= kind->weight;
  return *kind;
}

}  // namespace

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
    case Verb::modify_qp: return perhaps(60, [&] { return make.ask_of(call.qp); });
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
  std::optional<model::PlannedCall> step = kind_of(roll).make(make, random_, wrong);
  // Only work requests are wrong in as many cases as asked for.
  const bool request = roll >= kRequests;
  if (!step)
    step = wrong && request ? make.rdma(true)
                            : kind_of(random_.below(kAllKinds)).make(make, random_, false);
  if (!step) step = make.rdma(wrong && request);
  if (!step) step = make.register_region(wrong);
  return step ? *step : make.fill();
}

/// The request takes its bytes along: a few, by keys that need not be any.
void Walk::post_inline(model::PlannedCall& step) {
  auto& call = step.call;
  const auto shorten = [&](Plain::Address& length) {
    length = Plain::address(std::min<std::uint64_t>(length.value(), random_.below(17)));
  };
  shorten(call.length);
  shorten(call.second.length);
  call.flags = call.flags | Plain::flags(kInline);
  if (random_.chance(50)) step.lkey.flip ^= 1;
  if (random_.chance(50)) return;
  const auto buffer = random_.below(model::kBufferCount);
  call.address = Plain::address(model::buffer_address(buffer) +
                                random_.below(model::buffer_size(buffer) - kInlineBytes));
}

/// Requests are asked for in all ways, where these may be.
void Walk::add_form(const model::Oracle& oracle, model::PlannedCall& step) {
  if (!is_transfer(step.call.verb) || !random_.chance(12)) return;
  const model::PlannedCall plain = step;
  step.call.flags = Plain::flags(random_.between(1, kUnsignaled | kFenced | kSolicited));
  if (takes_inline(step.call.verb) && random_.chance(50)) post_inline(step);
  if (oracle.book().forbids({oracle.state(), step.call, kNothingYet}) != nullptr) step = plain;
}

/// The request is in flight from now on, if it may be.
bool Walk::post(const model::Oracle& oracle, model::PlannedCall& step) {
  auto& call = step.call;
  if (!is_remote(call.verb)) return false;
  call.part = Part::posted;
  const auto is_taken = [&](std::uint8_t label) {
    return oracle.flight().find(label) != nullptr || oracle.together().find(label) != nullptr;
  };
  for (call.label = 1; is_taken(call.label);) ++call.label;
  oracle.resolve(step);
  if (call.label <= kMostInFlight && admits(oracle, {oracle.state(), call, kNothingYet}))
    return true;
  call.part = Part::whole;
  call.label = 0;
  return false;
}

/// What ends a right of the request, or may.
std::optional<model::PlannedCall> Walk::end_right(const model::Oracle& oracle,
                                                  const Call<Plain>& request) {
  const auto& state = oracle.state();
  const bool far = random_.chance(70);
  const auto key = far ? request.rkey : request.lkey;
  model::PlannedCall step;
  auto& call = step.call;
  if (random_.chance(12)) {
    call.verb = Verb::modify_qp;
    call.qp = peer_of(request.qp);
    call.access = Plain::flags(random_.chance(50) ? 0U : std::uint32_t{kRemoteRead});
    return step;
  }
  if (random_.chance(12)) {
    // The first pair stays, so that the case goes on.
    call.verb = request.qp >= 2 && random_.chance(50) ? Verb::destroy_qp : Verb::connect;
    call.qp = peer_of(request.qp);
    return step;
  }
  for (std::uint32_t slot = 0; slot < state.windows.size(); ++slot) {
    const auto& window = state.windows.at(slot);
    if (!far || !window.live.truth() || !(window.rkey == key).truth()) continue;
    call.mw = slot;
    call.verb = Verb::dealloc_mw;
    if (!window.two.truth() || random_.chance(40)) return step;
    call.verb = Verb::local_inv;
    call.qp = peer_of(request.qp);
    step.rkey = {model::KeyName::Kind::window_rkey, slot, 0, 0};
    return step;
  }
  for (std::uint32_t slot = 0; slot < state.regions.size(); ++slot) {
    const auto& region = state.regions.at(slot);
    if (!region.live.truth() || !((far ? region.rkey : region.lkey) == key).truth()) continue;
    call.verb = Verb::dereg_mr;
    call.mr = slot;
    return step;
  }
  return std::nullopt;
}

/// While requests are in flight: another one, what ends a right of one, any call, a completion.
std::optional<model::PlannedCall> Walk::beside_flight(const model::Oracle& oracle,
                                                      CallMaker& make) {
  const auto roll = random_.below(100);
  const auto& oldest = oracle.flight().oldest();
  if (roll < 40) {
    const bool wrong = random_.chance(options_->wrong_percent / 2);
    auto step = random_.chance(85) ? make.rdma(wrong) : make.atomic(false);
    if (step && takes_inline(step->call.verb) && random_.chance(20)) post_inline(*step);
    if (step && post(oracle, *step)) return step;
  } else if (roll < 55 && options_->wrong_percent != 0) {
    if (auto step = end_right(oracle, oldest.call)) return step;
  } else if (roll < 60) {
    return propose(make, random_.below(kAllKinds), false);
  } else if ((oldest.call.flags.value() & kInline) != 0 && oldest.call.length.value() != 0 &&
             random_.chance(60)) {
    // The program's memory is its own again.
    model::PlannedCall step = make.fill();
    step.call.address = oldest.call.address;
    step.call.length = oldest.call.length;
    return step;
  }
  return end_of(oldest);
}

/// A moment of its own: none, or some microseconds, short ones as often as long ones.
void Walk::delay(model::PlannedCall& step) {
  if (step.call.part == Part::completion || random_.chance(40)) return;
  step.call.delay = static_cast<std::uint32_t>(random_.between(1, 1ULL << random_.between(1, 9)));
}

/// The call has begun from now on, if it may overlap others. Calls take some microseconds: so do
/// their delays.
bool Walk::begin(const model::Oracle& oracle, model::PlannedCall& step) {
  auto& call = step.call;
  if (!may_overlap(call.verb)) return false;
  call.part = Part::posted;
  call.label = static_cast<std::uint8_t>(oracle.together().size() + 1);
  if (random_.chance(60))
    call.delay = static_cast<std::uint32_t>(random_.between(1, 1ULL << random_.between(1, 6)));
  oracle.resolve(step);
  if (admits(oracle, {oracle.state(), call, kNothingYet})) return true;
  call.part = Part::whole;
  call.label = 0;
  call.delay = 0;
  call.follows = 0;
  return false;
}

/// In place of `step`: what ends the object that the call makes, if it makes one.
void Walk::end_what_is_made(const model::Call<Plain>& made, model::PlannedCall& step) {
  std::optional<Verb> end;
  if (makes_region(made.verb)) end = Verb::dereg_mr;
  if (made.verb == Verb::alloc_mw) end = Verb::dealloc_mw;
  if (made.verb == Verb::alloc_pd) end = Verb::dealloc_pd;
  if (!end) return;
  step = {};
  step.call.verb = *end;
  step.call.pd = *end == Verb::dealloc_pd ? made.pd : 0;
  step.call.mr = *end == Verb::dereg_mr ? made.mr : 0;
  step.call.mw = *end == Verb::dealloc_mw ? made.mw : 0;
}

/// While calls overlap: another one, which a thread of its own makes, or the last one's behind it;
/// a request beside the only one, or the return of the first.
model::PlannedCall Walk::beside_begun(const model::Oracle& oracle, CallMaker& make) {
  const auto& begun = oracle.together();
  const bool posts = begun.size() == 1 && random_.chance(oracle.flight().empty() ? 25 : 50);
  if (auto step = posts ? make.rdma(false) : std::nullopt; step && post(oracle, *step)) {
    delay(*step);
    return *step;
  }
  const bool more = begun.size() == 1 || (begun.size() < kMostBegun && random_.chance(30));
  for (int i = 0; more && !begun.returning() && i < kOthers; ++i) {
    const bool wrong = random_.chance(options_->wrong_percent);
    auto step = propose(make, random_.below(kAllKinds), wrong);
    if (random_.chance(35)) {
      if (random_.chance(50)) end_what_is_made(begun.last().call, step);
      step.call.follows = begun.last().call.label;
    }
    if (begin(oracle, step)) return step;
  }
  return end_of(begun.next());
}

bool Walk::admits(const model::Oracle& oracle, const PlainView& view) {
  if (oracle.forbids(view) != nullptr) return false;
  const DeviationName* met = known().met(options_->known, oracle.book(), view);
  // Others are met again now and then; trouble, which costs a time limit or a boot, never, nor
  // what would end a case that has grown large.
  const bool never = met != nullptr && (is_trouble(*met) || options_->objects != 0);
  return met == nullptr || (!never && random_.chance(3));
}

void Walk::choose_least_tried(const model::Oracle& oracle, CallMaker& make, std::uint64_t roll,
                              model::PlannedCall& step) {
  Attempt best = attempt_of(oracle.book(), step, {oracle.state(), step.call, kNothingYet});
  for (int i = 0; i < kCandidates; ++i) {
    // Work requests that are wrong give way to such only, so there are as many as asked for.
    model::PlannedCall other =
        propose(make, roll < kRequests ? roll : random_.between(kRequests, kAllKinds - 1), true);
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
  CallMaker make(random_, oracle, options_->unanswered_permille, options_->objects);
  for (;;) {
    std::optional<model::PlannedCall> step;
    if (!oracle.together().empty()) {
      before_.reset();
      return beside_begun(oracle, make);
    }
    if (!oracle.flight().empty()) {
      before_.reset();
      step = beside_flight(oracle, make);
      delay(*step);
      oracle.resolve(*step);
      if (admits(oracle, {oracle.state(), step->call, kNothingYet})) return *step;
      continue;
    }
    if (before_) step = follow_up(make, *before_);
    before_.reset();
    // A failed pair is first used a little in its failed state, then reconnected.
    if (!step && random_.chance(60)) step = make.reconnect();
    if (!step && options_->objects != 0 && random_.chance(50)) step = make.grow();
    const bool chosen = !step;
    const auto roll = make.live_regions() < 3 ? 0 : random_.below(kAllKinds);
    const bool wrong = chosen && random_.chance(kind_of(roll).wrong_share(options_->wrong_percent));
    if (chosen) step = propose(make, roll, wrong);
    add_form(oracle, *step);
    oracle.resolve(*step);
    if (!admits(oracle, {oracle.state(), step->call, kNothingYet})) continue;
    // Now and then as it comes: what is wrong in several respects has its place, too.
    if (wrong && !random_.chance(12)) choose_least_tried(oracle, make, roll, *step);
    if (!wrong && random_.chance(8) && post(oracle, *step)) return *step;
    if (overlaps_ && random_.chance(60) && begin(oracle, *step)) return *step;
    before_ = Before{*step, revoked_by(*step), wrong};
    return *step;
  }
}

}  // namespace mrproof::property_tests
