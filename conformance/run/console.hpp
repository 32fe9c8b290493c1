// What a virtual machine's serial console says.
#pragma once

#include <initializer_list>
#include <string>

namespace mrproof::conformance {

/// What the guest's first process says where it cannot go on (ci/vm/init).
inline constexpr auto kGuestFailed = "mrproof: guest failed: ";

/// The first line of a console's file with one of the texts, from there on; empty if there is none.
std::string console_line(const std::string& file, std::initializer_list<const char*> texts);

/// The kernel's first line about a BUG, an oops or, if there is none of these, a WARN.
std::string console_trouble(const std::string& file);

}  // namespace mrproof::conformance
