#include "specs/smt/forms.hpp"

#include <utility>

namespace mrproof::specs::smt {
namespace {

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

/// Whether a sum with that many of the leaf can be given any value by it.
bool may_change(Ref leaf, int times) {
  return std::abs(times) == 1 && Store::current().node(leaf).op == Op::unknown;
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
        if (may_change(leaf, times) && counts.at(leaf) == 1)
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

/// The last change first.
void Free::restore(Assignment& values) const {
  const Store& store = Store::current();
  values.resize(store.names().size(), 0);
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change)
    values.at(static_cast<std::size_t>(store.node(change->unknown).value)) =
        evaluate(store, {change->becomes}, values).front();
}

Sum sum_of(Ref term) {
  Sum sum;
  add_to(sum, term, 1);
  sum.rest &= greatest(Store::current().node(term).width);
  return sum;
}

}  // namespace mrproof::specs::smt
