// What the simulated device does to the program's memory: real bytes at real addresses.
#pragma once

#include <cstdint>

#include "impl/sim/faults.hpp"
#include "model/layout.hpp"

namespace mrproof::impl {

/// How many bytes from `address` on lie in one buffer of model/layout.hpp; 0 outside of all.
constexpr std::uint64_t mapped_from(std::uint64_t address) {
  const std::uint64_t distance = address - model::kBufferBase;
  if (distance >= model::kBufferCount * model::kBufferStride) return 0;
  const std::uint64_t offset = distance % model::kBufferStride;
  return offset < model::kBufferSize ? model::kBufferSize - offset : 0;
}

/// Moves `length` bytes; the ranges may overlap. Only what is mapped at both ends is touched, which
/// is everything unless a fault let a bad range through: a faulty device corrupts buffers, never
/// the process that simulates it.
void move_bytes(std::uint64_t to, std::uint64_t from, std::uint64_t length, Fault fault);

/// Stores zeros in as much of the range as is mapped from its start.
void zero_bytes(std::uint64_t to, std::uint64_t length);

}  // namespace mrproof::impl
