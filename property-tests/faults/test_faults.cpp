#include "property-tests/faults/test_faults.hpp"

#include <algorithm>

#include "impl/sim/sim_device.hpp"
#include "property-tests/walk/known_deviation.hpp"
#include "property-tests/walk/test_walk.hpp"
#include "specs/explain/explain_deviation.hpp"

namespace mrproof::property_tests::testing {

using model::Verdict;

std::string finding_name(const model::DeviationName& name) {
  return (name.outcome().starts_with("ok") ? "ok " : "refused ") + name.broken.text();
}

std::string finding_name(const impl::ExpectedFinding& expected) {
  return finding_name({std::string(expected.rule), {}, expected.condition});
}

FaultWalk walk_fault(const impl::FaultInfo& fault, Plan plan, std::size_t processes) {
  const auto wanted = finding_name(fault.expected);
  impl::SimDevice device({.fault = std::string(fault.id), .processes = processes});
  FaultWalk walk;
  std::map<std::string, int> times;
  const auto look = [&](const model::Step& step, const model::Oracle& oracle) {
    ++walk.steps;
    const model::Annotation& a = step.annotations.front();
    walk.inconclusive += a.verdict == Verdict::inconclusive ? 1 : 0;
    if (a.verdict != Verdict::deviates) return;
    const auto cited = specs::cited_by(oracle);
    const bool names_clause = std::find(cited.begin(), cited.end(), fault.clause) != cited.end();
    const auto name = model::print_annotation(a);
    ++walk.deviations[{name, names_clause}];
    if (++times[name] == 3) plan.walk.known.push_back(a);
    if (walk.reported || !names_clause || finding_name(a) != wanted) return;
    walk.reported = true;
    walk.report = name;
  };
  for (std::uint64_t index = 0; index < plan.cases() && !walk.reported; ++index) {
    walk_case(device, plan, index, look, true);
    device.reset(model::standard_setup(processes));
    const auto left = model::left_behind(device.left().before, device.left().after);
    if (left.empty() || walk.reported) continue;
    const bool names_clause = fault.clause == left.front()->clauses;
    const auto name = model::print_name(reset_leaves(left), ' ');
    ++walk.deviations[{name, names_clause}];
    walk.reported = names_clause && finding_name(reset_leaves(left)) == wanted;
    if (walk.reported) walk.report = name;
  }
  return walk;
}

}  // namespace mrproof::property_tests::testing
