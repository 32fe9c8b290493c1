#include "specs/prover/equivalence.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "specs/prover/questions.hpp"
#include "specs/prover/step_questions.hpp"
#include "specs/theorems/invariants.hpp"

namespace mrproof::specs {

using smt::Answer;
using smt::Bit;
using smt::Ref;

namespace {

/// A row and what is changed of it, in calls of one shape. Uses the current store.
class Pair {
 public:
  Pair(const Row& row, const Row& changed, const Shape& shape)
      : row_(row),
        changed_(changed),
        before_(unknown_state("before.")),
        call_(unknown_call("call.", shape)),
        result_(unknown_result("result.", row.rule.outcome)) {}

  [[nodiscard]] model::View<Terms> view() const { return {before_, call_, result_}; }
  [[nodiscard]] Bit same_situation() const {
    return situation_of(row_, view()) == situation_of(changed_, view());
  }
  [[nodiscard]] Bit guard() const { return guard_of(row_); }
  [[nodiscard]] Bit same_guard() const { return guard() == guard_of(changed_); }
  [[nodiscard]] Bit same_effect() const {
    auto after = before_;
    auto changed_after = before_;
    row_.take_effect(view(), after);
    changed_.take_effect(view(), changed_after);
    auto same = Bit(true);
    state_fields([&](const std::string&, const auto& a, const auto& b) { same = same & (a == b); },
                 after, changed_after);
    return same;
  }

  [[nodiscard]] const Row& row() const { return row_; }
  [[nodiscard]] const model::State<Terms>& before() const { return before_; }
  [[nodiscard]] const model::Call<Terms>& call() const { return call_; }

  /// Whether both rows have the term and ask it alike.
  [[nodiscard]] bool is_common(const model::Term<Terms>& term,
                               std::span<const model::Term<Terms>> of_changed) const {
    return changed_.change.condition != term.condition &&
           std::any_of(of_changed.begin(), of_changed.end(), [&](const auto& other) {
             return other.condition == term.condition && other.holds == term.holds;
           });
  }
  [[nodiscard]] const Row& changed() const { return changed_; }

 private:
  [[nodiscard]] Bit guard_of(const Row& row) const {
    return requirements_met(row, view()) & some_reason(row, view());
  }

  const Row& row_;
  const Row& changed_;
  model::State<Terms> before_;
  model::Call<Terms> call_;
  model::Result<Terms> result_;
};

/// Something that may be assumed, by its name.
struct Named {
  std::string name;
  std::vector<Ref> bits;
};

std::vector<Named> invariants_of(const Pair& pair) {
  std::vector<Named> all;
  for (const auto& invariant : invariants<Terms>()) {
    Facts<Terms> facts;
    invariant.facts(pair.before(), facts);
    all.push_back({std::string("invariant `") + invariant.name + "`", {}});
    for (const auto& fact : facts.all()) all.back().bits.push_back(fact.holds.ref());
  }
  all.push_back({"calls that can be written", {writable(pair.call()).ref()}});
  for (const auto* precondition : pair.row().preconditions)
    all.push_back({std::string("precondition `") + precondition->id + "`",
                   {precondition->holds(pair.view()).ref()}});
  return all;
}

std::string named(const model::Term<Terms>& term) {
  return std::string("`") + (term.holds ? "" : "not ") + term.condition->id + "`";
}

/// Of what both rows ask alike, the guards are both false where one does not hold.
void add_requirements(const Pair& pair, bool observations, std::vector<Named>& all) {
  for (const auto& term : pair.row().rule.requires_all)
    if (pair.is_common(term, pair.changed().rule.requires_all) &&
        (observations || term.condition->about != model::About::observation))
      all.push_back({named(term), {pair.row().holds(term, pair.view()).ref()}});
}

/// Where a reason that both rows have holds, each has a reason.
void add_no_reasons(const Pair& pair, std::vector<Named>& all) {
  for (const auto& term : pair.row().rule.reasons)
    if (pair.is_common(term, pair.changed().rule.reasons))
      all.push_back({"reason " + named(term), {(!pair.row().holds(term, pair.view())).ref()}});
}

/// Finds out what a fact follows from.
class Why {
 public:
  Why(const smt::SolverOptions& options, Known& known)
      : questions_(options, known, [this](const smt::Question& question, Answer) {
          if (question.name == kName) needed_ = question.all;
        }) {}

