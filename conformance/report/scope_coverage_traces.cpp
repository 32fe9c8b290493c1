// Traces of the calls of a scope that a run has missed: by the ways that its device went.
#include <algorithm>
#include <functional>
#include <queue>

#include "conformance/report/scope_coverage.hpp"
#include "specs/explore/observed_step.hpp"

namespace mrproof::conformance {

/// The rule by which the device went that way, or, where it deviated and the state was known all
/// the same, the strictest by which it could have.
std::size_t ScopeCoverage::rule_to(const specs::StateCall& call,
                                   const specs::TransitionEnd& end) const {
  const Seen& seen = seen_[all_->index(call)];
  const auto rules = all_->rules(call, end);
  const auto taken = std::find_if(rules.begin(), rules.end(),
                                  [&](auto rule) { return seen.rules.contains(rule); });
  return taken == rules.end() ? all_->likely_rule(call, end) : *taken;
}

/// The shortest way that the run went to each state; to states that it did not come to, the
/// shortest of those that go on from there as the device went elsewhere in the run.
std::map<std::size_t, ScopeCoverage::Way> ScopeCoverage::known_ways() const {
  auto ways = ways_;
  ways[0] = {};
  using Entry = std::pair<std::size_t, std::size_t>;  // length, state
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (const auto& [state, way] : ways) queue.emplace(way.size(), state);
  while (!queue.empty()) {
    const auto [length, state] = queue.top();
    queue.pop();
    const Way& way = ways.at(state);
    if (way.size() < length) continue;
    for (const specs::StateCall& call : all_->calls_in(state)) {
      for (const auto& end : all_->ends(call)) {
        if (!passes(call, end)) continue;
        if (end.to == 0 || ways_.contains(end.to)) continue;
        const auto found = ways.find(end.to);
        if (found != ways.end() && found->second.size() <= length + 1) continue;
        Way longer = way;
        longer.push_back({all_->index(call), rule_to(call, end)});
        ways[end.to] = std::move(longer);
        queue.emplace(length + 1, end.to);
      }
    }
  }
  return ways;
}

model::Trace ScopeCoverage::trace_of(const Way& way) const {
  const specs::Scope& scope = all_->scope();
  model::Trace trace;
  trace.dialect = scope.dialect;
  trace.setup = scope.setup;
  trace.can = scope.can;
  for (const auto& [index, rule] : way) {
    const specs::StateCall& made = all_->calls()[index];
    trace.steps.push_back(specs::observed_step(scope, all_->state(made.from), made.call,
                                               all_->book().rules()[rule]->id));
  }
  return trace;
}

MissedTraces ScopeCoverage::missed_traces(const ScopeFigures& figures) const {
  MissedTraces result;
  const auto ways = known_ways();
  std::map<std::size_t, Way> staying;  // of each state: the calls after which it is the same
  for (const auto index : figures.missed_places) {
    const specs::StateCall& call = all_->calls()[index];
    const auto way = ways.find(call.from);
    if (way == ways.end()) {
      ++result.out_of_reach;
      continue;
    }
    const auto& end = all_->likely_end(call);
    const Taken last{index, all_->likely_rule(call, end)};
    if (call.end_count == 1 && end.to == call.from) {
      staying.try_emplace(call.from, way->second).first->second.push_back(last);
      continue;
    }
    Way whole = way->second;
    whole.push_back(last);
    result.traces.push_back(trace_of(whole));
  }
  for (const auto& [state, way] : staying) result.traces.push_back(trace_of(way));
  return result;
}

}  // namespace mrproof::conformance
