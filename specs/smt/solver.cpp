#include "specs/smt/solver.hpp"

#include "specs/smt/z3_terms.hpp"

namespace mrproof::specs::smt {

struct Solver::Machine {
  explicit Machine(SolverOptions how) : options(how) {}
  SolverOptions options;
  z3::context context;
  Z3Terms terms{context, false};

  Assignment values_of(const z3::model& model, const Question& question) {
    const Store& store = Store::current();
    Assignment values(store.names().size(), 0);
    for (const Ref ref : store.cone(question.all))
      if (store.node(ref).op == Op::unknown)
        values.at(static_cast<std::size_t>(store.node(ref).value)) = terms.value(model, ref);
    return values;
  }

  Reply ask(const Question& question, unsigned limit) {
    z3::solver solver(context, "QF_BV");
    solver.set(params_of(context, {options.seed, limit}));
    z3::expr_vector names(context);
    for (std::size_t i = 0; i < question.all.size(); ++i) {
      names.push_back(context.bool_const(("bit " + std::to_string(i)).c_str()));
      solver.add(z3::implies(names.back(), terms.of(question.all[i])));
    }
    Reply reply = reply_of(solver, solver.check(names));
    if (reply.answer == Answer::satisfiable) reply.values = values_of(solver.get_model(), question);
    if (reply.answer == Answer::unsatisfiable)
      for (const auto& name : solver.unsat_core())
        for (unsigned i = 0; i < names.size(); ++i)
          if (z3::eq(name, names[static_cast<int>(i)])) reply.core.push_back(i);
    return reply;
  }
};

Solver::Solver(SolverOptions options) : machine_(new Machine(options)) {}
Solver::Solver(Solver&&) noexcept = default;
Solver::~Solver() = default;

Reply Solver::ask(const Question& question) { return ask(question, machine_->options.limit); }

Reply Solver::ask(const Question& question, unsigned limit) {
  const double begin = cpu_seconds();
  Reply reply;
  // Bits that were decided while they were made need no solver.
  bool decided = true;
  reply.answer = Answer::satisfiable;
  for (std::size_t i = 0; i < question.all.size(); ++i) {
    decided = decided && question.all[i] == kTrue;
    if (question.all[i] != kFalse || reply.answer == Answer::unsatisfiable) continue;
    reply.answer = Answer::unsatisfiable;
    reply.core = {i};
  }
  if (decided || reply.answer == Answer::unsatisfiable) return reply;
  try {
    reply = machine_->ask(question, limit);
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

}  // namespace mrproof::specs::smt
