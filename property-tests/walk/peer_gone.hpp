// Work requests that go to nobody.
#pragma once

#include "model/conditions/transfer.hpp"
#include "model/judge/rulebook.hpp"

namespace mrproof::property_tests {

/// Whether the call of the view goes to a queue pair that is not there to answer any more: a device
/// gives up after seconds of retries.
inline bool peer_gone(const model::PlainView& view) {
  return model::is_transfer(view.call.verb) && model::has_elements(view.call.verb) &&
         model::qp_ready<model::Plain>.holds(view).truth() &&
         !model::peer_ready<model::Plain>.holds(view).truth();
}

}  // namespace mrproof::property_tests
