// Pairs of calls that overlap each other, or requests in flight whose right ends, each pair with
// many delays between the two.
#pragma once

#include <cstdint>
#include <string>

#include "model/trace/trace.hpp"

namespace mrproof::property_tests {

/// How many pairs there are.
std::size_t overlap_pairs();
/// "reg_mr and dealloc_mw": for people.
std::string overlap_name(std::size_t pair);
/// The pair's case: objects for both calls are made, the calls overlap, what they have made is
/// looked at and goes; again for each delay. There are no results. Who makes the calls leaves out
/// those that may not be made, since what one of the two calls should have made is not there.
model::Trace overlap_trace(std::size_t pair);

}  // namespace mrproof::property_tests
