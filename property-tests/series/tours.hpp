// Tours: short traces that together make every call of a scope in every state of it, and every
// pair of situations one after the other, so that nearly every pair of rules follows each other: a
// device that takes now one, now another of several rules may leave out some. With them a device is
// tested completely at that scope.
//
// The state after a call is not always settled: the rules may leave it to the device. A tour goes
// on where it is settled, and ends with a call after which it is not. It also ends with a call that
// fails a queue pair, since a device that wrongly lets it succeed leaves an unknown state. What can
// only be reached through such calls has tours that assume what the strictest rule says.
#pragma once

#include "specs/explore/transitions.hpp"

namespace mrproof::property_tests {

/// A call of a tour, and the state that it is assumed to lead to.
struct TourStep {
  std::size_t call = 0;  ///< place in Transitions::calls()
  std::size_t end = 0;   ///< which of its ends
};
/// Calls one after the other, from the scope's first state on.
using Tour = std::vector<TourStep>;

/// Limits of tours.
struct TourOptions {
  std::size_t most_steps = 50;  ///< where that is enough to get there at all
};

/// Tours of all transitions, those with the most to see first. The same for the same scope.
std::vector<Tour> make_tours(const specs::Transitions& all, const TourOptions& options = {});

/// How much the cheapest way to each state leaves to the device: 0 nothing; 1 how a call fails that
/// cannot succeed; 2 whether a call succeeds; 3 that it does not what the strictest rule says.
std::vector<unsigned> least_doubts(const specs::Transitions& all);

/// The tour as a trace, with the results that it assumes.
model::Trace tour_trace(const specs::Transitions& all, const Tour& tour);

/// Places of calls in states (Transitions::calls()) that no tour makes; and pairs of situations
/// (Transitions::situation()) that could follow each other and do so in none. Empty for
/// make_tours(): this is how one can know.
struct TourGaps {
  std::vector<std::size_t> calls;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
};
TourGaps gaps_of(const specs::Transitions& all, const std::vector<Tour>& tours);

}  // namespace mrproof::property_tests
