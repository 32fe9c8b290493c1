// What a rule is: data that the oracle, the explorer, the proofs and the catalogue all read.
#pragma once

#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include "model/view.hpp"

namespace mrproof::model {

/// What a condition speaks of. Whether a result is *allowed* depends on state and call alone
/// (situation); an observation is what else has to be seen with it; a circumstance decides nothing
/// and is part of a deviation's name only.
enum class About : std::uint8_t { situation, observation, circumstance };

/// What else a condition is about, as far as a search for short traces asks: what it has to try
/// when the condition is broken. Flags.
using Topics = std::uint32_t;
inline constexpr Topics kAboutPairs = 1;       ///< queue pairs: a second connection
inline constexpr Topics kAboutDomains = 2;     ///< PDs: a second one, in long traces too
inline constexpr Topics kAboutReceives = 4;    ///< what becomes of a posted receive
inline constexpr Topics kAboutOtherKeys = 8;   ///< keys of objects that the call does not name
inline constexpr Topics kAboutElements = 16;   ///< keys and lengths: a second element
inline constexpr Topics kAboutZeroBased = 32;  ///< regions that are addressed by offsets
inline constexpr Topics kAboutOnDemand = 64;   ///< regions that are paged on demand

/// A named condition: the one place where a fact of the specification is written down.
template <class D> struct Condition {
  const char* id;        ///< snake_case, unique
  const char* sentence;  ///< what is true when it holds, in words
  const char* clauses;   ///< where that is written: ids of specs/clauses/, separated by blanks
  About about;
  typename D::Bit (*holds)(const View<D>&);
  Topics topics = 0;
};

// Defines the condition ID<D>: its sentence and clauses, and when it holds for a view v.
#define MRPROOF_CONDITION(about_, topics_, id_, sentence_, clauses_, ...)         \
  template <class D> inline constexpr Condition<D> id_ {                          \
#id_, sentence_, clauses_, About::about_,                                     \
        [](const View <D>& v) -> typename D::Bit { return __VA_ARGS__; }, topics_ \
  }
#define MRPROOF_SITUATION(...) MRPROOF_CONDITION(situation, 0, __VA_ARGS__)
#define MRPROOF_OBSERVATION(...) MRPROOF_CONDITION(observation, 0, __VA_ARGS__)
#define MRPROOF_CIRCUMSTANCE(...) MRPROOF_CONDITION(circumstance, 0, __VA_ARGS__)
// The same with topics first.
#define MRPROOF_SITUATION_ON(topics_, ...) MRPROOF_CONDITION(situation, topics_, __VA_ARGS__)
#define MRPROOF_OBSERVATION_ON(topics_, ...) MRPROOF_CONDITION(observation, topics_, __VA_ARGS__)
#define MRPROOF_CIRCUMSTANCE_ON(topics_, ...) MRPROOF_CONDITION(circumstance, topics_, __VA_ARGS__)

/// A condition, required to hold or (`holds` false) required to be broken.
template <class D> struct Term {
  const Condition<D>* condition;
  bool holds;
};
/// Conditions that rules name together.
template <class D, const Condition<D>&... conditions>
inline constexpr std::array<const Condition<D>*, sizeof...(conditions)> list{&conditions...};
/// How many values of type T the part is.
template <class T, class Part> inline constexpr std::size_t kCount = std::tuple_size_v<Part>;
template <class T> inline constexpr std::size_t kCount<T, T> = 1;
/// Values and arrays of them, one after the other: of terms, or of rules.
template <class T, class... Part> constexpr auto join(const Part&... parts) {
  std::array<T, (kCount<T, Part> + ... + 0)> all{};
  std::size_t count = 0;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_same_v<decltype(part), const T&>)
      all.at(count++) = part;
    else
      for (const T& each : part) all.at(count++) = each;
  };
  (add(parts), ...);
  return all;
}
/// Terms that say the same of one condition, or of all conditions of a list.
template <class D> constexpr Term<D> terms(const Condition<D>& condition, bool holds) {
  return {&condition, holds};
}
template <class D, std::size_t N>
constexpr auto terms(const std::array<const Condition<D>*, N>& conditions, bool holds) {
  std::array<Term<D>, N> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = {conditions[i], holds};
  return all;
}
/// All of these hold: conditions and lists of them.
template <class D, const auto&... parts>
inline constexpr auto hold = join<Term<D>>(terms<D>(parts, true)...);
/// These do not hold; as reasons: one of them does not.
template <class D, const auto&... parts>
inline constexpr auto fail = join<Term<D>>(terms<D>(parts, false)...);

