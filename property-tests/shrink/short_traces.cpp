#include "property-tests/shrink/short_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/alphabet/plain_calls.hpp"
#include "model/conditions/circumstances.hpp"
#include "model/oracle/predict.hpp"
#include "model/trace/trace_form.hpp"
#include "property-tests/shrink/shrink_form.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

/// Up to so many steps unusual values are tried, too.
constexpr std::size_t kWideSteps = 2;

/// Up to so many steps receives and binds before the last call may have an unusual value.
constexpr std::size_t kOddSteps = 4;

std::optional<Verb> verb_of(const model::Annotation& wanted) {
  const auto* found = std::find(kVerbNames.begin(), kVerbNames.end(), wanted.verb());
  if (found == kVerbNames.end()) return std::nullopt;
  return static_cast<Verb>(found - kVerbNames.begin());
}

/// The worlds that a trace begins in, the plainest first.
std::vector<model::Setup> beginnings() {
  constexpr auto kNo = model::Setup::kAbsent;
  return {{{0, 0, kNo, kNo}, {true}},
          {{0, 1, kNo, kNo}, {true, true}},
          {{0, 0, kNo, kNo}, {true, true}},
          {{0, 0, 0, 0}, {true}},
          {{0, 0, 1, 1}, {true, true}}};
}

/// Whether the verb is tried before the last call of so many: the more calls, the fewer verbs.
bool leads_on(Verb verb, std::size_t steps) {
  switch (verb) {
    case Verb::alloc_pd:
    case Verb::dealloc_pd:
    case Verb::query_qp:
    case Verb::fill:
    case Verb::rdma_read:
    case Verb::atomic_fetch_and_add:
    case Verb::atomic_cmp_and_swp: return false;
    case Verb::reg_mr_iova:
    case Verb::reg_mr_ex:
    case Verb::reg_dmabuf_mr:
    case Verb::reg_shared_mr:
    case Verb::advise_mr: return steps <= kWideSteps;
    case Verb::alloc_null_mr: return steps < kOddSteps;
    case Verb::rereg_mr:
    case Verb::modify_qp:
    case Verb::rdma_write: return steps <= kOddSteps;
    default: return true;
  }
}

/// Whether the verb makes an object, whatever there was before.
bool is_maker(Verb verb) { return makes_region(verb) || verb == Verb::alloc_mw; }

bool has_argument(Verb verb, model::Argument argument) {
  const auto arguments = model::form_of(verb).arguments;
  return std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
}

/// What the conditions are about.
Topics topics_of(const BrokenConditions& broken, const Rulebook& book) {
  Topics topics = 0;
  const auto add = [&](const PlainCondition* condition) {
    if (broken.contains(condition->id)) topics |= condition->topics;
  };
  for (const PlainCondition* condition : book.conditions()) add(condition);
  for (const PlainCondition* circumstance : kCircumstances<Plain>) add(circumstance);
  return topics;
}

/// What the conditions of the wanted rule have to be for its deviation, as far as the situation
/// goes: a quick answer to most calls that cannot show it.
class Sieve {
 public:
  Sieve(const Rulebook& book, const model::Annotation& wanted, Verb verb) {
    const PlainRule* rule = book.find(wanted.rule);
    if (wanted.verdict != Verdict::deviates) rule = book.rules(verb, Outcome::ok).front();
    if (rule == nullptr) return;
    result_.outcome = wanted.verdict == Verdict::deviates ? rule->outcome : Outcome::none;
    const auto is_broken = [&](const char* id) { return wanted.broken.contains(id); };
    bool any_broken = false;
    for (const auto& term : rule->requires_all) {
      if (term.condition->about != About::situation) continue;
      const bool is = is_broken(term.condition->id);
      terms_.push_back({term.condition, term.holds != is});
      any_broken |= is;
    }
    const bool unexplained = is_broken(kNothingForbids.id);
    if (unexplained && !any_broken)
      for (const auto& term : rule->reasons) terms_.push_back({term.condition, !term.holds});
    if (unexplained || is_broken(kBytesAsPredicted.id)) {
      for (const PlainCondition* circumstance : kCircumstances<Plain>)
        terms_.push_back({circumstance, is_broken(circumstance->id)});
    } else if (std::ranges::any_of(kBounds<Plain>, [&](auto* c) { return is_broken(c->id); })) {
      for (const PlainCondition* circumstance : kOutOfBounds<Plain>)
        terms_.push_back({circumstance, is_broken(circumstance->id)});
    }
  }
  [[nodiscard]] bool lets_through(const State<Plain>& state, const Call<Plain>& call) const {
    const PlainView view{state, call, result_};
    return std::all_of(terms_.begin(), terms_.end(), [&](const Term<Plain>& term) {
      return term.condition->holds(view).truth() == term.holds;
    });
  }

