// What calls of the verbs device have in common: arguments out of a Call, refusals into a result.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>

#include "model/call.hpp"

namespace mrproof::impl {

/// The call was refused with this errno, or with this return code as 32 bits.
inline void refuse(model::Result<model::Plain>& result, int error) {
  result.outcome = model::Outcome::refused;
  result.error = model::Plain::key(static_cast<std::uint32_t>(error));
}

/// Throws std::logic_error: no program could make a call on that slot. `fault` completes the
/// sentence that object and slot begin.
[[noreturn]] void report_misuse(const char* object, unsigned slot, const char* fault);

/// The address as a pointer; it need not point to anything.
inline void* pointer(model::Plain::Address address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): calls carry addresses as numbers
  return reinterpret_cast<void*>(address.value());
}

/// The call's scatter/gather elements; the second is zero if there is one only. Throws
/// std::logic_error if their number is not 1 or 2, or a length does not fit into ibv_sge.length.
std::array<ibv_sge, 2> elements_of(const model::Call<model::Plain>& call);

}  // namespace mrproof::impl
