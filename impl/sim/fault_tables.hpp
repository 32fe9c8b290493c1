// The parts of the table of faults, in the order of the enumeration; faults.cpp joins them.
#pragma once

#include <span>

#include "impl/sim/faults.hpp"

namespace mrproof::impl {

/// Faults of access to memory: rights, bounds, protection domains, keys, empty transfers.
std::span<const FaultInfo> faults_of_access();
/// Faults of transfers and objects: bytes, registration, completions, receives.
std::span<const FaultInfo> faults_of_transfers();
/// Faults of memory windows.
std::span<const FaultInfo> faults_of_windows();
/// Faults of re-registration and advice.
std::span<const FaultInfo> faults_of_regions();
/// Faults of atomic operations, further registrations, pages, work requests of several parts.
std::span<const FaultInfo> faults_of_operations();

}  // namespace mrproof::impl
