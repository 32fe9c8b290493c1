// The running program: its file, its build.
#pragma once

#include <string>

namespace mrproof::impl {

/// By which path it is started again: what the variable MRPROOF_PROGRAM says, by which a script
/// that starts it names itself (ci/tarball), else its file. Throws DeviceError where /proc does not
/// tell.
std::string own_program();

/// What the linker calls this program's build, in hexadecimal; empty where it does not say.
std::string build_id();

}  // namespace mrproof::impl
