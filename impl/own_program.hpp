// The running program's own file.
#pragma once

#include <string>

namespace mrproof::impl {

/// Its path. Throws DeviceError where /proc does not tell.
std::string own_program();

/// What the linker calls this program's build, in hexadecimal; empty where it does not say.
std::string build_id();

}  // namespace mrproof::impl
