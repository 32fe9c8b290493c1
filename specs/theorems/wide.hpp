// Sums that do not wrap around: how theorems speak of ranges, so that they do not repeat the
// arithmetic of the rules.
#pragma once

#include "model/domain.hpp"
#include "specs/smt/values.hpp"

namespace mrproof::specs {

__extension__ using Exact = unsigned __int128;

/// Whether start + offset <= last, as numbers.
inline model::Bit reaches(model::Word<64> start, model::Word<64> offset, model::Word<64> last) {
  return model::Bit(Exact{start.value()} + offset.value() <= last.value());
}
inline smt::Bit reaches(smt::Word<64> start, smt::Word<64> offset, smt::Word<64> last) {
  return smt::widen<65>(start) + smt::widen<65>(offset) <= smt::widen<65>(last);
}

/// Whether start + length <= last + 1, as numbers: the range ends no later than at `last`.
inline model::Bit ends_by(model::Word<64> start, model::Word<64> length, model::Word<64> last) {
  return model::Bit(Exact{start.value()} + length.value() <= Exact{last.value()} + 1);
}
inline smt::Bit ends_by(smt::Word<64> start, smt::Word<64> length, smt::Word<64> last) {
  return smt::widen<66>(start) + smt::widen<66>(length) <= smt::widen<66>(last) + smt::Word<66>(1);
}

}  // namespace mrproof::specs
