#include "specs/prover/candidate.hpp"

#include <algorithm>

namespace mrproof::specs {

using smt::Literal;
using smt::Node;
using smt::Number;
using smt::Op;
using smt::Ref;
using smt::Store;

Number Candidate::value(Ref ref) {
  const auto found = values_.find(ref);
  if (found != values_.end()) return found->second;
  const Store& store = Store::current();
  const Node node = store.node(ref);
  Number value = 0;
  if (node.op == Op::constant) {
    value = node.value;
  } else if (node.op == Op::unknown || store.compares_wide(ref)) {
    value = skeleton_.value(ref);
  } else if (node.op == Op::choice) {
    value = Candidate::value(node.args.at(Candidate::value(node.args[0]) != 0 ? 1 : 2));
  } else {
    const auto arg = [&](std::size_t i) {
      return i < smt::arity(node.op) ? Candidate::value(node.args.at(i)) : 0;
    };
    value = smt::apply(node.op, node.width, arg(0), arg(1), 0);
  }
  values_.emplace(ref, value);
  return value;
}

/// How many comparisons the bit is made of, those that occur twice counted twice, up to a limit.
unsigned Candidate::weight(Ref ref) {
  const auto found = weights_.find(ref);
  if (found != weights_.end()) return found->second;
  const Store& store = Store::current();
  const Node node = store.node(ref);
  unsigned weight = store.compares_wide(ref) ? 1 : 0;
  for (std::size_t i = 0; i < smt::arity(node.op); ++i)
    weight += Candidate::weight(node.args.at(i));
  weight = std::min(weight, 1000U);
  weights_.emplace(ref, weight);
  return weight;
}

void Candidate::need_either(Ref a, Ref b, Number wanted) {
  if (value(a) != wanted) return need(b);
  if (value(b) != wanted) return need(a);
  const auto cost = [&](Ref ref) { return needed_.contains(ref) ? 0 : weight(ref); };
  need(cost(a) <= cost(b) ? a : b);
}

void Candidate::need(Ref bit) {
  if (!needed_.insert(bit).second) return;
  const Store& store = Store::current();
  const Node node = store.node(bit);
  switch (node.op) {
    case Op::constant:
    case Op::unknown: return;
    case Op::negation: return need(node.args[0]);
    case Op::conjunction:
    case Op::disjunction: {
      const bool holds = value(bit) != 0;
      if (holds != (node.op == Op::conjunction))
        return need_either(node.args[0], node.args[1], holds ? 1 : 0);
      need(node.args[0]);
      return need(node.args[1]);
    }
    case Op::choice: return need_word(bit);
    default: break;
  }
  if (store.node(node.args[0]).width == 0) {
    need(node.args[0]);
    return need(node.args[1]);
  }
  if (store.compares_wide(bit)) comparisons_.push_back(bit);
  need_word(node.args[0]);
  need_word(node.args[1]);
}

/// What decides on the word's choices is needed.
void Candidate::need_word(Ref word) {
  const Node node = Store::current().node(word);
  if (node.op == Op::choice) {
    need(node.args[0]);
    const Ref chosen = node.args.at(value(node.args[0]) != 0 ? 1 : 2);
    return node.width == 0 ? need(chosen) : need_word(chosen);
  }
  if (!needed_.insert(word).second) return;
  for (std::size_t i = 0; i < smt::arity(node.op); ++i) need_word(node.args.at(i));
}

Ref Candidate::resolve(Ref word) {
  const auto found = resolved_.find(word);
  if (found != resolved_.end()) return found->second;
  Store& store = Store::current();
  const Node node = store.node(word);
  Ref result = word;
  if (node.op == Op::choice) {
    result = resolve(node.args.at(value(node.args[0]) != 0 ? 1 : 2));
  } else if (node.op == Op::extend) {
    result = store.extend(resolve(node.args[0]), node.width);
  } else if (smt::arity(node.op) > 0) {
    const Ref a = resolve(node.args[0]);
    result = store.make(node.op, a, smt::arity(node.op) > 1 ? resolve(node.args[1]) : 0);
  }
  resolved_.emplace(word, result);
  return result;
}

Ref Candidate::resolved(Ref comparison) {
  const Ref bit = resolve(comparison);
  return value(comparison) != 0 ? bit : Store::current().make(Op::negation, bit);
}

std::vector<Literal> Candidate::choices(Ref comparison) {
  std::vector<Literal> found;
  std::vector<Ref> todo{comparison};
  std::unordered_set<Ref> seen;
  while (!todo.empty()) {
    const Ref ref = todo.back();
    todo.pop_back();
    if (!seen.insert(ref).second) continue;
    const Node node = Store::current().node(ref);
    if (node.op == Op::choice) {
      const bool holds = value(node.args[0]) != 0;
      found.push_back({node.args[0], holds});
      todo.push_back(node.args.at(holds ? 1 : 2));
      continue;
    }
    for (std::size_t i = 0; i < smt::arity(node.op); ++i) todo.push_back(node.args.at(i));
  }
  return found;
}

}  // namespace mrproof::specs
