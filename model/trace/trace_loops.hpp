// Steps that repeat, written once: "repeat N", the steps, "end".
#pragma once

#include <string>
#include <vector>

namespace mrproof::model {

/// The most steps of a trace, those of each round counted.
inline constexpr std::size_t kMostTraceSteps = 1'000'000;

/// The texts of steps, each of one line or more, one after the other. Blocks that follow each other
/// eight times or more are written once. Their handles may grow by one each time: "mr8+i" is mr8 in
/// the first round, mr9 in the second.
std::string rolled(const std::vector<std::string>& steps);

}  // namespace mrproof::model
