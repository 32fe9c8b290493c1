// A trace as a C program that needs nothing but libibverbs.
#pragma once

#include <string>

#include "conformance/report/evidence.hpp"

namespace mrproof {

/// One file of C11 that makes the calls of the trace up to its decisive step and says how that one
/// ends. It compiles without a warning by cc -Wall -Wextra; device and GID index may be given as
/// arguments. Exit status: 0 the step conforms, 1 it deviates, 4 that cannot be learnt here (no
/// device, a feature missing, a step before it ends otherwise than in the trace). Set-up that the
/// trace gives and nothing uses is left out. Checks are those that the trace's deviation calls for:
/// the outcome; beside the same outcome as in the trace, what was wrong with it there.
std::string repro_program(const Evidence& evidence);

}  // namespace mrproof
