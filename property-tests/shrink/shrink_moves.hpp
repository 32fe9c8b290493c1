// What can be tried to make a trace plainer. Moves only propose: whether a proposal is plainer
// and still shows what it should is for others to find out.
#pragma once

#include <functional>

#include "property-tests/shrink/shrink_form.hpp"

namespace mrproof::property_tests {

/// Takes a proposal.
using Propose = std::function<void(const ShrinkForm&)>;

/// Without steps; what cannot be without them goes, too. The last step stays.
void without_steps(const ShrinkForm& form, const Propose& propose);

/// Two objects made one; queue pairs changed for the first pair.
void with_fewer_objects(const ShrinkForm& form, const Propose& propose);

/// Pairs, or the ends of all pairs, exchanged.
void with_flipped_pairs(const ShrinkForm& form, const Propose& propose);

/// Regions elsewhere, addressed in another way, and all that goes to them moved along; addresses
/// of one buffer moved together.
void relocated(const ShrinkForm& form, const Propose& propose);

/// One value, or all that are equal, replaced by a plainer one.
void with_plainer_values(const ShrinkForm& form, const Propose& propose);

/// Fewer flags, in one step, or in all.
void with_fewer_flags(const ShrinkForm& form, const Propose& propose);

/// Other keys of the same meaning; one element instead of two; plainer verbs.
void with_plainer_calls(const ShrinkForm& form, const Propose& propose);

/// Neighbouring steps exchanged.
void reordered(const ShrinkForm& form, const Propose& propose);

/// Windows and re-registrations made plain regions, regions joined, transfers laid out anew, pairs
/// and buffers exchanged.
void restructured(const ShrinkForm& form, const Propose& propose);

/// Two of these, or one and another order, or one and a step or two left out. Many.
void restructured_twice(const ShrinkForm& form, const Propose& propose);

}  // namespace mrproof::property_tests
