// How much of a scope's transitions a run has made, and what became of the rest.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "property-tests/walk/walk.hpp"
#include "specs/explore/transitions.hpp"

namespace mrproof::conformance {

/// What a run showed of a scope. Calls are counted in states: the same call in two states is two.
struct ScopeFigures {
  std::string lacking;  ///< what the device has not; nothing else counts then
  std::size_t states = 0, states_visited = 0;
  std::size_t calls = 0, calls_made = 0;
  std::size_t transitions = 0, transitions_taken = 0;
  /// Of calls that were made: rules that were open beside the one that was taken, by name.
  std::map<std::string, std::size_t> choices;
  /// Calls after which the device deviated, by the deviation's name.
  std::map<std::string, std::size_t> deviations;
  /// Calls that were left out, since they are known to make trouble, by its name.
  std::map<std::string, std::size_t> left_out;
  /// Calls in states that this device does not come to, by what keeps it from there.
  std::map<std::string, std::size_t> behind;
  /// Calls that could have been made, and were not.
  std::vector<std::string> missed;
  /// Their places (Transitions::calls()).
  std::vector<std::size_t> missed_places;
  /// Places of the calls that should have been made (Transitions::calls()).
  std::vector<std::size_t> expected;
  /// Pairs of rules that follow each other on this device, and how many of them did in one case.
  std::size_t pairs = 0, pairs_met = 0;
  std::vector<std::string> pairs_missed;

  [[nodiscard]] bool complete() const { return missed.empty(); }
};

/// Traces of missed calls.
struct MissedTraces {
  std::vector<model::Trace> traces;
  std::size_t out_of_reach = 0;  ///< calls in none of them: no way to their state is known
};

/// Follows a run's cases as long as they stay within the scope.
class ScopeCoverage {
 public:
  /// `all` has to outlive it.
  explicit ScopeCoverage(specs::Transitions& all);

  void device(const model::Capabilities<model::Plain>& can) { can_ = can; }
  void begin_case(const model::Setup& setup);
  void step(const model::State<model::Plain>& before, const model::Step& step,
            const model::Judgement& judgement);
  /// `known`: calls that make trouble, and were left out for it.
  [[nodiscard]] ScopeFigures figures(
      const std::vector<property_tests::KnownDeviation>& known) const;
  /// Traces that make the missed calls, if the device does again what it did in this run: to each
  /// one's state by the calls that led there or, if none did, would lead there. Calls that do not
  /// change the state share a trace.
  [[nodiscard]] MissedTraces missed_traces(const ScopeFigures& figures) const;

 private:
  /// A call in a state, by its place, and the rule that was taken.
  struct Taken {
    std::size_t call = 0;
    std::size_t rule = 0;
  };
  using Way = std::vector<Taken>;
  /// What was seen of a call in a state.
  struct Seen {
    bool made = false;
    std::set<std::size_t> rules;     ///< that were taken, by place in the book
    std::set<std::size_t> ends;      ///< states that it led to
    std::set<std::string> deviates;  ///< names of deviations
  };
  [[nodiscard]] bool passes(const specs::StateCall& call, const specs::TransitionEnd& end) const;
  [[nodiscard]] std::vector<bool> reachable(const std::vector<std::string>& trouble) const;
  [[nodiscard]] std::string barrier(const specs::StateCall& call, const specs::TransitionEnd& end,
                                    const std::string& trouble) const;
  [[nodiscard]] std::vector<std::string> barriers(const std::vector<bool>& reached,
                                                  const std::vector<std::string>& trouble) const;
  /// Why the call would not be made: the name of the trouble that it is known to make, or that
  /// nobody answers it; empty if it would be.
  [[nodiscard]] std::string trouble_in(
      const specs::StateCall& call, const std::vector<property_tests::KnownDeviation>& known) const;
  void count_made(const specs::StateCall& call, ScopeFigures& figures) const;
  void count_pairs(ScopeFigures& figures) const;
  [[nodiscard]] std::string name_of(const specs::StateCall& call) const;
  // scope_coverage_traces.cpp
  [[nodiscard]] std::size_t rule_to(const specs::StateCall& call,
                                    const specs::TransitionEnd& end) const;
  [[nodiscard]] std::map<std::size_t, Way> known_ways() const;
  [[nodiscard]] model::Trace trace_of(const Way& way) const;

  specs::Transitions* all_;
  model::Capabilities<model::Plain> can_;
  std::vector<unsigned> doubts_;  ///< of the ways to each state
  std::vector<Seen> seen_;
  std::set<std::size_t> visited_;
  std::set<std::pair<std::size_t, std::size_t>> pairs_;
  std::map<std::size_t, Way> ways_;  ///< the shortest of this run to each state it came to
  Way way_;                          ///< of this case
  bool way_known_ = false;           ///< it is all there is: nothing deviated, or was not learnt
  bool follows_ = false;
  std::size_t last_call_;  ///< place of the call before; none: calls().size()
  std::size_t last_rule_;
};

}  // namespace mrproof::conformance
