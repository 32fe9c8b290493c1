// A trace as a C program that needs nothing but libibverbs.
#pragma once

#include <cstdint>
#include <string>

#include "conformance/report/evidence.hpp"

namespace mrproof::conformance {

/// How the program connects its queue pairs.
enum class Connecting : std::uint8_t {
  verbs,    ///< by ibv_modify_qp(3)
  rdma_cm,  ///< by librdmacm, as iWARP wants it; the trace has no `connect`
};

/// One file of C11 that makes the calls of the trace up to its decisive step and says how that one
/// ends. It compiles without a warning by cc -Wall -Wextra; device and GID index may be given as
/// arguments. Exit status: 0 the step conforms, 1 it deviates, 4 that cannot be learnt here (no
/// device, a feature missing, a step before it ends otherwise than in the trace). Set-up that the
/// trace gives and nothing uses is left out. Checks are those that the trace's deviation calls for:
/// the outcome; beside the same outcome as in the trace, what was wrong with it there.
std::string repro_program(const Evidence& evidence, Connecting connecting = Connecting::verbs);

/// The command line that its head gives: compiles it, and runs it on a device.
std::string repro_command(const std::string& program);

}  // namespace mrproof::conformance
