// Questions to Z3. With skeleton.hpp the only place that knows it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "specs/smt/store.hpp"

namespace mrproof::specs::smt {

/// What came of a question.
enum class Answer : std::uint8_t {
  unsatisfiable,  ///< no values make all of it true: what was to be proved is
  satisfiable,    ///< these do
  unknown,        ///< the solver gave up
  limit,          ///< the solver reached its limit
  error,
};

/// Whether some values of the unknowns make all bits true.
struct Question {
  std::string name;
  std::vector<Ref> all;  ///< bits of the current store
};

/// The solver's answer.
struct Reply {
  Answer answer = Answer::error;
  Assignment values;              ///< if satisfiable
  std::vector<std::size_t> core;  ///< if unsatisfiable: places of bits that suffice for that
  double seconds = 0;             ///< of processor time
  std::string trouble;            ///< why there is no answer
};

/// How the solver is to work.
struct SolverOptions {
  unsigned seed = 0;
  /// Steps of the solver for one question: about 2 million a second. Steps and not seconds, so
  /// that an answer does not depend on how busy the machine is.
  unsigned limit = 10'000'000;
};

/// Processor time of this thread, in seconds.
double cpu_seconds();

/// Asks Z3, each question in a solver of its own. One for each thread and store.
class Solver {
 public:
  explicit Solver(SolverOptions options);
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) = delete;
  ~Solver();

  Reply ask(const Question& question);
  /// The same with fewer steps.
  Reply ask(const Question& question, unsigned limit);

  /// The version of the library.
  static std::string version();

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace mrproof::specs::smt
