#include "specs/smt/z3_terms.hpp"

#include <ctime>
#include <stdexcept>

namespace mrproof::specs::smt {
namespace {

z3::expr constant(z3::context& context, const Node& node) {
  if (node.width == 0) return context.bool_val(node.value != 0);
  std::string digits;
  Number left = node.value;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(left % 10)));
    left /= 10;
  } while (left != 0);
  return context.bv_val(digits.c_str(), node.width);
}

z3::expr operation(const Node& node, const std::vector<z3::expr>& args) {
  const auto& a = args.front();
  const auto& b = args.back();
  switch (node.op) {
    case Op::negation: return !a;
    case Op::conjunction: return a && b;
    case Op::disjunction: return a || b;
    case Op::choice: return z3::ite(a, args[1], b);
    case Op::equal: return a == b;
    case Op::less: return z3::ult(a, b);
    case Op::less_equal: return z3::ule(a, b);
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::bit_and: return a & b;
    case Op::bit_or: return a | b;
    case Op::bit_not: return ~a;
    case Op::extend: return z3::zext(a, node.width - a.get_sort().bv_size());
    case Op::constant:
    case Op::unknown: break;
  }
  throw std::logic_error("no operation");
}

Number number_of(const z3::expr& value) {
  if (value.is_bool()) return value.is_true() ? 1 : 0;
  Number number = 0;
  for (const char* digit = Z3_get_numeral_string(value.ctx(), value); *digit != '\0'; ++digit)
    number = number * 10 + static_cast<Number>(*digit - '0');
  return number;
}

}  // namespace

z3::expr Z3Terms::leaf(const Store& store, Ref ref, const Node& node) {
  if (node.op == Op::constant) return constant(context_, node);
  if (node.op != Op::unknown)
    return context_.bool_const(("comparison " + std::to_string(ref)).c_str());
  const char* name = store.names().at(static_cast<std::size_t>(node.value)).c_str();
  return node.width == 0 ? context_.bool_const(name) : context_.bv_const(name, node.width);
}

z3::expr Z3Terms::of(Ref ref) {
  const auto found = known_.find(ref);
  if (found != known_.end()) return found->second;
  const Store& store = Store::current();
  const Node node = store.node(ref);
  const std::size_t count = opaque_ && store.compares_wide(ref) ? 0 : arity(node.op);
  std::vector<z3::expr> args;
  for (std::size_t i = 0; i < count; ++i) args.push_back(of(node.args.at(i)));
  z3::expr made = args.empty() ? leaf(store, ref, node) : operation(node, args);
  known_.emplace(ref, made);
  return made;
}

Number Z3Terms::value(const z3::model& model, Ref ref) const {
  const auto found = known_.find(ref);
  return found == known_.end() ? 0 : number_of(model.eval(found->second, true));
}

Reply reply_of(z3::solver& solver, z3::check_result result) {
  Reply reply;
  reply.answer = result == z3::sat     ? Answer::satisfiable
                 : result == z3::unsat ? Answer::unsatisfiable
                                       : Answer::unknown;
  if (result == z3::unknown) {
    reply.trouble = solver.reason_unknown();
    const bool late = reply.trouble.find("limit") != std::string::npos ||
                      reply.trouble.find("cancel") != std::string::npos;
    if (late) reply.answer = Answer::limit;
  }
  return reply;
}

z3::params params_of(z3::context& context, const SolverOptions& options) {
  z3::params params(context);
  params.set("rlimit", options.limit);
  params.set("random_seed", options.seed);
  return params;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace mrproof::specs::smt
