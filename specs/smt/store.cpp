#include "specs/smt/store.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mrproof::specs::smt {
namespace {

thread_local Store* current_store = nullptr;

bool is_commutative(Op op) {
  return op == Op::conjunction || op == Op::disjunction || op == Op::equal || op == Op::add ||
         op == Op::bit_and || op == Op::bit_or;
}

bool gives_bit(Op op) {
  return op == Op::negation || op == Op::conjunction || op == Op::disjunction || op == Op::equal ||
         op == Op::less || op == Op::less_equal;
}

}  // namespace

std::size_t arity(Op op) {
  switch (op) {
    case Op::constant:
    case Op::unknown: return 0;
    case Op::negation:
    case Op::bit_not:
    case Op::extend: return 1;
    case Op::choice: return 3;
    default: return 2;
  }
}

Number apply(Op op, unsigned width, Number a, Number b, Number c) {
  const Number mask = greatest(width);
  switch (op) {
    case Op::negation: return a ^ 1;
    case Op::conjunction:
    case Op::bit_and: return a & b;
    case Op::disjunction:
    case Op::bit_or: return a | b;
    case Op::choice: return a != 0 ? b : c;
    case Op::equal: return a == b ? 1 : 0;
    case Op::less: return a < b ? 1 : 0;
    case Op::less_equal: return a <= b ? 1 : 0;
    case Op::add: return (a + b) & mask;
    case Op::subtract: return (a - b) & mask;
    case Op::bit_not: return ~a & mask;
    case Op::extend: return a;
    case Op::constant:
    case Op::unknown: break;
  }
  throw std::logic_error("no operation");
}

Store::Store() : before_(std::exchange(current_store, this)) {
  constant(0, 0);
  constant(0, 1);
}

Store::~Store() { current_store = before_; }

Store& Store::current() {
  if (current_store == nullptr) throw std::logic_error("no store of terms");
  return *current_store;
}

std::size_t Store::Hash::operator()(const Node& node) const {
  std::uint64_t h = static_cast<std::uint64_t>(node.op) * 0x9e3779b97f4a7c15ULL + node.width;
  const auto mix = [&](std::uint64_t v) {
    h = (h ^ v) * 0xff51afd7ed558ccdULL;
    h ^= h >> 33U;
  };
  for (const Ref arg : node.args) mix(arg);
  mix(static_cast<std::uint64_t>(node.value));
  mix(static_cast<std::uint64_t>(node.value >> 64U));
  return static_cast<std::size_t>(h);
}

Ref Store::intern(const Node& node) {
  const auto [found, fresh] = known_.try_emplace(node, static_cast<Ref>(nodes_.size()));
  if (fresh) {
    nodes_.push_back(node);
    fingerprints_.push_back(fingerprint_of(node));
  }
  return found->second;
}

Fingerprint Store::fingerprint_of(const Node& node) const {
  Fingerprint print{0x243f6a8885a308d3ULL, 0x13198a2e03707344ULL};
  const auto mix = [&](std::uint64_t v) {
    print.low = (print.low ^ v) * 0x9e3779b97f4a7c15ULL;
    print.low ^= print.low >> 29U;
    print.high = (print.high ^ (v + print.low)) * 0xbf58476d1ce4e5b9ULL;
    print.high ^= print.high >> 32U;
  };
  mix(static_cast<std::uint64_t>(node.op) << 8U | node.width);
  for (std::size_t i = 0; i < arity(node.op); ++i) {
    mix(fingerprints_[node.args.at(i)].low);
    mix(fingerprints_[node.args.at(i)].high);
  }
  if (node.op == Op::unknown) {
    for (const char c : names_.at(static_cast<std::size_t>(node.value)))
      mix(static_cast<unsigned char>(c));
  } else {
    mix(static_cast<std::uint64_t>(node.value));
    mix(static_cast<std::uint64_t>(node.value >> 64U));
  }
  return print;
}

