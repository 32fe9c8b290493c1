#include "conformance/run/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string_view>

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

std::string own_program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) throw model::ToolError("cannot find this program's own file: is /proc mounted?");
  return {path, static_cast<std::size_t>(length)};
}

std::string build_id() {
  // A note of an ELF file, near its beginning: sizes of name and content, kind, name.
  constexpr std::string_view kNote("\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0", 16);
  constexpr std::size_t kSize = 20;
  std::string page(4096, '\0');
  std::ifstream(own_program(), std::ios::binary).read(page.data(), 4096);
  const std::size_t note = page.find(kNote);
  std::string id;
  if (note < page.size() - kNote.size() - kSize)
    for (const char c : std::string_view(page).substr(note + kNote.size(), kSize))
      id += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return id;
}

}  // namespace mrproof::conformance
