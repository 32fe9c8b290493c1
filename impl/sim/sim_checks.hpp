// Small things that the parts of the simulated device share.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "model/call.hpp"

namespace mrproof::impl {

/// Guards against mistakes of the harness, which must not pass for behaviour of a device.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

/// The object in a slot.
template <class Slots>
auto& in_slot(Slots& slots, std::size_t slot) {
  require(slot < slots.size(), "simulated device: no such slot");
  return slots[slot];
}

/// Notes that the call was refused with this errno.
inline void refused(model::Result<model::Plain>& result, int error) {
  result.outcome = model::Outcome::refused;
  result.error = model::Plain::key(static_cast<std::uint32_t>(error));
}

/// The low 32 bits of a value of the call.
template <class Word>
constexpr std::uint32_t bits(Word word) {
  return static_cast<std::uint32_t>(word.value());
}

}  // namespace mrproof::impl
