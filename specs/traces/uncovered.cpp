#include "specs/traces/uncovered.hpp"

#include <algorithm>

#include "conformance/oracle/judge_trace.hpp"
#include "conformance/report/rule_coverage.hpp"
#include "specs/prover/deciding.hpp"
#include "specs/traces/situations.hpp"

namespace mrproof::specs {

namespace {

/// A condition of a row.
struct Place {
  const Row* row = nullptr;
  std::size_t term = 0;
  bool reason = false;
};

/// The place that coverage names so.
std::optional<Place> find(const std::vector<Row>& rows, const std::string& name) {
  for (const Row& row : rows)
    for (const bool reason : {false, true}) {
      const auto& terms = reason ? row.rule.reasons : row.rule.requires_all;
      for (std::size_t i = 0; i < terms.size(); ++i)
        if (name == row.id + (reason ? " because " : " but for ") + terms[i].condition->id)
          return Place{&row, i, reason};
    }
  return std::nullopt;
}

/// Searches on one device.
class Search {
 public:
  explicit Search(const ModelCoverage& coverage)
      : dialect_(static_cast<std::size_t>(
            std::find(model::kDialects.begin(), model::kDialects.end(), coverage.dialect) -
            model::kDialects.begin())),
        book_(*model::find_rulebook(coverage.dialect)),
        rows_(rows_of(1U << dialect_)),
        reference_(coverage.dialect, coverage.can),
        bounded_(dialect_, reference_.can()),
        has_(parts_of(coverage.can)),
        max_message_(coverage.can.max_message.value()) {}

  Uncovering uncover(const std::string& name) {
    const auto place = find(rows_, name);
    if (!place) return {name, std::nullopt};
    if (never_decides_on(has_, max_message_, *place->row, place->term, place->reason, {}))
      return {name, std::nullopt, true};
    return {name, trace(*place, name)};
  }

 private:
  std::optional<Trace> trace(const Place& place, const std::string& name) {
    constexpr std::size_t kMostTried = 4;
    for (std::size_t steps = 0; steps <= Uncovering::kMostSteps; ++steps)
      for (const Shape& shape : shapes_of(place.row->verb, false)) {
        std::vector<Proposal> tried;
        while (tried.size() < (steps == 0 ? 1 : kMostTried)) {
          auto found = bounded_.find(goal(place), shape, steps, AnyDevice::full, tried);
          if (!found) break;
          if (auto shown = show(*found, name)) return shown;
          tried.push_back(std::move(*found));
        }
      }
    return std::nullopt;
  }

  /// The condition decides alone, after steps that the device can make.
  BoundedSearch::Goal goal(const Place& place) const {
    return [place, can = reference_.can()](const State<Terms>& state, const Shape& shape) {
      const auto call = unknown_call("call.", shape);
      const auto nothing = unknown_result("result.", Outcome::none);
      auto all = decides_alone(*place.row, place.term, place.reason,
                               model::View<Terms>{state, call, nothing});
      all.push_back(writable(call));
      const auto features = static_cast<std::uint32_t>(can.features.value());
      const auto claimed = static_cast<std::uint32_t>(can.claimed.value());
      all.push_back((state.shown & ~features) == 0);
      all.push_back((state.proven & model::kFeatureFlags & ~claimed) == 0);
      return all;
    };
  }

  /// The trace, if it shows it.
  std::optional<Trace> show(const Proposal& proposal, const std::string& name) {
    const auto made = make_steps(proposal, book_, reference_);
    if (!made) return std::nullopt;
    RuleCoverage coverage(book_);
    coverage.look({made->states.back(), made->next.call, made->seen});
    const auto& conditions = coverage.conditions();
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      const auto& c = conditions[i];
      if (coverage.alone()[i] == 0 ||
          name != c.rule->id + (c.reason ? " because " : " but for ") + c.condition->id)
        continue;
      Trace trace;
      trace.comments = {" " + name + "."};
      trace.dialect = book_.dialect();
      trace.can = made->can;
      trace.setup = made->setup;
      trace.steps = made->steps;
      trace.steps.push_back(as_seen(made->next, made->seen));
      const Trace judged = judge_trace(trace, book_, "");
      if (judged.steps.size() != trace.steps.size()) return std::nullopt;
      trace.steps.back().annotations = judged.steps.back().annotations;
      return trace;
    }
    return std::nullopt;
  }

  std::size_t dialect_;
  const model::Rulebook& book_;
  std::vector<Row> rows_;
  Reference reference_;
  BoundedSearch bounded_;
  DeviceParts has_;
  std::uint64_t max_message_;
};

}  // namespace

std::vector<Uncovering> uncovered(const ModelCoverage& coverage,
                                  const std::function<void(const Uncovering&)>& progress) {
  Search search(coverage);
  std::vector<Uncovering> all;
  for (const auto& left : coverage.conditions_left) {
    if (!left.why.empty()) continue;
    all.push_back(search.uncover(left.name));
    if (progress) progress(all.back());
  }
  return all;
}

}  // namespace mrproof::specs
