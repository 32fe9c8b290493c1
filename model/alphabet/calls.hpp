// Makes calls of a verb from values for its arguments. Which values there are is said in tiers:
// small calls (small_calls.hpp) and plain ones (plain_calls.hpp).
#pragma once

#include <functional>
#include <vector>

#include "model/trace/trace.hpp"
#include "model/trace/trace_form.hpp"

namespace mrproof::model {

/// A value that an argument can have; `at` and `length` are an element's, else `at` is all.
struct Choice {
  std::uint64_t at = 0;
  KeyName key;
  std::uint64_t length = 0;
  bool operator==(const Choice&) const = default;
};

/// Values for the next argument of a call that has all arguments before it. Sound ones are what a
/// program would write; odd ones are wrong in some way, mostly.
struct Choices {
  std::vector<Choice> sound;
  std::vector<Choice> odd;
};
/// A tier: what the argument can be in the state.
using Choose = std::function<Choices(const State<Plain>&, const Step&, Argument argument)>;

/// Every call of the verb that the tier has in the state, with at most `odd` odd arguments. Keys
/// are not resolved.
void each_call(const State<Plain>& state, Verb verb, unsigned odd, const Choose& choose,
    const std::function<void(const Step&)>& visit);

// For tiers.

using Values = std::vector<std::uint64_t>;
/// Values that are neither keys nor elements.
Choices choose(const Values& sound, const Values& odd = {});
/// Adds such values.
void add(std::vector<Choice>& to, const Values& values);

/// Slots of which it is true.
template <class Slots, class Predicate>
Values slots_where(const Slots& slots, Predicate&& predicate) {
  Values found;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (predicate(slots.at(i))) found.push_back(i);
  return found;
}
/// Slots that hold something.
template <class Slots> Values live(const Slots& slots) {
  return slots_where(slots, [](const auto& s) { return s.live.truth(); });
}

}  // namespace mrproof::model
