#include "conformance/watch/watching.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "impl/own_program.hpp"

extern char** environ;

namespace mrproof::watch {

std::string watching_library() {
  const auto self = std::filesystem::path(impl::own_program()).parent_path();
  for (const auto* place : {"libmrproof-watch.so", "../impl/libmrproof-watch.so",
                            "../lib/mrproof/libmrproof-watch.so"})
    if (const auto path = self / place; std::filesystem::exists(path))
      return std::filesystem::canonical(path);
  throw std::runtime_error(fmt::format(
      "libmrproof-watch.so: is neither beside {} nor in ../lib/mrproof; install it there",
      self.string()));
}

int run_watched(const std::vector<std::string>& program, const std::string& folder, bool guard,
                const std::function<int()>& look) {
  const char* others = std::getenv("LD_PRELOAD");
  const auto preload = watching_library() + (others == nullptr ? "" : ":" + std::string(others));
  std::vector<std::string> kept;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0 &&
        std::strncmp(*entry, "MRPROOF_WATCH", 13) != 0 &&
        std::strncmp(*entry, "ASAN_OPTIONS=", 13) != 0)
      kept.emplace_back(*entry);
  // AddressSanitizer ends a program before whose library another one is loaded, unless it is told.
  const char* asan = std::getenv("ASAN_OPTIONS");
  kept.push_back(fmt::format("ASAN_OPTIONS={}{}verify_asan_link_order=0",
                             asan == nullptr ? "" : asan, asan == nullptr ? "" : ":"));
  if (guard) kept.push_back(fmt::format("{}=1", kGuardVariable));
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
  constexpr int kPause = 50;  // ms
  pollfd ended{static_cast<int>(syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
  // Where the kernel lacks that, it is told at the end what the program did.
  std::exception_ptr trouble;  // of looking; the program's end is waited for all the same
  while (ended.fd >= 0 && poll(&ended, 1, trouble ? -1 : kPause) <= 0) {
    try {
      if (const int signal = trouble ? 0 : look(); signal != 0) kill(child, signal);
    } catch (...) {
      trouble = std::current_exception();
    }
  }
  if (ended.fd >= 0) close(ended.fd);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, old_interrupt);
  std::signal(SIGQUIT, old_quit);
  if (trouble) std::rethrow_exception(trouble);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

namespace {

/// Whether the process was started to be watched into this folder: its number may be another one's
/// by now.
bool is_watched(std::uint32_t pid, const std::string& folder) {
  std::ifstream in(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  const auto wanted = fmt::format("{}={}", kFolderVariable, folder);
  for (std::string entry; std::getline(in, entry, '\0');)
    if (entry == wanted) return true;
  return false;
}

}  // namespace

Telling::Telling(const std::string& folder, bool live, std::optional<Whose> only,
                 Suppressions suppressions, std::function<void(const Finding&)> tell)
    : folder_(std::filesystem::absolute(folder)),
      live_(live),
      recording_(folder),
      places_(folder, live),
      judge_([this](std::uint32_t pid, std::uint64_t at) { return places_.name(pid, at); }),
      only_(only),
      suppressions_(std::move(suppressions)),
      tell_(std::move(tell)) {}

bool Telling::is_wanted(const Finding& finding) const {
  return !only_ || finding.whose == *only_;
}

void Telling::look(bool ended) {
  recording_.look(!ended ? Until::may_change : live_ ? Until::now : Until::end);
  for (Event event; recording_.next(event);) {
    judge_.take(event);
    if (began_ == 0) began_ = event.record.time;
    ended_ = event.record.time;
  }
  // Without what was lost, no object is known to be left.
  if (ended && recording_.lost() == 0) judge_.finish();
  for (; seen_ < judge_.findings().size(); ++seen_) {
    const Finding& finding = judge_.findings()[seen_];
    if (!is_wanted(finding) || suppressions_.reason(finding) != nullptr) continue;
    has_told_ = true;
    tell_(finding);
  }
}

void Telling::signal_programs(int signal) const {
  for (const auto pid : recording_.processes())
    if (pid > 1 && is_watched(pid, folder_)) kill(static_cast<pid_t>(pid), signal);
}

Told Telling::told() const {
  Told told{{}, {}, judge_.counts(), recording_.lost(), began_, ended_};
  for (const Finding& finding : judge_.findings()) {
    if (!is_wanted(finding)) continue;
    const auto* reason = suppressions_.reason(finding);
    auto& list = reason == nullptr ? told.findings : told.suppressed;
    list.push_back(finding);
    if (reason != nullptr) list.back().known = *reason;
  }
  return told;
}

}  // namespace mrproof::watch
