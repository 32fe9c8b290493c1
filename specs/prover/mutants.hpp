// Mutants of the model: rules without one of their conditions, with a comparison that is one off,
// or with an effect left out. Some theorem has to notice each of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "specs/prover/prover.hpp"

namespace mrproof::specs {

/// A change of one verb's rules.
struct Mutant {
  model::Verb verb = model::Verb::fill;
  std::string name;       ///< "bind_mw.ok without bind_right"
  std::vector<Row> rows;  ///< all of the verb, some of them changed
};

/// How it ends.
enum class Fate : std::uint8_t {
  refuted,     ///< a theorem does not hold any more
  equivalent,  ///< the changed rules are proved to allow and do the same
  survived,    ///< all theorems hold, though the rules differ
  undecided,   ///< a question had no answer
};

/// A mutant's end.
struct Judgement {
  std::string mutant;
  Fate fate = Fate::undecided;
  std::string by;  ///< the theorem that it breaks, and where
  double seconds = 0;
  std::string trace;    ///< that shows it, if one was looked for and found
  std::string because;  ///< of an equivalent one: by what nothing can notice it
};
/// Looks for a trace that shows that what was refuted of a mutant does not hold; empty: none found.
using FindTrace = std::function<std::string(const Mutant&, const Obligation&)>;

/// All mutants of the rules of that verb: each condition dropped, each comparison that is made
/// while a condition is asked or an effect runs shifted by one, each kind of field that an effect
/// changes left alone. What differs in the numbers of slots only is there once.
std::vector<Mutant> mutants_of(model::Verb verb);
/// The mutant of that name, if there is one.
std::optional<Mutant> find_mutant(const std::string& name);
/// How a mutant is examined: what is changed, until something is refuted.
ProofOptions options_for(const Mutant& mutant, ProofOptions options);

/// Examines the mutants of verbs whose names begin with `verbs`, if their own names contain
/// `part`. Calls `progress` with each.
std::vector<Judgement> judge_mutants(const std::string& verbs, const std::string& part,
                                     const ProofOptions& options,
                                     const std::function<void(const Judgement&)>& progress,
                                     const FindTrace& tracer = {});

/// MUTANTS.md.
std::string mutants_text(const std::vector<Judgement>& judgements);

}  // namespace mrproof::specs
