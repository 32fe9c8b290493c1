// Steps that repeat, written once: "repeat N", the steps, "end".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mrproof::model {

/// The most steps of a trace, those of each round counted.
inline constexpr std::size_t kMostTraceSteps = 1'000'000;

/// A text of which some numbers may grow from one round to the next.
struct LoopText {
  std::string words;  ///< the text without them
  std::vector<std::uint64_t> numbers;
};

/// Texts [begin, begin + size), `rounds` times one after the other; where `rounds` is 1, one text.
struct Loop {
  std::size_t begin = 0, size = 1, rounds = 1;
  /// Which numbers grow by one in each round, by text and number; the others stay.
  std::vector<std::vector<bool>> grows;
};

/// All texts, in order: those that follow each other eight times or more as loops, of those that
/// may begin at a text the one that makes the whole shortest.
std::vector<Loop> find_loops(const std::vector<LoopText>& texts);

/// The loops of the texts of steps; what grows are numbers of handles in the first line.
std::vector<Loop> loops_of_steps(const std::vector<std::string>& steps);
/// A step's text with "+i" behind the numbers that grow: "mr8+i" is mr8 in the first round, mr9 in
/// the second.
std::string with_growth(const std::string& step, const std::vector<bool>& grows);

/// The texts of steps, each of one line or more, one after the other. Blocks that follow each other
/// eight times or more are written once.
std::string rolled(const std::vector<std::string>& steps);

}  // namespace mrproof::model