 private:
  std::vector<Term<Plain>> terms_;
  Result<Plain> result_;
};

class Search {
 public:
  Search(const model::Trace& like, const model::Annotation& wanted, Verb last, std::size_t steps,
         const ShortTracesLimits& limits, const TakeTrace& take)
      : book_(*find_rulebook(like.dialect)),
        like_(like),
        wanted_(wanted),
        last_(last),
        steps_(steps),
        limits_(limits),
        sieve_(book_, wanted, last),
        take_(take) {
    like_.steps.clear();
    like_.comments.clear();
    const Topics topics = topics_of(wanted.broken, book_);
    const auto speaks_of = [&](Topics any) { return (topics & any) != 0; };
    const bool unexplained = wanted.broken.contains(kNothingForbids.id);
    const bool about_bytes = wanted.broken.contains(kBytesAsPredicted.id);
    odd_ = (wanted.broken.ids().size() > 1 && !unexplained && !about_bytes) || steps == 1 ||
                   (steps <= kWideSteps && makes_region(last))
               ? 2
               : 1;
    const bool few = steps <= kWideSteps;
    if (few) extra_ = (kZeroBased | kOnDemand | kShared | kAllocateMr) & book_.defined_access();
    second_ = (steps <= kWideSteps + 1 || (steps == kOddSteps && is_send(last))) &&
              (about_bytes || unexplained || speaks_of(kAboutElements));
    if (steps > kWideSteps + 1 || is_bind(last) || last == Verb::rereg_mr) extra_ |= kMwBind;
    if (speaks_of(kAboutZeroBased)) extra_ |= kZeroBased;
    if (speaks_of(kAboutOnDemand)) extra_ |= kOnDemand;
    protects_ =
        (extra_ & kOnDemand) != 0 || about_bytes || makes_region(last) || last == Verb::rereg_mr;
    domains_ = steps <= kWideSteps + 1 || speaks_of(kAboutDomains);
    pairs_ = speaks_of(kAboutPairs);
    about_receives_ = speaks_of(kAboutReceives);
    about_other_keys_ = speaks_of(kAboutOtherKeys);
  }

  bool run() {
    for (const auto& setup : beginnings()) {
      if ((setup.pd[1] && !domains_) || (setup.qp_pd[2] != model::Setup::kAbsent && !pairs_))
        continue;
      like_.setup = setup;
      extend(model::initial_state(setup, like_.can, book_.defined_access()));
    }
    return !over_;
  }

 private:
  [[nodiscard]] bool exhausted() {
    over_ = over_ || ++calls_ > limits_.calls;
    return over_;
  }

  void extend(const State<Plain>& state) {
    const std::size_t left = steps_ - made_.size();
    if (left == 1) return finish(state);
    const bool wide = steps_ <= kWideSteps;
    for (std::size_t i = 0; i < kVerbs; ++i) {
      const auto verb = static_cast<Verb>(i);
      if (!book_.has(verb) || !leads_on(verb, steps_)) continue;
      if (verb == Verb::protect && !protects_) continue;
      const bool odd = (verb == Verb::rereg_mr && steps_ < kOddSteps) ||
                       (steps_ <= kOddSteps && (is_bind(verb) || verb == Verb::post_recv));
      each_plain_call(state, verb,
                      {last_, false, odd ? 1U : 0U, wide, second_, steps_ < kOddSteps, extra_},
                      [&](const model::Step& step) { try_step(state, step); });
    }
  }

  void try_step(const State<Plain>& state, const model::Step& step) {
    if (exhausted() || !in_order(step)) return;
    if (book_.forbids(state, step.call) != nullptr) return;
    model::Step made = step;
    if (made.call.verb == Verb::rdma_write)  // it is there to fail
      made.result.outcome =
          made.lkey == model::KeyName{} ? Outcome::loc_prot_err : Outcome::rem_access_err;
    auto next = model::predicted(book_, state, made);
    if (!next || !is_worth_it(state, *next, made)) return;
    if (made.call.verb == Verb::rereg_mr) next->regions.change(made.call.mr, renew_keys);
    made_.push_back(made);
    if (idle() <= 3 * (steps_ - made_.size())) extend(*next);
    made_.pop_back();
  }

