// What the rules answer to a call, found once for all states that agree on what the rules read.
//
// Most of a state is none of a call's business. The rules are asked in the domain TrackedDomain,
// which tells what they have read; the answer is kept under the numbers of just those objects. What
// an effect writes is kept in two ways: as a value, where it depends on objects that were read; or,
// where an object's new value depends on its old one alone (all windows of a failed queue pair), by
// the number of that object, whatever the others are.
//
// Why a remembered answer is right. Let R be the objects that an answer was made of, and let a
// state s agree on R with the state in which it was made.
// 1. A tracked value names objects that decide it: if all of them are the same, so is the value,
//    whatever the others are. That holds of each operation (an `a & b` that is false needs one
//    false operand, so the other's sources are left out), and so of each term. C++ branches of a
//    rule (possible()) are no operations; what they look at is collected apart, and belongs to R.
// 2. R has the sources of every precondition up to the first that fails and of every condition, and
//    what was branched on. By 1 these truth values are the same in s, and so are the open rules.
// 3. An object that an effect leaves alone is taken from s. One that it writes is one of two kinds.
//    `value`: its sources, those of branches, and the object itself were added to R, so by 1 it
//    gets the same value in s. `own`: its sources are at most itself, nothing was branched on, and
//    no key that it names has moved; so by 1 its new value is a function of its old one, which
//    learn() asks for once for each old value. Should another old value show that this does not
//    hold, the object is never again taken for one that changes by itself (not_own), and all is
//    forgotten.
// 4. Keys have no sources, since they are a matter of slots: a slot's key is the same always.
//
// successors_test holds answers against plain ones, in states met and in states mixed at random.
#pragma once

#include <bit>
#include <set>
#include <vector>

#include "specs/explore/packed_state.hpp"
#include "specs/explore/ready_scope.hpp"

namespace mrproof::specs {

/// One thread's memory of answers.
class SuccessorCache {
 public:
  /// Both have to outlive it.
  SuccessorCache(const ReadyScope& scope, StateCodec& codec);

  /// What some rules of a call lead to.
  struct End {
    PackedState keep, value;   ///< what stays of the state, what is put beside it
    std::uint16_t own = 0;     ///< objects that change by themselves, by own_
    std::uint32_t effect = 0;  ///< place in own_
    std::uint32_t count = 0;   ///< how many rules
    std::uint64_t rules = 0;   ///< of the verb, a bit for each
    friend auto operator<=>(const End&, const End&) = default;
  };
  struct Answer {
    std::vector<End> ends;
    /// What there is against the call, which may be made: empty, or words for people.
    const char* trouble = "";
    friend auto operator<=>(const Answer&, const Answer&) = default;
  };

  /// The answer to a call of the scope. It is good until the next call of a function.
  const Answer& of(std::size_t call, PackedState from) {
    // States come in families: what the call reads is often what it read in the state before.
    for (const Read& read : known_[call].read)
      if (((from.low ^ read.last.key.low) & read.mask.low) == 0 &&
          ((from.high ^ read.last.key.high) & read.mask.high) == 0)
        return *read.last.answer;
    return look_up(call, from);
  }
  /// Where an end of the call leads from that state; slots are not ordered yet. `again`: what was
  /// remembered about it was too simple, and is forgotten; ask for the answer again.
  PackedState follow(std::size_t call, const End& end, PackedState from, bool& again) {
    std::uint64_t low = (from.low & end.keep.low) | end.value.low;
    std::uint64_t high = (from.high & end.keep.high) | end.value.high;
    for (unsigned left = end.own; left != 0; left &= left - 1) {
      const auto object = static_cast<unsigned>(std::countr_zero(left));
      const auto shift = object % 4 * 16;
      const auto old = static_cast<std::uint16_t>((object < 4 ? from.low : from.high) >> shift);
      const auto& numbers = own_[end.effect * kObjects + object];
      auto number = old < numbers.size() ? numbers[old] : kUnknown;
      if (number == kUnknown) number = learn(call, end, object, from, again);
      if (again) return from;
      (object < 4 ? low : high) |= std::uint64_t{number} << shift;
    }
    return {low, high};
  }

  /// The bytes of what is remembered, the most there were at once.
  [[nodiscard]] std::size_t most_bytes() const { return most_bytes_; }

 private:
  static constexpr std::size_t kObjects = 8;
  static constexpr std::uint16_t kUnknown = 0xffff;
  struct Place {
    PackedState key;
    const Answer* answer = nullptr;  ///< null: the place is free
  };
  /// The answers that depended on one set of objects.
  struct Read {
    PackedState mask;
    Place last;                 ///< the last of them that was asked for
    std::vector<Place> places;  ///< a hash table
    std::size_t used = 0;
    Sources objects = 0;
  };
  /// How a call was answered so far.
  struct Known {
    std::vector<Read> read;
    std::vector<std::uint32_t> effects;  ///< places in own_, of each rule; 0: not known yet
    Sources not_own = 0;  ///< objects that were thought to change by themselves, and do not
  };
  struct Change;

  std::uint16_t learn(std::size_t call, const End& end, std::size_t object, PackedState from,
                      bool& again);
  const Answer& look_up(std::size_t call, PackedState from);
  const Answer* find(std::size_t call, PackedState from);
  void remember(std::size_t call, Sources read, PackedState from, Answer answer);
  static void put(std::vector<Place>& places, const Place& place);
  void count_places(std::size_t made, std::size_t freed);
  void forget();
  Answer ask(std::size_t call, PackedState from, Sources& read);
  End follow_effect(std::size_t call, const RuleRow& rule, std::uint32_t effect, PackedState from,
                    Sources& read);
  Change change(std::size_t call, const RuleRow& rule, PackedState from);
  void watch(PackedState from);
  std::uint16_t& own_number(std::uint32_t effect, std::size_t object, std::uint16_t number);
  std::uint32_t effect_of(std::size_t call, std::size_t rule);

  const ReadyScope* scope_;
  StateCodec* codec_;
  std::vector<Known> known_;
  std::size_t used_ = 0, bytes_ = 0, most_bytes_ = 0;
  std::set<Answer> answers_;                     ///< each once: most calls are answered alike
  std::vector<const RuleRow*> rule_of_effect_;   ///< a rule that has the effect
  std::vector<std::vector<std::uint16_t>> own_;  ///< [effect * 8 + object][number]
  WorldState state_;
  model::State<TrackedDomain> watched_;
};

}  // namespace mrproof::specs
