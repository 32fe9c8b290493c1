#include "conformance/watch/watching.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "conformance/watch/judge.hpp"
#include "conformance/watch/places.hpp"

extern char** environ;

namespace mrproof::watch {

std::string watching_library() {
  const auto self = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const auto* place : {"libmrproof-watch.so", "../impl/libmrproof-watch.so",
                            "../lib/mrproof/libmrproof-watch.so"})
    if (const auto path = self / place; std::filesystem::exists(path))
      return std::filesystem::canonical(path);
  throw std::runtime_error(fmt::format(
      "libmrproof-watch.so: is neither beside {} nor in ../lib/mrproof; install it there",
      self.string()));
}

int run_watched(const std::vector<std::string>& program, const std::string& folder) {
  const char* others = std::getenv("LD_PRELOAD");
  const auto preload = watching_library() + (others == nullptr ? "" : ":" + std::string(others));
  std::vector<std::string> kept;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0 &&
        std::strncmp(*entry, "MRPROOF_WATCH=", 14) != 0)
      kept.emplace_back(*entry);
  kept.push_back("LD_PRELOAD=" + preload);
  kept.push_back("MRPROOF_WATCH=" + std::filesystem::absolute(folder).string());
  const auto pointers = [](const std::vector<std::string>& words) {
    std::vector<char*> all;
    for (const auto& word : words) all.push_back(const_cast<char*>(word.c_str()));
    all.push_back(nullptr);
    return all;
  };
  pid_t child = 0;
  const int error = posix_spawnp(&child, program[0].c_str(), nullptr, nullptr,
                                 pointers(program).data(), pointers(kept).data());
  if (error != 0)
    throw std::runtime_error(
        fmt::format("{}: cannot be started: {}", program[0], std::strerror(error)));
  // What ends the program by the terminal is meant for it; what it did is told all the same.
  auto* const old_interrupt = std::signal(SIGINT, SIG_IGN);
  auto* const old_quit = std::signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, old_interrupt);
  std::signal(SIGQUIT, old_quit);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Told judge_recording(const std::string& folder) {
  Recording recording(folder);
  Places places(folder);
  Judge judge([&](std::uint32_t pid, std::uint64_t address) { return places.name(pid, address); });
  for (Event event; recording.next(event);) judge.take(event);
  judge.finish();
  Told told{judge.findings(), judge.counts(), recording.lost()};
  // Without what was lost, no key is known to be dead and no object to be left.
  if (told.lost > 0) told.findings.clear();
  return told;
}

}  // namespace mrproof::watch
