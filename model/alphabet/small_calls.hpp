// A small alphabet of calls: for searches that try everything, or draw readable calls at random.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "model/random.hpp"
#include "model/trace/trace.hpp"
#include "model/trace/trace_form.hpp"

namespace mrproof::model {

/// A value that an argument can have; `at` and `length` are an element's, else `at` is all.
struct Choice {
  std::uint64_t at = 0;
  KeyName key;
  std::uint64_t length = 0;
};

/// Values for the next argument of a call that has all arguments before it. Sound ones are what a
/// program would write; odd ones are wrong in some way, mostly.
struct Choices {
  std::vector<Choice> sound;
  std::vector<Choice> odd;
};
Choices choices_of(const State<Plain>& state, const Step& step, Argument argument);
/// choices_of(), or another alphabet in its place.
using Choose = std::function<Choices(const State<Plain>&, const Step&, Argument argument)>;

/// A call of the verb, drawn at random; `odd_percent` of its arguments are odd.
std::optional<Step> draw_call(
    const State<Plain>& state, Verb verb, Random& random, unsigned odd_percent);

/// Every call of the verb that the alphabet has in the state, with at most `odd` odd arguments.
/// Keys are not resolved.
void each_call(const State<Plain>& state, Verb verb, unsigned odd,
    const std::function<void(const Step&)>& visit);
/// The same with another alphabet.
void each_call(const State<Plain>& state, Verb verb, unsigned odd, const Choose& choose,
    const std::function<void(const Step&)>& visit);

}  // namespace mrproof::model
