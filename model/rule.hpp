// What a rule is: data that the oracle, the explorer, the proofs and the catalogue all read.
#pragma once

#include <array>
#include <span>

#include "model/call.hpp"
#include "model/state.hpp"

namespace mrproof::model {

/// All that a condition may look at.
template <class D>
struct View {
  const State<D>& state;
  const Call<D>& call;
  const Result<D>& result;
};

/// What a condition speaks of. Whether a result is *allowed* depends on state and call alone
/// (situation); an observation is what else has to be seen with it; a circumstance decides nothing
/// and is part of a deviation's name only.
enum class About : std::uint8_t { situation, observation, circumstance };

/// A named condition: the one place where a fact of the specification is written down.
template <class D>
struct Condition {
  const char* id;        ///< snake_case, unique
  const char* sentence;  ///< what is true when it holds, in words
  const char* clauses;   ///< where that is written: ids of specs/clauses/, separated by blanks
  About about;
  typename D::Bit (*holds)(const View<D>&);
};

/// A condition, required to hold or (`holds` false) required to be broken.
template <class D>
struct Term {
  const Condition<D>* condition;
  bool holds;
};

/// Conditions that rules name together.
template <class D, class... C>
constexpr auto list(const C*... conditions) {
  return std::array<const Condition<D>*, sizeof...(C)>{conditions...};
}

/// Terms that say the same of all conditions of the lists.
template <class D, std::size_t... N>
constexpr auto terms(bool hold, const std::array<const Condition<D>*, N>&... lists) {
  std::array<Term<D>, (N + ... + 0)> all{};
  std::size_t count = 0;
  const auto add = [&](const auto& conditions) {
    for (const auto* condition : conditions) all.at(count++) = {condition, hold};
  };
  (add(lists), ...);
  return all;
}
/// All of these hold.
template <class D, std::size_t... N>
constexpr auto hold(const std::array<const Condition<D>*, N>&... lists) {
  return terms<D>(true, lists...);
}
/// These do not hold; as reasons: one of them does not.
template <class D, std::size_t... N>
constexpr auto fail(const std::array<const Condition<D>*, N>&... lists) {
  return terms<D>(false, lists...);
}
/// Terms one after the other.
template <class D, std::size_t... N>
constexpr auto join(const std::array<Term<D>, N>&... lists) {
  std::array<Term<D>, (N + ... + 0)> all{};
  std::size_t count = 0;
  const auto add = [&](const auto& some) {
    for (const auto& term : some) all.at(count++) = term;
  };
  (add(lists), ...);
  return all;
}

/// A stretch of memory that a rule reads or writes.
template <class D>
struct Piece {
  typename D::Address at{};  ///< virtual address
  typename D::Address length{};
  typename D::Bit unseen{};  ///< not in the buffers: what is written there is not seen
  typename D::Bit zeros{};   ///< reads as zeros (a null region)
};

/// What becomes of the bytes that a rule moves.
enum class Motion : std::uint8_t {
  copy,
  fetch_and_add,  ///< 8 bytes of `from` go to `to`; then `operand` is added to them
  cmp_and_swp,    ///< the same; `swap` replaces them if they equal `operand`
};

/// Bytes that a rule moves: those of `from`, in order, to those of `to`; the shorter sum counts.
/// With `exact` all of them are moved; without, each byte may be the old one or the moved one.
template <class D>
struct Transfer {
  std::array<Piece<D>, 2> from{};
  std::array<Piece<D>, 2> to{};
  bool exact = true;
  Motion motion = Motion::copy;
  typename D::Address operand{};
  typename D::Address swap{};
};

/// How serious the taking of a rule is for the run.
enum class Weight : std::uint8_t {
  verdict,       ///< says something about the device
  inconclusive,  ///< proves nothing: resources ran out, or the transport gave up on a slow machine
  unsupported,   ///< the device lacks an optional feature
};

/// A guarded rule: the result `outcome` conforms when every term of `requires_all` holds and, if
/// there are `reasons`, at least one of them holds.
template <class D>
struct Rule {
  const char* name;  ///< what makes it one of its verb's: outcome, or outcome_why
  Outcome outcome;
  std::span<const Term<D>> requires_all;
  std::span<const Term<D>> reasons;
  /// Changes the state. May run in place (`after` is the state that the view shows): it reads
  /// before it writes. Null: nothing changes.
  void (*effect)(const View<D>& before, State<D>& after);
  /// The bytes that move. Null: none.
  Transfer<D> (*transfer)(const View<D>&);
  Weight weight = Weight::verdict;
  /// Why this result is allowed although another one is too: ids of clauses that leave a choice, or
  /// of gaps, separated by blanks; null where nothing is left open.
  const char* freedom = nullptr;
};

/// Rules that a verb has, and what its caller owes: conditions without which the call must not be
/// made at all, since nothing defines its result (a freed object, two ranges that overlap). Duties
/// bind the caller, so they never make a verdict. Verbs with the same rules share a table; a verb
/// can have several.
template <class D>
struct VerbRules {
  Verb verb;
  std::span<const Rule<D>> rules;
  std::span<const Condition<D>* const> duties;
};

}  // namespace mrproof::model
