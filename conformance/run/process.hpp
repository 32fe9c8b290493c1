// Child processes that do not outlive their parent.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace mrproof::conformance {

/// Starts a program; it gets SIGKILL if this process dies. Its standard input is /dev/null.
/// `output`, if not empty, is a file that receives what it prints. `socket`, if there is one, is
/// its standard input and output instead; it stays open here. Throws ToolError.
pid_t start_process(const std::vector<std::string>& command, const std::string& output = "",
                    int socket = -1);

}  // namespace mrproof::conformance