/// What becomes of the bytes that a rule moves.
enum class Motion : std::uint8_t {
  copy,
  fetch_and_add,  ///< 8 bytes of `from` go to `to`; then `operand` is added to them
  cmp_and_swp,    ///< the same; `swap` replaces them if they equal `operand`
};

/// Bytes that a rule moves: those of `from`, in order, to those of `to`; the shorter sum counts.
/// With `exact` all of them are moved; without, each byte may be the old one or the moved one.
template <class D> struct Transfer {
  std::array<Piece<D>, 2> from{}, to{};
  bool exact = true;
  Motion motion = Motion::copy;
  typename D::Address operand{}, swap{};
};

/// How serious the taking of a rule is for the run.
enum class Weight : std::uint8_t {
  verdict,       ///< says something about the device
  inconclusive,  ///< proves nothing: resources ran out, or the transport gave up on a slow machine
  unsupported,   ///< the device lacks an optional feature
};

/// A guarded rule: the result `outcome` conforms when every term of `requires_all` holds and, if
/// there are `reasons`, at least one of them holds.
template <class D> struct Rule {
  using Terms = std::span<const Term<D>>;
  /// Changes the state. May run in place (`after` is the state that the view shows): it reads
  /// before it writes.
  using Effect = void (*)(const View<D>& before, State<D>& after);
  using Bytes = Transfer<D> (*)(const View<D>&);

  const char* name;  ///< what makes it one of its verb's: outcome, or outcome_why
  Outcome outcome;
  Terms requires_all{}, reasons{};
  Effect effect = nullptr;   ///< null: nothing changes
  Bytes transfer = nullptr;  ///< the bytes that move; null: none
  Weight weight = Weight::verdict;
  /// Why this result is allowed although another one is too: ids of clauses that leave a choice, or
  /// of gaps, separated by blanks; null where nothing is left open.
  const char* freedom = nullptr;

  /// A row of a table is Rule{name, outcome, terms, reasons}, with these fields in any order.
  [[nodiscard]] constexpr Rule with(const auto&... fields) const {
    Rule row = *this;
    (row.set(fields), ...);
    return row;
  }
  constexpr void set(Effect value) { effect = value; }
  constexpr void set(Bytes value) { transfer = value; }
  constexpr void set(Weight value) { weight = value; }
  constexpr void set(const char* value) { freedom = value; }
};

/// Rules that a verb has, and its preconditions: without these the call must not be made at all,
/// since nothing defines its result (a freed object, two ranges that overlap). Preconditions bind
/// the caller, so they never make a verdict. Verbs with the same rules share a table; a verb
/// can have several.
template <class D> struct VerbRules {
  /// Whether a rule's terms hold, and one of its reasons.
  using Applies = bool (*)(const View<D>&);

  Verb verb;
  std::span<const Rule<D>> rules;
  std::span<const Condition<D>* const> preconditions;
  /// In the oracle's domain, for each rule: one function made of its terms, which is faster than to
  /// ask one after the other.
  std::span<const Applies> applies;
};

/// Whether a term of a table's row holds. What is known when it is compiled is not looked up.
template <class D, const auto& rows, std::size_t row, std::size_t term, bool reason>
bool term_holds(const View<D>& view) {
  constexpr auto of = (reason ? rows[row].reasons : rows[row].requires_all)[term];
  constexpr auto holds = of.condition->holds;
  return holds(view).truth() == of.holds;
}
/// Whether a row of a table applies.
template <class D, const auto& rows, std::size_t row> bool row_applies(const View<D>& view) {
  const auto required = [&]<std::size_t... i>(std::index_sequence<i...>) {
    return (term_holds<D, rows, row, i, false>(view) && ...);
  };
  const auto reasons = [&]<std::size_t... i>(std::index_sequence<i...>) {
    return sizeof...(i) == 0 || (term_holds<D, rows, row, i, true>(view) || ...);
  };
  return required(std::make_index_sequence<rows[row].requires_all.size()>()) &&
         reasons(std::make_index_sequence<rows[row].reasons.size()>());
}
/// The functions of all rows of a table.
template <class D, const auto& rows>
inline constexpr auto kApplies = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{&row_applies<D, rows, i>...};
}
(std::make_index_sequence<std::size(rows)>());

/// What a verb has of a table.
template <class D, const auto& rows>
constexpr VerbRules<D> of_table(Verb verb, std::span<const Condition<D>* const> preconditions) {
  if constexpr (std::is_same_v<D, Plain>)
    return {verb, rows, preconditions, kApplies<D, rows>};
  else
    return {verb, rows, preconditions, {}};
}

}  // namespace mrproof::model
