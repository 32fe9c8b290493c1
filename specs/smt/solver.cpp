#include "specs/smt/solver.hpp"

#include <z3++.h>

#include <ctime>
#include <stdexcept>

namespace mrproof::smt {
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

z3::expr operation(const Node& node, const z3::expr& a, const z3::expr* b, const z3::expr* c) {
  switch (node.op) {
    case Op::negation: return !a;
    case Op::conjunction: return a && *b;
    case Op::disjunction: return a || *b;
    case Op::choice: return z3::ite(a, *b, *c);
    case Op::equal: return a == *b;
    case Op::less: return z3::ult(a, *b);
    case Op::less_equal: return z3::ule(a, *b);
    case Op::add: return a + *b;
    case Op::subtract: return a - *b;
    case Op::bit_and: return a & *b;
    case Op::bit_or: return a | *b;
    case Op::bit_not: return ~a;
    case Op::extend: return z3::zext(a, node.width - a.get_sort().bv_size());
    case Op::constant:
    case Op::unknown: break;
  }
  throw std::logic_error("no operation");
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Number number_of(const z3::expr& value) {
  if (value.is_bool()) return value.is_true() ? 1 : 0;
  Number number = 0;
  for (const char* digit = Z3_get_numeral_string(value.ctx(), value); *digit != '\0'; ++digit)
    number = number * 10 + static_cast<Number>(*digit - '0');
  return number;
}

}  // namespace

struct Solver::Machine {
  SolverOptions options;
  z3::context context;
  std::unordered_map<Ref, z3::expr> known;

  /// Terms are translated once; those of `cone` are known afterwards.
  void translate(const Store& store, const std::vector<Ref>& cone) {
    for (const Ref ref : cone) {
      if (known.contains(ref)) continue;
      const Node& node = store.node(ref);
      if (node.op == Op::constant) {
        known.emplace(ref, constant(context, node));
      } else if (node.op == Op::unknown) {
        const char* name = store.names().at(static_cast<std::size_t>(node.value)).c_str();
        known.emplace(
            ref, node.width == 0 ? context.bool_const(name) : context.bv_const(name, node.width));
      } else {
        const auto arg = [&](std::size_t i) {
          return i < arity(node.op) ? &known.at(node.args.at(i)) : nullptr;
        };
        known.emplace(ref, operation(node, *arg(0), arg(1), arg(2)));
      }
    }
  }

  Assignment values_of(const z3::model& model, const Store& store, const std::vector<Ref>& cone) {
    Assignment values(store.names().size(), 0);
    for (const Ref ref : cone)
      if (store.node(ref).op == Op::unknown)
        values.at(static_cast<std::size_t>(store.node(ref).value)) =
            number_of(model.eval(known.at(ref), true));
    return values;
  }

  Reply ask(z3::solver solver, const Store& store, const Question& question) {
    z3::params params(context);
    params.set("timeout", static_cast<unsigned>(options.limit.count()));
    params.set("random_seed", options.seed);
    solver.set(params);
    const auto cone = store.cone(question.all);
    translate(store, cone);
    for (const Ref bit : question.all) solver.add(known.at(bit));
    Reply reply;
    switch (solver.check()) {
      case z3::unsat: reply.answer = Answer::unsatisfiable; break;
      case z3::sat:
        reply.answer = Answer::satisfiable;
        reply.values = values_of(solver.get_model(), store, cone);
        break;
      case z3::unknown:
        reply.trouble = solver.reason_unknown();
        const bool late = reply.trouble == "timeout" || reply.trouble == "canceled";
        reply.answer = late ? Answer::timeout : Answer::unknown;
    }
    return reply;
  }
};

Solver::Solver(SolverOptions options) : machine_(new Machine{options, {}, {}}) {}
Solver::Solver(Solver&&) noexcept = default;
Solver::~Solver() = default;

Reply Solver::ask(const Question& question) {
  const double begin = cpu_seconds();
  const Store& store = Store::current();
  Reply reply;
  try {
    // Bits that were decided while they were made need no solver.
    bool decided = true;
    reply.answer = Answer::satisfiable;
    for (const Ref bit : question.all) {
      if (bit == kFalse) reply.answer = Answer::unsatisfiable;
      decided = decided && bit == kTrue;
    }
    if (!decided && reply.answer == Answer::satisfiable) {
      auto& context = machine_->context;
      reply = machine_->ask(z3::tactic(context, "qfbv").mk_solver(), store, question);
      if (reply.answer == Answer::unknown || reply.answer == Answer::timeout)
        reply = machine_->ask(z3::solver(context), store, question);
    }
  } catch (const z3::exception& error) {
    reply.answer = Answer::error;
    reply.trouble = error.msg();
  }
  reply.seconds = cpu_seconds() - begin;
  return reply;
}

std::string Solver::version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned build = 0;
  unsigned revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

}  // namespace mrproof::smt
