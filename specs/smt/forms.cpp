#include "specs/smt/forms.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace mrproof::smt {
namespace {

using Forms = std::set<Form>;

void add_to(Sum& sum, Ref term, int times) {
  const Node& node = Store::current().node(term);
  if (node.op == Op::constant) {
    sum.rest += times > 0 ? node.value : -node.value;
  } else if (node.op == Op::add || node.op == Op::subtract) {
    add_to(sum, node.args[0], times);
    add_to(sum, node.args[1], node.op == Op::add ? times : -times);
  } else if ((sum.of[term] += times) == 0) {
    sum.of.erase(term);
  }
}

unsigned cost_of(const Form& form) {
  unsigned cost = 0;
  for (const auto& [leaf, times] : form) cost += static_cast<unsigned>(std::abs(times));
  return cost == 0 ? 0 : cost - 1;
}
unsigned cost_of(const Forms& forms) {
  unsigned cost = 0;
  for (const Form& form : forms) cost += cost_of(form);
  return cost;
}

bool may_change(const Form& form, Ref leaf) {
  const Store& store = Store::current();
  // What the store does not have stands for something new.
  return std::abs(form.at(leaf)) == 1 &&
         (leaf >= store.size() || store.node(leaf).op == Op::unknown);
}

/// What the form is after the leaf has been replaced so that `by` is one unknown.
Form changed(const Form& form, const Form& by, Ref leaf, Ref fresh) {
  const auto found = form.find(leaf);
  if (found == form.end()) return form;
  Form result = form;
  const int times = found->second * by.at(leaf);
  for (const auto& [other, count] : by)
    if ((result[other] -= times * count) == 0) result.erase(other);
  result[fresh] += times;
  return result;
}

/// A leaf of a form to be replaced so that the form is one unknown.
struct Step {
  Form by;
  Ref leaf;
  Forms after;
};

/// The step that makes the forms shortest, if one makes them shorter.
std::optional<Step> best_step(const Forms& forms, Ref fresh) {
  unsigned least = cost_of(forms);
  std::optional<Step> best;
  for (const Form& by : forms) {
    if (by.size() < 2) continue;
    for (const auto& [leaf, times] : by) {
      if (!may_change(by, leaf)) continue;
      Forms after;
      for (const Form& form : forms) after.insert(changed(form, by, leaf, fresh));
      if (cost_of(after) >= least) continue;
      least = cost_of(after);
      best = Step{by, leaf, std::move(after)};
    }
  }
  return best;
}

/// How long the forms are at the best.
unsigned least_cost(Forms forms) {
  Ref fresh = ~Ref{0};
  while (auto step = best_step(forms, fresh--)) forms = std::move(step->after);
  return cost_of(forms);
}

/// The sum of the leaves but one, negated if that one is added.
Ref without(const Form& form, Ref leaf, Ref start) {
  Store& store = Store::current();
  const bool added = form.at(leaf) > 0;
  for (const auto& [other, times] : form) {
    if (other == leaf) continue;
    for (int i = 0; i < std::abs(times); ++i)
      start = store.make((times > 0) == added ? Op::subtract : Op::add, start, other);
  }
  return start;
}

/// The sums that the term uses.
void add_word(Forms& forms, Ref word) {
  const Store& store = Store::current();
  const Sum sum = sum_of(word);
  forms.insert(sum.of);
  for (const auto& [leaf, times] : sum.of)
    for (std::size_t i = 0; i < arity(store.node(leaf).op); ++i)
      add_word(forms, store.node(leaf).args.at(i));
}
void add_bit(Forms& forms, Ref bit) {
  const Node& node = Store::current().node(bit);
  for (std::size_t i = 0; i < arity(node.op); ++i) {
    const Ref arg = node.args.at(i);
    Store::current().node(arg).width == 0 ? add_bit(forms, arg) : add_word(forms, arg);
  }
}
Forms forms_of(const std::vector<Ref>& bits) {
  Forms forms;
  for (const Ref bit : bits) add_bit(forms, bit);
  return forms;
}

/// The ordering as one of three points: x - a and y - a are compared.
Ref by_points(Ref bit, Ref a) {
  Store& store = Store::current();
  const Node node = store.node(bit);
  if (node.op == Op::negation) return store.make(Op::negation, by_points(node.args[0], a));
  const Ref x = store.make(Op::add, node.args[0], a);
  const Ref y = store.make(Op::add, node.args[1], a);
  const Ref x_after = store.make(Op::less_equal, a, x);
  const Ref y_after = store.make(Op::less_equal, a, y);
  const Ref around = store.make(Op::conjunction, x_after, store.make(Op::negation, y_after));
  const Ref same_side = store.make(Op::equal, x_after, y_after);
  return store.make(Op::disjunction, around,
                    store.make(Op::conjunction, same_side, store.make(node.op, x, y)));
}

/// Whether it compares words by their order.
bool is_ordering(Ref bit) {
  const Store& store = Store::current();
  Node node = store.node(bit);
  if (node.op == Op::negation) node = store.node(node.args[0]);
  return node.op == Op::less || node.op == Op::less_equal;
}

/// Points that others may be seen from: those from which many long sums are short ones that there
/// are anyway, or the other way round; the best first.
std::vector<Form> points_for(const Forms& forms) {
  std::map<Form, unsigned> votes;
  for (const Form& from : forms) {
    if (from.size() < 2) continue;
    for (const Form& to : forms) {
      if (to.size() >= from.size()) continue;
      Form point = to;
      for (const auto& [leaf, times] : from)
        if ((point[leaf] -= times) == 0) point.erase(leaf);
      ++votes[point];
      for (auto& [leaf, times] : point) times = -times;
      ++votes[point];
    }
  }
  std::vector<std::pair<unsigned, Form>> order;
  for (const auto& [point, count] : votes) order.emplace_back(count, point);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(b.first, a.second.size()) < std::pair(a.first, b.second.size());
  });
  constexpr std::size_t kMost = 16;
  std::vector<Form> best;
  for (std::size_t i = 0; i < order.size() && i < kMost; ++i) best.push_back(order[i].second);
  return best;
}