  /// Adds names of what cannot be left out; whether the fact follows.
  bool find(std::vector<Named> of, Bit fact, std::set<std::string>& names) {
    needed_.clear();
    if (!follows(of, fact)) return false;
    const auto core = std::exchange(needed_, {});
    if (!core.empty()) keep_core(of, core);
    for (std::size_t i = 0; i < of.size();) {
      auto fewer = of;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (follows(fewer, fact))
        of = std::move(fewer);
      else
        ++i;
    }
    for (const Named& one : of) names.insert(one.name);
    return true;
  }

 private:
  static constexpr const char* kName = "why";

  bool follows(const std::vector<Named>& of, Bit fact) {
    std::vector<Ref> all;
    for (const Named& one : of) all.insert(all.end(), one.bits.begin(), one.bits.end());
    return questions_.follows(kName, all, fact.ref()).answer == Answer::unsatisfiable;
  }

  static void keep_core(std::vector<Named>& of, const std::vector<Ref>& core) {
    std::erase_if(of, [&](const Named& one) {
      const auto parts = Questions::parts_of(one.bits);
      return std::none_of(parts.begin(), parts.end(), [&](Ref part) {
        return std::find(core.begin(), core.end(), part) != core.end();
      });
    });
  }

  Questions questions_;
  std::vector<Ref> needed_;
};

}  // namespace

bool same_meaning(const Row& row, const Row& changed, const Shape& shape,
                  const smt::SolverOptions& options, Known& known) {
  const smt::Store store;
  Questions questions(options, known, {});
  const Pair pair(row, changed, shape);
  std::vector<Ref> all;
  for (const Named& one : invariants_of(pair))
    all.insert(all.end(), one.bits.begin(), one.bits.end());
  const auto follows = [&](Bit fact) {
    return questions.follows("equivalence", all, fact.ref()).answer == Answer::unsatisfiable;
  };
  if (!follows(pair.same_situation()) || !follows(pair.same_guard())) return false;
  all.push_back(pair.guard().ref());
  return follows(pair.same_effect());
}

namespace {

/// What one term that the rows do not have in common has to be so that its change is none.
Bit irrelevant(const Pair& pair, const model::Term<Terms>& term, bool reason) {
  const Bit holds = pair.row().holds(term, pair.view());
  if (pair.changed().change.condition == term.condition)
    return holds == pair.changed().holds(term, pair.view());
  return reason ? !holds : holds;
}

/// Term by term; whether each can be explained so.
bool explain_terms(const Pair& pair, Why& why, std::set<std::string>& names) {
  const auto& rule = pair.row().rule;
  for (const auto& term : rule.requires_all) {
    if (pair.is_common(term, pair.changed().rule.requires_all)) continue;
    auto of = invariants_of(pair);
    add_requirements(pair, term.condition->about == model::About::observation, of);
    if (!why.find(std::move(of), irrelevant(pair, term, false), names)) return false;
  }
  for (const auto& term : rule.reasons) {
    if (pair.is_common(term, pair.changed().rule.reasons)) continue;
    auto of = invariants_of(pair);
    add_requirements(pair, false, of);
    add_no_reasons(pair, of);
    if (!why.find(std::move(of), irrelevant(pair, term, true), names)) return false;
  }
  return true;
}

/// The guards as wholes.
bool explain_guards(const Pair& pair, Why& why, std::set<std::string>& names) {
  for (const bool observations : {false, true}) {
    auto of = invariants_of(pair);
    add_requirements(pair, observations, of);
    add_no_reasons(pair, of);
    const auto fact = observations ? pair.same_guard() : pair.same_situation();
    if (!why.find(std::move(of), fact, names)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::set<std::string>> why_same(const Row& row, const Row& changed,
                                              const Shape& shape, const smt::SolverOptions& options,
                                              Known& known) {
  const smt::Store store;
  const Pair pair(row, changed, shape);
  Why why(options, known);
  std::set<std::string> names;
  if (!explain_terms(pair, why, names)) {
    names.clear();
    if (!explain_guards(pair, why, names)) return std::nullopt;
  }
  auto of = invariants_of(pair);
  add_requirements(pair, true, of);
  of.push_back({"a reason of the rule", {some_reason(row, pair.view()).ref()}});
  if (!why.find(std::move(of), pair.same_effect(), names)) return std::nullopt;
  return names;
}

}  // namespace mrproof::specs
