#include "conformance/run/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <span>
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

/// In notes: three numbers, then a name and what it names, each filled up to a multiple of four.
std::string build_id_in(std::string_view notes) {
  std::array<std::uint32_t, 3> head{};  // sizes of name and content, kind
  while (notes.size() >= sizeof head) {
    std::memcpy(head.data(), notes.data(), sizeof head);
    notes.remove_prefix(sizeof head);
    const std::size_t name = (head[0] + 3U) / 4 * 4;
    const std::size_t whole = name + (head[1] + 3U) / 4 * 4;
    if (whole > notes.size()) break;
    std::string hex;
    if (head[2] == NT_GNU_BUILD_ID && notes.starts_with("GNU"))
      for (const char c : notes.substr(name, head[1]))
        hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    if (!hex.empty()) return hex;
    notes.remove_prefix(whole);
  }
  return "";
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
  std::string id;
  // The program itself comes first.
  const auto look = [](dl_phdr_info* object, std::size_t /*size*/, void* to) {
    const std::span segments(object->dlpi_phdr, object->dlpi_phnum);
    for (const auto& segment : segments)
      if (segment.p_type == PT_NOTE)
        *static_cast<std::string*>(to) += build_id_in(
            {reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz});
    return 1;
  };
  dl_iterate_phdr(look, &id);
  return id;
}

}  // namespace mrproof::conformance
