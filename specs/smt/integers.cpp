#include "specs/smt/integers.hpp"

#include <algorithm>
#include <cassert>
#include <set>
#include <unordered_map>

#include "specs/smt/forms.hpp"
#include "specs/smt/z3_terms.hpp"

namespace mrproof::specs::smt {
namespace {

constexpr unsigned kWidth = 64;  ///< of the narrowest word that is a number here

bool is_mask(const Node& node) {
  return node.op == Op::constant && node.value != 0 && (node.value & (node.value + 1)) == 0;
}

bool is_number(Ref word) {
  const Store& store = Store::current();
  const Node& node = store.node(word);
  switch (node.op) {
    case Op::constant:
    case Op::unknown: return node.width >= kWidth;
    case Op::add:
    case Op::subtract: return is_number(node.args[0]) && is_number(node.args[1]);
    case Op::extend: return is_number(node.args[0]);
    case Op::bit_and: return is_mask(store.node(node.args[0])) && is_number(node.args[1]);
    default: return false;
  }
}

std::string digits_of(Number value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

Node without_negation(Ref bit) {
  const Store& store = Store::current();
  const Node& node = store.node(bit);
  return node.op == Op::negation ? store.node(node.args[0]) : node;
}

/// Comparisons as inequalities.
class Inequalities {
 public:
  Inequalities(z3::context& context, const SolverOptions& options, bool exact)
      : context_(context),
        options_(options),
        exact_(exact),
        modulus_(exact ? number(greatest(kWidth) + 1) : context.real_const("modulus")) {}

  Reply ask(const std::vector<Ref>& bits) {
    z3::solver solver(context_, z3::solver::simple());
    z3::params params = params_of(context_, options_);
    // The younger one, 6, takes several times as long for these.
    params.set("arith.solver", 2U);
    solver.set(params);
    if (!exact_) solver.add(modulus_ >= number(kLeastModulus));
    z3::expr_vector names(context_);
    std::unordered_map<unsigned, std::size_t> places;
    std::set<Ref> told;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (bits[i] == kTrue) continue;
      const auto name = context_.bool_const(("bit " + std::to_string(i)).c_str());
      solver.add(z3::implies(name, of(bits[i])));
      places.emplace(name.id(), i);
      names.push_back(name);
      for (const Ref ref : Store::current().cone({bits[i]}))
        if (facts_.contains(ref) && told.insert(ref).second)
          for (const auto& fact : facts_.at(ref)) solver.add(fact);
    }
    Reply reply = reply_of(solver, solver.check(names));
    if (reply.answer == Answer::satisfiable && exact_)
      reply.values = values_of(solver.get_model(), bits);
    if (reply.answer == Answer::unsatisfiable)
      for (const auto& name : solver.unsat_core()) reply.core.push_back(places.at(name.id()));
    return reply;
  }

 private:
  static constexpr Number kLeastModulus = Number{1} << 40U;

  z3::expr number(Number value) {
    const auto digits = digits_of(value);
    return exact_ ? context_.int_val(digits.c_str()) : context_.real_val(digits.c_str());
  }
  z3::expr fresh(const char* what, Ref ref) {
    const auto name = what + std::to_string(ref);
    return exact_ ? context_.int_const(name.c_str()) : context_.real_const(name.c_str());
  }
  /// So many halves of 2^64.
  z3::expr halves(int count) {
    return exact_ ? context_.int_val(count) * number(Number{1} << (kWidth - 1))
                  : context_.real_val(count, 2) * modulus_;
  }
  /// 2^width times so many.
  z3::expr times_around(int count, unsigned width) {
    assert(width >= kWidth);
    return halves(count * (2 << (width - kWidth)));
  }

  /// A number near a multiple of 2^63 is said by how far it is from there.
  z3::expr constant(Number value) {
    const auto count = static_cast<int>((value + (Number{1} << (kWidth - 2))) >> (kWidth - 1));
    const Number near = static_cast<Number>(count) << (kWidth - 1);
    return value >= near ? halves(count) + number(value - near)
                         : halves(count) - number(near - value);
  }

  z3::expr sum(Ref word, const Node& node) {
    const Sum sum = sum_of(word);
    z3::expr total = constant(sum.rest);
    int least = 0;
    int most = 1;
    if (sum.rest == 0) {
      most = 0;
    } else if (sum.rest > greatest(node.width) / 2) {
      total = total - times_around(1, node.width);
      least = -1;
      most = 0;
    }
    for (const auto& [leaf, times] : sum.of) {
      for (int i = 0; i < std::abs(times); ++i)
        total = times < 0 ? total - of_word(leaf) : total + of_word(leaf);
      (times < 0 ? least : most) += times;
    }
    return brought_back(word, total, {std::min(least, 0), std::max(most - 1, 0)});
  }

  /// The total less the multiple of 2^width that makes it a word.
  z3::expr brought_back(Ref word, const z3::expr& total, std::pair<int, int> around) {
    const unsigned width = Store::current().node(word).width;
    auto value = fresh("value ", word);
    z3::expr_vector some(context_);
    for (int i = around.first; i <= around.second; ++i)
      some.push_back(total == value + times_around(i, width));
    facts_[word] = {value >= 0, value <= times_around(1, width) - 1, z3::mk_or(some)};
    return value;
  }

  z3::expr make(Ref word) {
    const Store& store = Store::current();
    const Node node = store.node(word);
    switch (node.op) {
      case Op::constant: return constant(node.value);
      case Op::extend: return of_word(node.args[0]);
      case Op::unknown: {
        auto value = fresh("value ", word);
        facts_[word] = {value >= 0, value <= times_around(1, node.width) - 1};
        return value;
      }
      case Op::bit_and: {
        const Number mask = store.node(node.args[0]).value;
        auto value = fresh("value ", word);
        const auto whole = of_word(node.args[1]);
        facts_[word] = {value >= 0, value <= number(mask), value <= whole};
        if (exact_)
          facts_[word].push_back(whole == value + fresh("high ", word) * number(mask + 1));
        return value;
      }
      default: return sum(word, node);
    }
  }
  z3::expr of_word(Ref word) {
    const auto found = words_.find(word);
    if (found != words_.end()) return found->second;
    auto made = make(word);
    words_.emplace(word, made);
    return made;
  }

  z3::expr of(Ref bit) {
    const Node node = without_negation(bit);
    const z3::expr a = of_word(node.args[0]);
    const z3::expr b = of_word(node.args[1]);
    const bool holds = Store::current().node(bit).op != Op::negation;
    const auto less = [](const z3::expr& x, const z3::expr& y) { return x <= y - 1; };
    if (node.op == Op::less) return holds ? less(a, b) : b <= a;
    if (node.op == Op::less_equal) return holds ? a <= b : less(b, a);
    return holds ? a == b : less(a, b) || less(b, a);
  }

  Assignment values_of(const z3::model& model, const std::vector<Ref>& bits) {
    const Store& store = Store::current();
    Assignment values(store.names().size(), 0);
    for (const Ref ref : store.cone(bits)) {
      const Node& node = store.node(ref);
      if (node.op != Op::unknown) continue;
      Number& number = values.at(static_cast<std::size_t>(node.value));
      const z3::expr value = model.eval(words_.at(ref), true);
      for (const char* digit = Z3_get_numeral_string(context_, value); *digit != '\0'; ++digit)
        number = number * 10 + static_cast<Number>(*digit - '0');
    }
    return values;
  }

  z3::context& context_;
  const SolverOptions options_;
  const bool exact_;
  z3::expr modulus_;
  std::unordered_map<Ref, z3::expr> words_;
  std::unordered_map<Ref, std::vector<z3::expr>> facts_;  ///< that make the word what it is
};

}  // namespace

struct Integers::Machine {
  explicit Machine(const SolverOptions& options)
      : exactly(context, options, true), roughly(context, options, false) {}
  z3::context context;
  Inequalities exactly;
  Inequalities roughly;
};

Integers::Integers(SolverOptions options) : machine_(new Machine(options)) {}
Integers::~Integers() = default;

bool Integers::can_ask(const std::vector<Ref>& bits) {
  return std::all_of(bits.begin(), bits.end(), [](Ref bit) {
    if (bit == kTrue) return true;
    const Node node = without_negation(bit);
    const bool compares = node.op == Op::equal || node.op == Op::less || node.op == Op::less_equal;
    return compares && is_number(node.args[0]) && is_number(node.args[1]);
  });
}

Reply Integers::ask(const std::vector<Ref>& bits, bool exactly) {
  const double begin = cpu_seconds();
  Reply reply;
  const auto broken = std::find(bits.begin(), bits.end(), kFalse);
  if (broken != bits.end()) {
    reply.answer = Answer::unsatisfiable;
    reply.core = {static_cast<std::size_t>(broken - bits.begin())};
    return reply;
  }
  try {
    reply = (exactly ? machine_->exactly : machine_->roughly).ask(bits);
  } catch (const z3::exception& error) {
    reply.answer = Answer::error;
    reply.trouble = error.msg();
  }
  reply.seconds = cpu_seconds() - begin;
  return reply;
}

}  // namespace mrproof::specs::smt
