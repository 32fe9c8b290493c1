#include "specs/smt/smtlib.hpp"

#include <stdexcept>

namespace mrproof::specs::smt {
namespace {

std::string bits(Number value, unsigned width) {
  std::string text = "#b";
  for (unsigned i = width; i-- > 0;) text += ((value >> i) & 1) != 0 ? '1' : '0';
  return text;
}

const char* name_of(Op op, bool words) {
  switch (op) {
    case Op::negation: return "not";
    case Op::conjunction: return "and";
    case Op::disjunction: return "or";
    case Op::choice: return "ite";
    case Op::equal: return "=";
    case Op::less: return words ? "bvult" : "";
    case Op::less_equal: return words ? "bvule" : "";
    case Op::add: return "bvadd";
    case Op::subtract: return "bvsub";
    case Op::bit_and: return "bvand";
    case Op::bit_or: return "bvor";
    case Op::bit_not: return "bvnot";
    case Op::extend:
    case Op::constant:
    case Op::unknown: break;
  }
  throw std::logic_error("no operation");
}

std::string sort_of(const Node& node) {
  return node.width == 0 ? "Bool" : "(_ BitVec " + std::to_string(node.width) + ")";
}

std::string definition(const Store& store, const Node& node) {
  const auto reference = [&](Ref ref) {
    const Node& of = store.node(ref);
    if (of.op == Op::constant) {
      if (of.width == 0) return std::string(of.value != 0 ? "true" : "false");
      return bits(of.value, of.width);
    }
    if (of.op == Op::unknown)
      return "|" + store.names().at(static_cast<std::size_t>(of.value)) + "|";
    return "t" + std::to_string(ref);
  };
  if (node.op == Op::extend)
    return "((_ zero_extend " + std::to_string(node.width - store.node(node.args[0]).width) + ") " +
           reference(node.args[0]) + ")";
  std::string text = "(" + std::string(name_of(node.op, true));
  for (std::size_t i = 0; i < arity(node.op); ++i) text += " " + reference(node.args.at(i));
  return text + ")";
}

}  // namespace

std::string smtlib(const Question& question, Answer expected) {
  const Store& store = Store::current();
  std::string text = "; " + question.name + "\n(set-logic QF_BV)\n";
  text += std::string("(set-info :status ") +
          (expected == Answer::unsatisfiable ? "unsat" : "sat") + ")\n";
  for (const Ref ref : store.cone(question.all)) {
    const Node& node = store.node(ref);
    if (node.op == Op::constant) continue;
    if (node.op == Op::unknown) {
      text += "(declare-const |" + store.names().at(static_cast<std::size_t>(node.value)) + "| " +
              sort_of(node) + ")\n";
    } else {
      text += "(define-fun t" + std::to_string(ref) + " () " + sort_of(node) + " " +
              definition(store, node) + ")\n";
    }
  }
  for (const Ref bit : question.all) {
    const Node& node = store.node(bit);
    if (bit == kTrue) continue;
    if (bit == kFalse) {
      text += "(assert false)\n";
    } else if (node.op == Op::unknown) {
      text += "(assert |" + store.names().at(static_cast<std::size_t>(node.value)) + "|)\n";
    } else {
      text += "(assert t" + std::to_string(bit) + ")\n";
    }
  }
  return text + "(check-sat)\n";
}

}  // namespace mrproof::specs::smt
