// The graph of a small scope's states, as a picture.
#pragma once

#include <string>

#include "specs/explore/explorer.hpp"

namespace mrproof::specs {

/// More states than this are no picture any more.
inline constexpr std::size_t kMostDrawn = 400;

/// An SVG of all states of the scope, a column for each number of calls that lead to them. Pointing
/// at a state shows what it holds, at an arrow the calls and rules that it stands for. Throws
/// std::length_error if there are more than kMostDrawn.
std::string draw_states(const Scope& scope, const RuleMasks& masks);

}  // namespace mrproof::specs
