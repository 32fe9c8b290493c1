// How the program ends.
#pragma once

namespace mrproof::conformance {

/// Exit codes of the program.
inline constexpr int kExitExpected = 0;       ///< as expected
inline constexpr int kExitDeviation = 1;      ///< the device deviates
inline constexpr int kExitError = 2;          ///< usage or tool error: says nothing of the device
inline constexpr int kExitNothingTested = 4;  ///< nothing could be tested (--skip-exit-code)

}  // namespace mrproof::conformance
