// A peer on another machine, started by ssh.
#pragma once

#include <string>

namespace mrproof::conformance {

/// Has `mrproof peer` run on another host, "HOST" or "HOST:DEVICE" with HOST as ssh(1) takes it,
/// until this process ends, and has all devices that are opened from now on use it (MRPROOF_PEER).
/// The second call does nothing. Throws ToolError: no ssh, no login without a password, no mrproof
/// there, no device.
void start_remote_peer(const std::string& host);

}  // namespace mrproof::conformance