  /// A region may have other keys once it was re-registered.
  static void renew_keys(Region<Plain>& region) {
    if (!region.live.truth()) return;
    region.old_lkey = region.lkey;
    region.old_rkey = region.rkey;
    region.lkey = region.rkey = region.lkey + Plain::key(0x4000'0000);
  }

  /// Objects that do not depend on each other are made in one order, and the first end of a pair
  /// that is used is the first one.
  [[nodiscard]] bool in_order(const model::Step& step) const {
    if (has_argument(step.call.verb, model::Argument::qp) && interchangeable()) {
      const bool any = std::any_of(made_.begin(), made_.end(), [](const model::Step& s) {
        return has_argument(s.call.verb, model::Argument::qp);
      });
      if (!any && step.call.qp != 0) return false;
    }
    // One change of a region is enough.
    if (steps_ >= kOddSteps && step.call.verb == Verb::rereg_mr)
      for (const model::Step& earlier : made_)
        if (earlier.call.verb == Verb::rereg_mr) return false;
    const auto makers = std::count_if(made_.begin(), made_.end(),
                                      [](const model::Step& s) { return is_maker(s.call.verb); });
    if (steps_ > kOddSteps && makers >= 2 && is_maker(step.call.verb)) return false;
    if (made_.empty() || !is_maker(step.call.verb) || !is_maker(made_.back().call.verb))
      return true;
    const auto rank = [](const model::Step& s) {
      const auto& c = s.call;
      return std::tuple(c.verb, c.pd, c.access.value(), c.length.value(), c.address.value());
    };
    return rank(made_.back()) <= rank(step);
  }

  /// Whether all ends of all pairs are alike.
  [[nodiscard]] bool interchangeable() const {
    const auto& pds = like_.setup.qp_pd;
    return std::all_of(pds.begin(), pds.end(),
                       [&](auto pd) { return pd == pds[0] || pd == model::Setup::kAbsent; });
  }

  /// Whether the call succeeds, or fails in a way that may have consequences.
  [[nodiscard]] static bool is_worth_it(const State<Plain>& before, const State<Plain>& after,
                                        const model::Step& step) {
    const Verb verb = step.call.verb;
    const auto& was = before.qps.at(step.call.qp);
    const auto& is = after.qps.at(step.call.qp);
    const auto err = Plain::small(QpState::err);
    if (verb == Verb::rdma_write) return !(was.state == err).truth() && (is.state == err).truth();
    if (is_transfer(verb) && (is.state == err).truth()) return false;
    if (verb == Verb::connect) {
      const auto& peer = before.qps.at(peer_of(step.call.qp));
      return ((was.state == err) | (peer.state == err) | was.posted | peer.posted).truth();
    }
    if (verb != Verb::local_inv && verb != Verb::send_with_inv) return true;
    for (std::size_t i = 0; i < before.windows.size(); ++i)
      if (!(before.windows.at(i).bound == after.windows.at(i).bound).truth()) return true;
    return false;
  }

  /// How many calls were made so far without a consequence in sight: whatever they are about is not
  /// mentioned since.
  [[nodiscard]] std::size_t idle(const model::Step* last = nullptr) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < made_.size(); ++i) {
      bool used = last != nullptr && follows(made_[i], *last, true);
      for (std::size_t j = i + 1; j < made_.size() && !used; ++j)
        used = follows(made_[i], made_[j], false);
      count += used ? 0 : 1;
    }
    return count;
  }

  /// Whether the later call is about what the earlier one has changed.
  [[nodiscard]] bool follows(const model::Step& step, const model::Step& later, bool last) const {
    const auto& c = step.call;
    const auto region = [&] { return mentions_object(later, ObjectKind::mr, c.mr); };
    const auto window = [&](std::uint32_t mw) {
      return mentions_object(later, ObjectKind::mw, mw);
    };
    const bool has_pair = has_argument(later.call.verb, model::Argument::qp);
    switch (c.verb) {
      case Verb::alloc_mw:
      case Verb::dealloc_mw: return window(c.mw);
      case Verb::bind_mw:
      case Verb::post_bind_mw: return window(c.mw) || region();
      case Verb::local_inv:
      case Verb::send_with_inv: return last || !is_window_key(step.rkey) || window(step.rkey.slot);
      case Verb::protect:
      case Verb::advise_mr: return last;
      case Verb::post_recv:
        return later.call.verb == Verb::send || later.call.verb == Verb::send_with_inv ||
               later.call.verb == Verb::rdma_write_with_imm || (last && about_receives_);
      case Verb::send: return about_receives_ && has_pair && later.call.qp / 2 == c.qp / 2;
      case Verb::connect:
      case Verb::destroy_qp:
      case Verb::rdma_write:
      case Verb::rdma_write_with_imm:
        return (has_pair && later.call.qp / 2 == c.qp / 2) || later.call.verb == Verb::dealloc_pd;
      default: return region() || (last && later.call.verb == Verb::dealloc_pd);
    }
  }

  void finish(const State<Plain>& state) {
    each_plain_call(state, last_, {last_, true, odd_, steps_ <= kWideSteps, second_, true, 0},
                    [&](const model::Step& step) {
                      if (exhausted() || !in_order(step) || !sieve_.lets_through(state, step.call))
                        return;
                      if (idle(&step) > (about_other_keys_ ? 1U : 0U)) return;
                      if (book_.forbids(state, step.call) != nullptr ||
                          !model::may_show(book_, state, step, wanted_))
                        return;
                      keep(step);
                    });
  }

  /// Whether a receive is posted, if the deviation is about what became of one.
  [[nodiscard]] bool has_receive() const {
    return !about_receives_ || wanted_.kind != DeviationClass::detail ||
           std::any_of(made_.begin(), made_.end(),
                       [](const model::Step& step) { return step.call.verb == Verb::post_recv; });
  }

  void keep(const model::Step& last) {
    made_.push_back(last);
    if (needs_all() && has_receive()) {
      model::Trace trace = like_;
      trace.steps = made_;
      if (!uses_pair(0)) trace.setup.qp_pd.fill(model::Setup::kAbsent);
      over_ = over_ || ++traces_ > limits_.traces || !take_(std::move(trace));
    }
    made_.pop_back();
  }

  [[nodiscard]] bool uses_pair(std::uint32_t pair) const {
    return std::any_of(made_.begin(), made_.end(), [&](const model::Step& step) {
      return has_argument(step.call.verb, model::Argument::qp) && step.call.qp / 2 == pair;
    });
  }

  /// Whether the trace needs what it begins with; it has been found in a smaller world if not.
  [[nodiscard]] bool needs_all() const {
    const auto& setup = like_.setup;
    if (setup.qp_pd[2] != model::Setup::kAbsent && (!uses_pair(1) || !uses_pair(0))) return false;
    if (!setup.pd[1]) return true;
    const bool named = std::any_of(made_.begin(), made_.end(), [&](const model::Step& step) {
      return mentions_object(step, ObjectKind::pd, 1);
    });
    const bool own = setup.qp_pd[1] == 1 || setup.qp_pd[2] == 1;
    return own ? uses_pair(0) : named;
  }

  const Rulebook& book_;
  model::Trace like_;
  const model::Annotation& wanted_;
  Verb last_;
  std::size_t steps_;
  ShortTracesLimits limits_;
  Sieve sieve_;
  unsigned odd_ = 1;
  std::uint32_t extra_ = 0;
  bool domains_ = true;
  bool pairs_ = false;
  bool about_receives_ = false;
  bool about_other_keys_ = false;
  bool protects_ = false;
  bool second_ = false;
  const TakeTrace& take_;
  std::uint64_t calls_ = 0;
  std::size_t traces_ = 0;
  bool over_ = false;
  std::vector<model::Step> made_;
};

}  // namespace

