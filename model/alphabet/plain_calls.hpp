// The tier of plain calls, the plainest that there are: for searches of the shortest trace. Where
// nothing else is said, values are those of small calls.
#pragma once

#include <cstdint>
#include <functional>

#include "model/trace/trace.hpp"

namespace mrproof::model {

/// Which calls are wanted.
struct PlainScope {
  Verb last = Verb::reg_mr;  ///< the verb of the trace's last call
  bool is_last = false;      ///< this is that call
  /// How many arguments may have a value that is not among the first that come to mind.
  unsigned odd = 0;
  /// Regions with unusual rights and lengths, and more wrong keys; else rights that the last call
  /// asks for, 8 bytes or a page, from the start of a buffer.
  bool wide = false;
  bool second = false;      ///< work requests of two elements, too
  bool any_change = false;  ///< rereg_mr to any of several places; else to the next buffer
  std::uint32_t extra = 0;  ///< access flags that regions and windows can have besides
};

/// Every plain call of the verb in the state. Keys are resolved. Before the last call only such
/// calls of work requests that change more than bytes.
void each_plain_call(const State<Plain>& state, Verb verb, const PlainScope& scope,
    const std::function<void(const Step&)>& visit);

}  // namespace mrproof::model
