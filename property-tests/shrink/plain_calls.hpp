// The plainest calls there are: the alphabet of the traces that shrinking tries one after the other
// (short_traces.hpp), and the scope of what it says about the shortest one.
#pragma once

#include <cstdint>
#include <functional>

#include "model/trace/trace.hpp"

namespace mrproof::property_tests {

/// Which calls are wanted.
struct PlainScope {
  model::Verb last = model::Verb::reg_mr;  ///< the verb of the trace's last call
  bool is_last = false;                    ///< this is that call
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
void each_plain_call(const model::State<model::Plain>& state, model::Verb verb,
                     const PlainScope& scope, const std::function<void(const model::Step&)>& visit);

}  // namespace mrproof::property_tests
