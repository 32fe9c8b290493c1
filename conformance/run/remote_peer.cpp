#include "conformance/run/remote_peer.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "conformance/run/environment.hpp"
#include "conformance/run/process.hpp"
#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// Longest that a login may take, and the peer until it listens.
constexpr auto kLimit = std::chrono::seconds(60);

/// What ssh prints until it has told where the peer listens, or until it ends.
std::string first_words(int socket) {
  std::string said;
  const auto start = Clock::now();
  while (said.find("MRPROOF_PEER_SECRET=") == std::string::npos || said.back() != '\n') {
    pollfd something{socket, POLLIN, 0};
    if (Clock::now() - start > kLimit) break;
    if (poll(&something, 1, 1000) <= 0) continue;
    char bytes[512];
    const ssize_t got = read(socket, bytes, sizeof bytes);
    if (got <= 0) break;
    said.append(bytes, static_cast<std::size_t>(got));
  }
  return said;
}

std::string word_behind(const std::string& text, const std::string& name) {
  const auto at = text.find(name);
  if (at == std::string::npos) return "";
  const auto begin = at + name.size();
  return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

}  // namespace

void start_remote_peer(const std::string& host) {
  static bool started = false;
  if (started) return;
  const auto colon = host.find(':');
  const std::string name = host.substr(0, colon);
  std::string command = "mrproof peer --while-held";
  if (colon != std::string::npos) command += " --device '" + host.substr(colon + 1) + "'";
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw model::ToolError("no sockets can be made for ssh");
  const Folder folder("");
  start_process({"/usr/bin/env", "sh", "-c", "exec ssh -o BatchMode=yes \"$0\" \"$1\" 2>\"$2\"",
                 name, command, folder.file("said")},
                "", ends[1]);
  close(ends[1]);
  // It stays open while this process lives: ssh and the peer end with it.
  const std::string said = first_words(ends[0]);
  const std::string place = word_behind(said, "MRPROOF_PEER=");
  const std::string secret = word_behind(said, "MRPROOF_PEER_SECRET=");
  if (place.empty() || secret.empty()) {
    close(ends[0]);
    std::ifstream in(folder.file("said"));
    std::string why;
    std::getline(in, why);
    throw model::ToolError(fmt::format(
        "no peer on '{}': {}; 'ssh {} mrproof peer' has to work there without a password", name,
        why.empty() ? "it says nothing" : why, name));
  }
  const auto at = name.rfind('@');
  const std::string address = at == std::string::npos ? name : name.substr(at + 1);
  started = true;
  setenv("MRPROOF_PEER", (address + place.substr(place.rfind(':'))).c_str(), 1);
  setenv("MRPROOF_PEER_SECRET", secret.c_str(), 1);
}

}  // namespace mrproof::conformance
