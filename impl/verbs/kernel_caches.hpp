// What the kernel has allocated, by the caches that it allocates from.
#pragma once

#include <chrono>
#include <istream>

#include "impl/device.hpp"

namespace mrproof::impl {

/// The objects of all caches (/proc/slabinfo, slabinfo(5)) after a wait in which the kernel frees
/// what it frees later, and when what processors keep for themselves was given back, so that the
/// numbers are exact. Needs root; nothing without it.
KernelCaches kernel_caches(std::chrono::seconds wait);

/// Reads what /proc/slabinfo tells; lines of another form are left out.
KernelCaches parse_caches(std::istream& slabinfo);

}  // namespace mrproof::impl
