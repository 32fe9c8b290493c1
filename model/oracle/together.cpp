#include "model/oracle/together.hpp"

#include <algorithm>
#include <utility>

#include "model/oracle/synthesize.hpp"

namespace mrproof::model {
namespace {

Bit never(const PlainView& /*view*/) { return Bit(false); }

using Calls = std::vector<const Call<Plain>*>;

/// Whether both name a region and one makes it anew: nothing says what the other one finds.
bool re_registers(const Call<Plain>& one, const Call<Plain>& other) {
  if (one.verb != Verb::rereg_mr) return false;
  switch (other.verb) {
    case Verb::advise_mr: return true;
    case Verb::rereg_mr:
    case Verb::dereg_mr: return one.mr == other.mr;
    case Verb::reg_shared_mr: return one.mr == other.source;
    default: return false;
  }
}

/// Whether both give a queue pair rights: either's may be those that stay.
bool give_rights(const Call<Plain>& one, const Call<Plain>& other) {
  return one.verb == Verb::modify_qp && other.verb == Verb::modify_qp && one.qp == other.qp;
}

/// Whether both make an object of the same name: also one that has to be refused could be there.
bool make_the_same(const Call<Plain>& one, const Call<Plain>& other) {
  if (makes_region(one.verb)) return makes_region(other.verb) && one.mr == other.mr;
  if (one.verb != other.verb) return false;
  return (one.verb == Verb::alloc_mw && one.mw == other.mw) ||
         (one.verb == Verb::alloc_pd && one.pd == other.pd);
}

const Call<Plain>* labelled(const Calls& calls, std::uint8_t label) {
  const auto found = std::find_if(
      calls.begin(), calls.end(), [&](const Call<Plain>* call) { return call->label == label; });
  return found == calls.end() ? nullptr : *found;
}

/// Whether one thread makes both, this one behind the other.
bool is_behind(const Call<Plain>& call, const Call<Plain>& other, const Calls& calls) {
  const auto* before = &call;
  while (before != nullptr && before->follows != 0 && before->follows != other.label)
    before = labelled(calls, before->follows);
  return before != nullptr && before->follows != 0;
}

/// Whether nothing says what one finds that the other leaves, or which of them makes what.
bool collide(const Call<Plain>& one, const Call<Plain>& other) {
  return re_registers(one, other) || re_registers(other, one) || give_rights(one, other) ||
         make_the_same(one, other);
}

/// The precondition that one of the calls would break in some order, whether those before it
/// succeed or are refused; or null.
const PlainCondition* broken_in_some_order(
    const Rulebook& book, const State<Plain>& state, const Calls& calls) {
  const Result<Plain> nothing;
  for (const auto* call : calls) {
    if (labelled(calls, call->follows) != nullptr) continue;
    if (const auto* broken = book.forbids({state, *call, nothing})) return broken;
    Calls others = calls;
    std::erase(others, call);
    if (others.empty()) return nullptr;
    Calls unless_behind = others;
    std::erase_if(unless_behind,
                  [&](const Call<Plain>* other) { return is_behind(*other, *call, calls); });
    if (const auto* broken = broken_in_some_order(book, state, unless_behind)) return broken;
    for (const auto* rule : book.rules(call->verb, Outcome::ok)) {
      const auto seen = synthesize(*rule, state, *call);
      if (!seen) continue;
      State<Plain> after = state;
      advance(*rule, {state, *call, *seen}, after);
      if (const auto* broken = broken_in_some_order(book, after, others)) return broken;
    }
  }
  return nullptr;
}

}  // namespace

const PlainCondition kMayOverlap{"may_overlap",
    "calls that overlap are no work requests, receives or connections, and not the program's own "
    "stores; their labels are free, no request is in flight when they begin, and there are six of "
    "them at most, made by four threads at most; a thread makes one behind another only if there "
    "is one process, and what it made before is seen to return before; until all have returned "
    "nothing else is called, but requests are posted beside one that could be made while they are "
    "in flight; and none begins after one has returned",
    "harness.overlap", About::situation, never};
const PlainCondition kAnyOrder{"any_order",
    "calls that overlap may be made in any order of their threads, whether those before succeed or "
    "are refused; none makes a region anew that another thread's names, or an advice, and no two "
    "threads give a queue pair rights or make an object of one name",
    "harness.overlap", About::situation, never};
const PlainCondition kOverlaps{
    "overlaps", "it overlapped other calls", "harness.overlap", About::situation, never};

const PlannedCall& Together::next() const {
  return std::find_if(begun_.begin(), begun_.end(), [](const Begun& b) { return !b.ended; })->step;
}

bool Together::returning() const {
  return std::any_of(begun_.begin(), begun_.end(), [](const Begun& b) { return b.ended; });
}

const PlannedCall* Together::find(std::uint8_t label) const {
  const auto found = std::find_if(begun_.begin(), begun_.end(),
      [&](const Begun& b) { return !b.ended && b.step.call.label == label; });
  return found == begun_.end() ? nullptr : &found->step;
}

const PlainCondition* Together::forbids(
    const Rulebook& book, const State<Plain>& state, const Call<Plain>& call) const {
  const bool is_beside = begun_.size() == 1 && !returning() && call.part == Part::posted &&
                         find(call.label) == nullptr;
  if (!is_overlapping(call)) return empty() || is_beside ? nullptr : &kMayOverlap;
  if (call.part == Part::completion) return may_return(call.label) ? nullptr : &kMayOverlap;
  if (!may_begin(state, call)) return &kMayOverlap;
  Calls calls{&call};
  for (const auto& begun : begun_) calls.push_back(&begun.step.call);
  for (const auto* other : calls) {
    const bool ordered = other->verb != Verb::advise_mr && is_behind(call, *other, calls);
    if (other != &call && !ordered && collide(call, *other)) return &kAnyOrder;
  }
  if (calls.size() == 1) return nullptr;
  return broken_in_some_order(book, state, calls) == nullptr ? nullptr : &kAnyOrder;
}

bool Together::may_begin(const State<Plain>& state, const Call<Plain>& call) const {
  if (!may_overlap(call.verb) || begun_.size() == kMost || returning() ||
      find(call.label) != nullptr)
    return false;
  const auto follows = [&](std::uint8_t label) {
    return std::count_if(begun_.begin(), begun_.end(),
                         [&](const Begun& b) { return b.step.call.follows == label; });
  };
  if (call.follows == 0) return follows(0) < std::ptrdiff_t{kMostThreads};
  const bool is_one_process = std::all_of(state.process.begin(), state.process.end(),
                                          [](std::uint8_t process) { return process == 0; });
  return is_one_process && find(call.follows) != nullptr && follows(call.follows) == 0;
}

bool Together::may_return(std::uint8_t label) const {
  const auto* step = find(label);
  return step != nullptr && (step->call.follows == 0 || find(step->call.follows) == nullptr);
}

void Together::begin(const PlannedCall& step) { begun_.push_back({step, {}}); }

bool Together::end(const Step& step) {
  for (auto& begun : begun_) {
    if (begun.ended || begun.step.call.label != step.call.label) continue;
    begun.ended = true;
    begun.result = step.result;
    break;
  }
  return std::all_of(begun_.begin(), begun_.end(), [](const Begun& b) { return b.ended; });
}

/// Looks at one order after the other until one explains all results.
class Together::Orders {
 public:
  Orders(const Rulebook& book, const std::vector<Begun>& begun) : book_(book), begun_(begun) {}

