// What a theorem is: a sentence, and the facts that make it true, in any domain.
//
// In the domain of terms facts are proved; in the oracle's domain the same lines are checked on
// every step of every scenario (theorems_test.cpp), so that no theorem is about something else than
// the model that judges devices.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/rule.hpp"
#include "specs/symbolic/fields.hpp"

namespace mrproof::specs {

using model::Call;
using model::implies;
using model::Outcome;
using model::QueuePair;
using model::Region;
using model::Result;
using model::Rule;
using model::State;
using model::Transfer;
using model::Verb;
using model::View;
using model::Weight;
using model::Window;

/// The index as words: "mr0".
inline std::string named(const char* what, std::size_t index) {
  return what + std::to_string(index);
}

/// One instance of what a theorem says: for these objects.
template <class D>
struct Fact {
  std::string of;  ///< "mw0 mr1"
  typename D::Bit holds;
  std::vector<typename D::Bit> given;  ///< it holds if all of these do
};

/// Collects facts.
template <class D>
class Facts {
 public:
  static std::string named(const char* what, std::size_t index) {
    return specs::named(what, index);
  }
  void add(std::string of, typename D::Bit holds, std::vector<typename D::Bit> given = {}) {
    all_.push_back({std::move(of), holds, std::move(given)});
  }
  [[nodiscard]] const std::vector<Fact<D>>& all() const { return all_; }

 private:
  std::vector<Fact<D>> all_;
};

/// A step that a rule allows.
template <class D>
struct Taken {
  const State<D>& before;
  const Call<D>& call;
  const Result<D>& result;
  const State<D>& after;
  const Rule<D>& rule;
  const Transfer<D>* transfer;  ///< null: no bytes move
  typename D::Address offset;   ///< any number: facts about each byte are about this one
  typename D::Key key;          ///< any key
  [[nodiscard]] View<D> view() const { return {before, call, result}; }
  [[nodiscard]] bool is(Verb verb, Outcome outcome) const {
    return call.verb == verb && result.outcome == outcome;
  }
};

/// A rule of the call's verb, and whether the situation allows its result.
template <class D>
struct Allowed {
  const Rule<D>* rule;
  typename D::Bit situation;
  std::vector<Fact<D>> terms;    ///< what has to hold for that, reasons aside
  std::vector<Fact<D>> reasons;  ///< and one of these, if there are any
};

/// A call in a state, with all rules of its verb.
template <class D>
struct Choice {
  const State<D>& state;
  const Call<D>& call;
  std::span<const Allowed<D>> rules;
  [[nodiscard]] View<D> view(const Result<D>& nothing) const { return {state, call, nothing}; }
};

/// True in every state that a trace leads to: at the start, and kept by every step.
template <class D, class F = Facts<D>>
struct Invariant {
  const char* name;
  const char* sentence;
  void (*facts)(const State<D>&, F&);
};

/// True of every step that a rule allows, from a state in which the invariants hold.
template <class D>
struct StepTheorem {
  const char* name;
  const char* sentence;
  void (*facts)(const Taken<D>&, Facts<D>&);
};

/// True of the results that the rules allow for a call, in a state in which the invariants hold.
template <class D>
struct ChoiceTheorem {
  const char* name;
  const char* sentence;
  void (*facts)(const Choice<D>&, Facts<D>&);
};

/// True of numbers, whatever the rules say.
template <class D>
struct Lemma {
  const char* name;
  const char* sentence;
  void (*facts)(Facts<D>&);
};

}  // namespace mrproof::specs