/// Sees the bit plainly of which that makes the sums shortest, if there is one.
bool see_one_plainly(std::vector<Ref>& bits, const std::vector<Ref>& plain, unsigned& cost) {
  std::size_t best = bits.size();
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i] == plain[i]) continue;
    const Ref seen = std::exchange(bits[i], plain[i]);
    const unsigned now = least_cost(forms_of(bits));
    bits[i] = seen;
    if (now > cost) continue;
    cost = now;
    best = i;
  }
  if (best == bits.size()) return false;
  bits[best] = plain[best];
  return true;
}

Ref term_of(const Form& form) {
  Store& store = Store::current();
  Ref term = store.constant(64, 0);
  for (const auto& [leaf, times] : form)
    for (int i = 0; i < std::abs(times); ++i)
      term = store.make(times > 0 ? Op::add : Op::subtract, term, leaf);
  return term;
}

/// An unknown that an equality gives away.
std::optional<Change> given_away(const std::vector<Ref>& bits) {
  Store& store = Store::current();
  for (const Ref bit : bits) {
    const Node node = store.node(bit);
    if (node.op != Op::equal) continue;
    const Sum sum = sum_of(store.make(Op::subtract, node.args[0], node.args[1]));
    for (const auto& [leaf, times] : sum.of) {
      std::vector<Ref> others;
      for (const auto& [other, count] : sum.of)
        if (other != leaf) others.push_back(other);
      const auto cone = store.cone(others);
      if (!may_change(sum.of, leaf) || std::find(cone.begin(), cone.end(), leaf) != cone.end())
        continue;
      const unsigned width = store.node(leaf).width;
      const Ref rest = store.constant(width, times > 0 ? -sum.rest : sum.rest);
      return Change{leaf, without(sum.of, leaf, rest)};
    }
  }
  return {};
}

/// How often unknowns occur.
std::map<Ref, unsigned> occurrences(const std::vector<Ref>& bits) {
  const Store& store = Store::current();
  std::map<Ref, unsigned> counts;
  std::vector<Ref> todo = bits;
  while (!todo.empty()) {
    const Node node = store.node(todo.back());
    if (node.op == Op::unknown) ++counts[todo.back()];
    todo.pop_back();
    for (std::size_t i = 0; i < arity(node.op); ++i) todo.push_back(node.args.at(i));
  }
  return counts;
}

/// What the unknown is if the word is to have the value.
Ref solved(Ref word, Ref unknown, Ref value) {
  Store& store = Store::current();
  const bool added = sum_of(word).of.at(unknown) > 0;
  // The word without the unknown.
  const Ref rest = store.make(added ? Op::subtract : Op::add, word, unknown);
  return added ? store.make(Op::subtract, value, rest) : store.make(Op::subtract, rest, value);
}

}  // namespace