  bool explain(const State<Plain>& state) {
    if (taken_.size() == begun_.size()) {
      furthest_ = path_;
      return true;
    }
    for (const auto& one : begun_) {
      if (is_taken(one) || !is_taken_before(one)) continue;
      if (is_left_out(one)) {
        taken_.push_back(&one);
        if (explain(state)) return true;
        taken_.pop_back();
        continue;
      }
      auto call = one.step.call;
      call.part = Part::whole;
      const PlainView view{state, call, one.result};
      Judgement judgement = judge(book_, view);
      const bool deviates = judgement.verdict == Verdict::deviates;
      State<Plain> after = state;
      if (!deviates) advance(*judgement.rule, view, after);
      path_.push_back({call, one.result, std::move(judgement)});
      taken_.push_back(&one);
      if (deviates)
        keep_if_further();
      else if (explain(after))
        return true;
      path_.pop_back();
      taken_.pop_back();
    }
    return false;
  }
  [[nodiscard]] std::vector<Made> furthest() { return std::move(furthest_); }

 private:
  [[nodiscard]] bool is_taken(const Begun& one) const {
    return std::find(taken_.begin(), taken_.end(), &one) != taken_.end();
  }
  /// The one behind which its thread makes this one; null if it is the first.
  [[nodiscard]] const Begun* before(const Begun& one) const {
    if (one.step.call.follows == 0) return nullptr;
    return &*std::find_if(begun_.begin(), begun_.end(), [&](const Begun& other) {
      return other.step.call.label == one.step.call.follows;
    });
  }
  [[nodiscard]] bool is_taken_before(const Begun& one) const {
    const Begun* const first = before(one);
    return first == nullptr || is_taken(*first);
  }
  /// Whether its thread does not make it, as it should not, since the one before it has failed.
  [[nodiscard]] bool is_left_out(const Begun& one) const {
    const Begun* const first = before(one);
    return first != nullptr && first->result.outcome != Outcome::ok &&
           one.result.outcome == Outcome::none;
  }
  void keep_if_further() {
    const bool further = path_.size() > furthest_.size();
    const bool as_far = path_.size() == furthest_.size();
    if (further || (as_far && is_plainer(path_.back().judgement, furthest_.back().judgement)))
      furthest_ = path_;
  }
  const Rulebook& book_;
  const std::vector<Begun>& begun_;
  std::vector<const Begun*> taken_;
  std::vector<Made> path_, furthest_;
};

std::vector<Together::Made> Together::explain(const Rulebook& book, const State<Plain>& state) {
  Orders orders(book, begun_);
  orders.explain(state);
  begun_.clear();
  return orders.furthest();
}

}  // namespace mrproof::model
