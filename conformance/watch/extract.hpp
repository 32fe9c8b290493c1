// A provider's mistake, cut out of what a program did: a trace that shows it alone.
#pragma once

#include <string>

#include "conformance/watch/world.hpp"

namespace mrproof::watch {

/// A trace of the objects that the request used, and of the request, which succeeded although it
/// had to fail for the reason given; `peer`: the end that served it, or null if that is not known.
/// Its regions and messages are short, and what lay outside of a region does so on the same side.
/// Empty if that cannot be said in a trace (more than four regions), or if the model does not name
/// the same condition of it.
std::string cut_out(const End& end, const Request& request, const End* peer, const Reason& reason);

/// The same of a registration.
std::string cut_out(
    const World& world, model::Call<Plain> registration, const model::PlainCondition& condition);

}  // namespace mrproof::watch
