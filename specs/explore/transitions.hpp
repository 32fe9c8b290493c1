// All transitions of a scope that is small enough to be held whole: each call in each state, and
// where the rules lead from there. Tours are made of them, and coverage is counted in them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "model/judge/rulebook.hpp"
#include "specs/explore/successors.hpp"

namespace mrproof::specs {

/// A state that a call leads to, and by which rules of its verb, a bit for each.
struct TransitionEnd {
  std::uint32_t to = 0;
  std::uint64_t rules = 0;
};

/// A call of the scope made in one of its states. It has more than one end where the rules leave
/// it to the device what becomes of the state.
struct StateCall {
  std::uint32_t from = 0;
  std::uint32_t call = 0;       ///< place in the scope's calls
  std::uint32_t first_end = 0;  ///< place in ends()
  std::uint32_t end_count = 0;
};

/// The states of a scope by number, in the order in which they are met, and all transitions.
class Transitions {
 public:
  /// More calls in states than this are too many for tours.
  static constexpr std::size_t kMost = 200000;

  /// The scope has to say "symmetry none", since a trace names slots. Throws TraceError where it
  /// does not, or has more than kMost calls in states. `scope` has to outlive it.
  explicit Transitions(const Scope& scope);

  [[nodiscard]] const Scope& scope() const { return *scope_; }
  [[nodiscard]] const model::Rulebook& book() const { return *book_; }
  [[nodiscard]] std::size_t states() const { return states_.size(); }
  /// The state of that number; 0 is the first one.
  [[nodiscard]] WorldState state(std::size_t number) const {
    return codec_.unpack(states_[number]);
  }
  [[nodiscard]] std::span<const StateCall> calls() const { return calls_; }
  /// The calls that may be made in a state, in the order of the scope.
  [[nodiscard]] std::span<const StateCall> calls_in(std::size_t state) const {
    return std::span(calls_).subspan(first_call_[state],
                                     first_call_[state + 1] - first_call_[state]);
  }
  [[nodiscard]] std::span<const TransitionEnd> ends(const StateCall& made) const {
    return std::span(ends_).subspan(made.first_end, made.end_count);
  }
  /// Place of the call in calls(); it has to be one of them.
  [[nodiscard]] std::size_t index(const StateCall& made) const {
    return static_cast<std::size_t>(&made - calls_.data());
  }
  /// The end that the strictest rule leads to.
  [[nodiscard]] const TransitionEnd& likely_end(const StateCall& made) const;
  /// The rules that lead there, by their places in the rulebook, the strictest first.
  [[nodiscard]] std::vector<std::size_t> rules(const StateCall& made,
                                               const TransitionEnd& end) const;
  /// The strictest of them.
  [[nodiscard]] std::size_t likely_rule(const StateCall& made, const TransitionEnd& end) const;
  /// The situation of a call, by number: its verb and the rules that are open. Calls of one
  /// situation are alike to the rules.
  [[nodiscard]] std::size_t situation(const StateCall& made) const {
    return situation_[index(made)];
  }
  [[nodiscard]] std::size_t situations() const { return situations_; }
  /// How many transitions there are: a state, a call, a rule whose situation allows it.
  [[nodiscard]] std::size_t count() const { return count_; }
  /// The number of the state that is like the oracle's, as far as the scope tells states apart.
  [[nodiscard]] std::optional<std::size_t> find(const model::State<model::Plain>& state);
  /// The scope's call that is made by the step: its place in the scope.
  [[nodiscard]] std::optional<std::size_t> find_call(const model::Step& step) const;
  /// That call in that state, if it may be made there.
  [[nodiscard]] const StateCall* find(std::size_t state, std::size_t call) const;

 private:
  void number_situations();
  void enter(std::size_t from, PackedState to, std::size_t call, std::uint64_t rules);

  const Scope* scope_;
  const model::Rulebook* book_;
  RuleMasks masks_;
  StateCodec codec_;
  std::vector<PackedState> states_;
  std::map<PackedState, std::uint32_t> numbers_;
  std::vector<StateCall> calls_;
  std::vector<std::size_t> first_call_;
  std::vector<TransitionEnd> ends_;
  std::map<std::string, std::size_t> call_places_;
  std::vector<std::vector<std::size_t>> rule_places_;  ///< [verb][bit]: place in the rulebook
  std::vector<std::size_t> situation_;                 ///< of each call
  std::size_t situations_ = 0;
  std::size_t count_ = 0;
};

}  // namespace mrproof::specs
