// Faults at guarded memory, and the program's own handler of SIGSEGV behind ours.
#pragma once

#include <cstdint>

#pragma GCC visibility push(hidden)
namespace mrproof::watch::guard {

/// Handles SIGSEGV from now on. What the program asks of that signal concerns what is left to it.
void watch_faults();

/// The program writes to the address, by the instruction at that place. Whether it was guarded,
/// which it is no more then.
bool touch(std::uintptr_t address, const void* place);

}  // namespace mrproof::watch::guard
#pragma GCC visibility pop
