#include "property-tests/walk/test_walk.hpp"

#include "impl/device_case.hpp"
#include "specs/explain/explain_deviation.hpp"

namespace mrproof::property_tests::testing {

using namespace model;

Plan plan_of(std::uint64_t steps, std::uint64_t seed) {
  Plan plan;
  plan.steps = steps;
  plan.seed = seed;
  plan.walk.unanswered_permille = 20;
  return plan;
}

model::Trace walk_case(impl::Device& device, const Plan& plan, std::uint64_t index,
                       const Look& look, bool goes_on) {
  model::Trace trace;
  trace.setup = model::standard_setup(device.processes());
  trace.can = device.capabilities();
  trace.dialect = plan.dialect;
  impl::DeviceCase made(device, *find_rulebook(plan.dialect), trace.setup);
  const model::Oracle& oracle = made.oracle();
  Walk walk(plan.case_seed(index), plan.walk);
  for (std::uint64_t i = 0; i < plan.case_length(index); ++i) {
    model::Step step = walk.next(oracle);
    const Judgement judgement = made.make(step);
    step.annotations.push_back(model::annotate(judgement, step));
    const bool over = judgement.verdict == Verdict::deviates || judgement.verdict == Verdict::hang;
    if (over) step.remarks = specs::explain_deviation(oracle, step, judgement);
    trace.steps.push_back(step);
    if (look) look(step, oracle);
    if (over && (!goes_on || oracle.lost())) break;
  }
  return trace;
}

}  // namespace mrproof::property_tests::testing