Ref Store::constant(unsigned width, Number value) {
  return intern({Op::constant, static_cast<std::uint8_t>(width), {}, value & greatest(width)});
}

Ref Store::unknown(unsigned width, std::string name) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    if (node(known->second).width != width) throw std::logic_error("two widths of " + name);
    return known->second;
  }
  names_.push_back(name);
  const Ref ref = intern({Op::unknown, static_cast<std::uint8_t>(width), {}, names_.size() - 1});
  by_name_.emplace(std::move(name), ref);
  return ref;
}

Ref Store::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? kFalse : found->second;
}

bool Store::opposite(Ref a, Ref b) const {
  return (node(a).op == Op::negation && node(a).args[0] == b) ||
         (node(b).op == Op::negation && node(b).args[0] == a);
}

Ref Store::simplify_bits(Op op, Ref a, Ref b) {
  const bool both = op == Op::conjunction;
  const Ref neutral = both ? kTrue : kFalse;
  const Ref absorbing = both ? kFalse : kTrue;
  if (a == absorbing || b == absorbing || opposite(a, b)) return absorbing;
  if (a == neutral || a == b) return b;
  if (b == neutral) return a;
  return intern({op, 0, {a, b, 0}, 0});
}

Ref Store::simplify_choice(Ref when, Ref yes, Ref no) {
  if (when == kTrue || yes == no) return yes;
  if (when == kFalse) return no;
  if (node(when).op == Op::negation) {
    when = node(when).args[0];
    std::swap(yes, no);
  }
  if (node(yes).width == 0) {
    if (yes == kTrue) return make(Op::disjunction, when, no);
    if (yes == kFalse) return make(Op::conjunction, make(Op::negation, when), no);
    if (no == kTrue) return make(Op::disjunction, make(Op::negation, when), yes);
    if (no == kFalse) return make(Op::conjunction, when, yes);
  }
  return intern({Op::choice, node(yes).width, {when, yes, no}, 0});
}

void Store::add_to(Sum& sum, Ref term, bool negated, unsigned width) const {
  const Node& n = node(term);
  if (n.op == Op::constant) {
    sum.rest = (negated ? sum.rest - n.value : sum.rest + n.value) & greatest(width);
  } else if (n.op == Op::add || n.op == Op::subtract) {
    add_to(sum, n.args[0], negated, width);
    add_to(sum, n.args[1], negated != (n.op == Op::subtract), width);
  } else {
    auto& others = negated ? sum.plus : sum.minus;
    const auto found = std::find(others.begin(), others.end(), term);
    if (found == others.end()) {
      (negated ? sum.minus : sum.plus).push_back(term);
    } else {
      others.erase(found);
    }
  }
}

/// What is added and taken away again is left out, and what remains is put in order.
Ref Store::simplify_sum(Op op, Ref a, Ref b) {
  const unsigned width = node(a).width;
  const auto bits = static_cast<std::uint8_t>(width);
  Sum sum;
  add_to(sum, a, false, width);
  add_to(sum, b, op == Op::subtract, width);
  std::sort(sum.plus.begin(), sum.plus.end());
  std::sort(sum.minus.begin(), sum.minus.end());
  Ref result = constant(width, sum.rest);
  bool something = sum.plus.empty() || sum.rest != 0;
  for (const Ref term : sum.plus) {
    result = something ? intern({Op::add, bits, {result, term, 0}, 0}) : term;
    something = true;
  }
  for (const Ref term : sum.minus) result = intern({Op::subtract, bits, {result, term, 0}, 0});
  return result;
}

