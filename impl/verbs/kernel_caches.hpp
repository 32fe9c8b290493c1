// What the kernel has allocated, by the caches that it allocates from.
#pragma once

#include <istream>

#include "impl/device.hpp"

namespace mrproof::impl {

/// The objects of all caches (/proc/slabinfo, slabinfo(5)), after 8 s in which the kernel frees
/// what it frees later, and when what processors keep for themselves was given back, so that the
/// numbers are exact. Needs root; nothing without it.
KernelCaches kernel_caches();

/// Reads what /proc/slabinfo tells; lines of another form are left out.
KernelCaches parse_caches(std::istream& slabinfo);

}  // namespace mrproof::impl
