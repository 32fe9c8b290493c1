// Questions as text that any solver reads.
#pragma once

#include <string>

#include "specs/smt/solver.hpp"

namespace mrproof::specs::smt {

/// The question in SMT-LIB 2, logic QF_BV, with the status that is expected; ends in (check-sat).
std::string smtlib(const Question& question, Answer expected);

}  // namespace mrproof::specs::smt
