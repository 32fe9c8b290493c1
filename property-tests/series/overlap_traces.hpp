// Pairs of calls that overlap each other, of threads that make several, or of requests in flight
// and what ends their right, each pair with many delays between the two.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/trace/trace.hpp"

namespace mrproof::property_tests {

/// How many pairs there are.
std::size_t overlap_pairs();
/// "reg_mr and dealloc_mw": for people.
std::string overlap_name(std::size_t pair);
/// The pair's case: objects for both calls are made, the calls overlap, what they have made is
/// looked at and goes; again for each delay. There are no results. Who makes the calls leaves out
/// those that may not be made, since what one of the two calls should have made is not there.
/// `slower`: the delays beside requests in flight are so many times as long.
model::Trace overlap_trace(std::size_t pair, std::uint32_t slower = 1);
/// How many times as long a packet takes on the wire (model::GuestSetup), going by its "rate" and
/// "delay", as it takes in a guest without one; 1 if it is not said.
std::uint32_t slowed_by(std::string_view wire);

}  // namespace mrproof::property_tests