bool each_short_trace(const model::Trace& like, const model::Annotation& wanted, std::size_t steps,
                      const ShortTracesLimits& limits, const TakeTrace& take) {
  const auto verb = verb_of(wanted);
  if (!verb || steps == 0) return false;
  return Search(like, wanted, *verb, steps, limits, take).run();
}

ShortTraces& ShortTraceStore::get(const model::Trace& like, const model::Annotation& wanted,
                                  std::size_t steps) {
  model::Trace beginning = like;
  beginning.steps.clear();
  beginning.comments.clear();
  beginning.setup = {};
  const auto name =
      fmt::format("{}{} {}", model::print_trace(beginning), model::print_annotation(wanted), steps);
  const auto [place, is_new] = known_.try_emplace(name);
  if (!is_new) return place->second;
  std::vector<model::Trace> found;
  const auto keep = [&](model::Trace trace) {
    found.push_back(std::move(trace));
    return true;
  };
  ShortTraces& sorted = place->second;
  sorted.all = each_short_trace(like, wanted, steps, limits_, keep);
  std::vector<std::pair<std::vector<std::uint64_t>, std::size_t>> order;
  for (std::size_t i = 0; i < found.size(); ++i) order.emplace_back(weight_parts(found[i]), i);
  std::sort(order.begin(), order.end());
  for (const auto& [weight, i] : order) sorted.traces.push_back(std::move(found[i]));
  return sorted;
}

}  // namespace mrproof::property_tests