Free::Free(std::vector<Ref> bits) : bits_(std::move(bits)) {
  while (free_one()) {
  }
}

/// Finds a comparison of a word that may have any value, since an unknown occurs nowhere else.
bool Free::free_one() {
  const Store& store = Store::current();
  const auto counts = occurrences(bits_);
  for (Ref& bit : bits_) {
    const bool holds = store.node(bit).op != Op::negation;
    const Node node = store.node(holds ? bit : store.node(bit).args[0]);
    if (arity(node.op) != 2) continue;
    for (std::size_t side = 0; side < 2; ++side)
      for (const auto& [leaf, times] : sum_of(node.args.at(side)).of)
        if (may_change({{leaf, times}}, leaf) && counts.at(leaf) == 1)
          return free_side(bit, node, holds, side, leaf), true;
  }
  return false;
}

void Free::free_side(Ref& bit, const Node& node, bool holds, std::size_t side, Ref unknown) {
  Store& store = Store::current();
  const Ref word = node.args.at(side);
  const Ref other = node.args.at(1 - side);
  const unsigned width = store.node(word).width;
  const Ref zero = store.constant(width, 0);
  const Ref ones = store.constant(width, greatest(width));
  if (node.op == Op::equal) {
    const Ref next = store.make(Op::add, other, store.constant(width, 1));
    changes_.push_back({unknown, solved(word, unknown, holds ? other : next)});
    bit = kTrue;
    return;
  }
  const Ref extreme = (side == 0) == holds ? zero : ones;
  changes_.push_back({unknown, solved(word, unknown, extreme)});
  const bool strict = (node.op == Op::less) == holds;
  bit = strict ? store.make(Op::negation, store.make(Op::equal, other, extreme)) : kTrue;
}

void Free::restore(Assignment& values) const { undo(changes_, values); }

void undo(const std::vector<Change>& changes, Assignment& values) {
  const Store& store = Store::current();
  values.resize(store.names().size(), 0);
  for (auto change = changes.rbegin(); change != changes.rend(); ++change)
    values.at(static_cast<std::size_t>(store.node(change->unknown).value)) =
        evaluate(store, {change->becomes}, values).front();
}

Sum sum_of(Ref term) {
  Sum sum;
  add_to(sum, term, 1);
  sum.rest &= greatest(Store::current().node(term).width);
  return sum;
}

Shortened::Shortened(std::vector<Ref> bits) : bits_(std::move(bits)) {
  Store& store = Store::current();
  while (const auto change = given_away(bits_)) apply(*change);
  choose_points();
  while (const auto step = best_step(forms_of(bits_), static_cast<Ref>(store.size()))) {
    const unsigned width = store.node(step->leaf).width;
    const Ref fresh = store.unknown(
        width, std::to_string(width) + "-bit point " + std::to_string(changes_.size()));
    Ref start = fresh;
    if (step->by.at(step->leaf) < 0)
      start = store.make(Op::subtract, store.constant(width, 0), fresh);
    apply({step->leaf, without(step->by, step->leaf, start)});
  }
}

void Shortened::choose_points() {
  constexpr std::size_t kMost = 26;  // this takes time
  if (bits_.size() > kMost) return;
  for (const Form& form : forms_of(bits_))
    for (const auto& [leaf, times] : form)
      if (Store::current().node(leaf).width != 64) return;
  constexpr int kPoints = 3;
  for (int i = 0; i < kPoints && choose_point(); ++i) {
  }
}

/// All orderings are seen from one point first; then those for which that is no help are not.
/// Whether there is a point that helps.
bool Shortened::choose_point() {
  const auto plain = bits_;
  const Forms forms = forms_of(plain);
  const unsigned before = least_cost(forms);
  unsigned least = before;
  for (const Form& point : points_for(forms)) {
    if (least == 0) break;
    auto bits = plain;
    for (Ref& bit : bits)
      if (is_ordering(bit)) bit = by_points(bit, term_of(point));
    unsigned cost = least_cost(forms_of(bits));
    while (see_one_plainly(bits, plain, cost)) {
    }
    if (cost >= least) continue;
    least = cost;
    bits_ = bits;
  }
  return least < before;
}

void Shortened::apply(const Change& change) {
  bits_ = Store::current().substitute(bits_, change.unknown, change.becomes);
  changes_.push_back(change);
}

void Shortened::restore(Assignment& values) const { undo(changes_, values); }

}  // namespace mrproof::smt