Ref Store::simplify_words(Op op, Ref a, Ref b) {
  const unsigned width = node(a).width;
  const Ref zero = constant(width, 0);
  const Ref ones = constant(width, greatest(width));
  const bool same = a == b;
  switch (op) {
    case Op::equal:
      if (same) return kTrue;
      if (width == 0 && a == kTrue) return b;
      if (width == 0 && a == kFalse) return make(Op::negation, b);
      // Sums are for the solver of integers, which knows no bits but the low ones of a word.
      if (width >= 64 && a == zero && node(b).op == Op::bit_or)
        return make(Op::conjunction, make(Op::equal, a, node(b).args[0]),
                    make(Op::equal, a, node(b).args[1]));
      break;
    case Op::less:
      if (same || b == zero || a == ones) return kFalse;
      break;
    case Op::less_equal:
      if (same || a == zero || b == ones) return kTrue;
      break;
    case Op::add:
    case Op::subtract: return simplify_sum(op, a, b);
    case Op::bit_and:
      if (a == zero) return zero;
      if (same || a == ones) return b;
      if (width >= 64 && is_constant(a) && node(b).op == Op::bit_or)
        return make(Op::bit_or, make(Op::bit_and, a, node(b).args[0]),
                    make(Op::bit_and, a, node(b).args[1]));
      break;
    case Op::bit_or:
      if (a == ones) return ones;
      if (same || a == zero) return b;
      break;
    default: break;
  }
  const unsigned result = gives_bit(op) ? 0 : width;
  return intern({op, static_cast<std::uint8_t>(result), {a, b, 0}, 0});
}

Ref Store::make(Op op, Ref a, Ref b, Ref c) {
  // Constants have no smaller place than what they meet, so they are put first.
  if (is_commutative(op) && (is_constant(b) || (!is_constant(a) && b < a))) std::swap(a, b);
  const std::size_t count = arity(op);
  if (count != 3 && is_constant(a) && (count < 2 || is_constant(b))) {
    const unsigned width = gives_bit(op) ? 0 : node(a).width;
    return constant(width, apply(op, width, node(a).value, node(b).value, 0));
  }
  if (count == 2 && node(a).width != node(b).width) throw std::logic_error("widths differ");
  if (op == Op::conjunction || op == Op::disjunction) return simplify_bits(op, a, b);
  if (op == Op::choice) return simplify_choice(a, b, c);
  if (op == Op::negation || op == Op::bit_not) {
    if (node(a).op == op) return node(a).args[0];
    return intern({op, node(a).width, {a, 0, 0}, 0});
  }
  return simplify_words(op, a, b);
}

Ref Store::extend(Ref a, unsigned width) {
  if (is_constant(a)) return constant(width, node(a).value);
  return intern({Op::extend, static_cast<std::uint8_t>(width), {a, 0, 0}, 0});
}

std::vector<Ref> Store::cone(const std::vector<Ref>& roots) const {
  std::vector<Ref> todo = roots;
  std::vector<Ref> found;
  std::vector<bool> seen(nodes_.size());
  while (!todo.empty()) {
    const Ref ref = todo.back();
    todo.pop_back();
    if (seen[ref]) continue;
    seen[ref] = true;
    found.push_back(ref);
    for (std::size_t i = 0; i < arity(node(ref).op); ++i) todo.push_back(node(ref).args.at(i));
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool Store::compares_wide(Ref ref) const {
  const Node& of = node(ref);
  const bool compares = of.op == Op::equal || of.op == Op::less || of.op == Op::less_equal;
  return compares && node(of.args[0]).width >= 64;
}

std::vector<Number> evaluate(const Store& store, const std::vector<Ref>& roots,
                             const Assignment& values) {
  std::unordered_map<Ref, Number> known;
  for (const Ref ref : store.cone(roots)) {
    const Node& node = store.node(ref);
    if (node.op == Op::constant) {
      known[ref] = node.value;
    } else if (node.op == Op::unknown) {
      const auto index = static_cast<std::size_t>(node.value);
      known[ref] = index < values.size() ? values[index] & greatest(node.width) : 0;
    } else {
      const auto arg = [&](std::size_t i) {
        return i < arity(node.op) ? known.at(node.args.at(i)) : 0;
      };
      known[ref] = apply(node.op, node.width, arg(0), arg(1), arg(2));
    }
  }
  std::vector<Number> result;
  for (const Ref root : roots) result.push_back(known.at(root));
  return result;
}

}  // namespace mrproof::specs::smt
