// Regions of a trace that is being shrunk, and what goes to them.
#pragma once

#include "property-tests/shrink/shrink_form.hpp"

namespace mrproof::property_tests {

/// Which uses of a region are meant.
enum class Uses : std::uint8_t { all, local, remote, binds };

/// Whether a registration or a bind asks for addresses that begin at zero.
bool is_zero_based(const model::Call<model::Plain>& call);
/// The address by which keys of the region that the step makes reach its first byte.
std::uint64_t base_of(const model::Step& maker);
/// Whether the key is the region's.
bool is_key_of(const model::KeyName& key, std::uint32_t region);
/// Whether the step goes to the region in that way.
bool uses_region(const model::Step& step, std::uint32_t region, Uses which);
/// Moves what goes to the region by its keys, or by those of windows bound to it.
void shift_uses(ShrinkForm& form, std::uint32_t region, std::uint64_t by, Uses which = Uses::all);
/// Puts `to` wherever `from` is mentioned.
void replace_object(ShrinkForm& form, ObjectKind kind, std::uint32_t from, std::uint32_t to);

}  // namespace mrproof::property_tests
