#include "specs/smt/skeleton.hpp"

#include <optional>

#include "specs/smt/z3_terms.hpp"

namespace mrproof::specs::smt {

struct Skeleton::Machine {
  // The other kind of solver is slow where there are hundreds of assumptions.
  explicit Machine(SolverOptions options) : solver(context, z3::solver::simple()) {
    solver.set(params_of(context, options));
  }
  z3::context context;
  z3::solver solver;
  Z3Terms terms{context, true};
  z3::expr_vector names{context};
  std::unordered_map<unsigned, std::size_t> places;  ///< of names, by the number of their term
  std::optional<z3::model> model;
};

Skeleton::Skeleton(SolverOptions options) : machine_(new Machine(options)) {}
Skeleton::~Skeleton() = default;

void Skeleton::assume(Ref bit) {
  auto& m = *machine_;
  const auto name = m.context.bool_const(("assumed " + std::to_string(m.names.size())).c_str());
  m.places.emplace(name.id(), m.names.size());
  m.names.push_back(name);
  m.solver.add(z3::implies(name, m.terms.of(bit)));
}

void Skeleton::exclude(const std::vector<Literal>& together) {
  auto& m = *machine_;
  z3::expr_vector some(m.context);
  for (const Literal& literal : together) {
    const auto bit = m.terms.of(literal.bit);
    some.push_back(literal.holds ? !bit : bit);
  }
  m.solver.add(z3::mk_or(some));
}

Reply Skeleton::check() {
  auto& m = *machine_;
  const double begin = cpu_seconds();
  Reply reply;
  m.model.reset();
  try {
    reply = reply_of(m.solver, m.solver.check(m.names));
    if (reply.answer == Answer::satisfiable) m.model.emplace(m.solver.get_model());
    if (reply.answer == Answer::unsatisfiable)
      for (const auto& name : m.solver.unsat_core()) reply.core.push_back(m.places.at(name.id()));
  } catch (const z3::exception& error) {
    reply.answer = Answer::error;
    reply.trouble = error.msg();
  }
  reply.seconds = cpu_seconds() - begin;
  return reply;
}

Number Skeleton::value(Ref ref) const { return machine_->terms.value(*machine_->model, ref); }

}  // namespace mrproof::specs::smt
