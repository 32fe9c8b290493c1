// What a run asks next that is led by what it reaches of a driver: cases that reached something new
// are kept, and changed.
#pragma once

#include <vector>

#include "model/random.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::property_tests {

/// Makes up cases, the same each time if it is told the same. What a case changes it takes from
/// those that were kept, and from those that were given to begin with.
class Guide {
 public:
  /// `case_steps`: of a walk that begins anew.
  Guide(std::uint64_t seed, std::uint64_t case_steps, std::vector<model::Trace> given)
      : random_(seed), case_steps_(case_steps), given_(std::move(given)) {}

  /// Calls of earlier cases, cut, joined or edited, and a walk that goes on from there; or a walk
  /// alone. It has no name. Calls that may not be made are to be left out.
  Scenario next();
  /// From now on the case is one of those that others are made of.
  void keep(model::Trace trace) { kept_.push_back(std::move(trace)); }

 private:
  const model::Trace& earlier();
  void cut(model::Trace& trace);
  void join(model::Trace& trace);
  void edit(model::Trace& trace);
  void change(model::Call<model::Plain>& call);

  model::Random random_;
  std::uint64_t case_steps_;
  std::vector<model::Trace> given_, kept_;
};

}  // namespace mrproof::property_tests
