#include "conformance/run/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

[[noreturn]] void become(std::vector<char*>& arguments, const std::string& output, int socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // An interrupt at the terminal is for the supervisor, which then ends its worker in order.
  setpgid(0, 0);
  const int in = socket >= 0 ? socket : open("/dev/null", O_RDONLY);
  if (in >= 0) dup2(in, STDIN_FILENO);
  if (!output.empty()) {
    const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (out >= 0) {
      dup2(out, STDOUT_FILENO);
      dup2(out, STDERR_FILENO);
    }
  }
  if (socket >= 0) dup2(socket, STDOUT_FILENO);
  execv(arguments.front(), arguments.data());
  _exit(127);
}

}  // namespace

pid_t start_process(const std::vector<std::string>& command, const std::string& output,
                    int socket) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = fork();
  if (pid < 0)
    throw model::ToolError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) become(arguments, output, socket);
  return pid;
}

}  // namespace mrproof::conformance
