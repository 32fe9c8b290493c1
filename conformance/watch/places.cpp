#include "conformance/watch/places.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <fstream>

#include "impl/watch/record.hpp"

extern char** environ;

namespace mrproof::watch {
namespace {

/// The address that the program file gives to what stands at the offset in it; the offset itself
/// if the file cannot be read.
std::uint64_t address_of(const std::string& file, std::uint64_t offset) {
  std::ifstream in(file, std::ios::binary);
  Elf64_Ehdr head{};
  if (!in.read(reinterpret_cast<char*>(&head), sizeof head)) return offset;
  in.seekg(static_cast<std::streamoff>(head.e_phoff));
  Elf64_Phdr part{};
  for (int i = 0; i < head.e_phnum && in.read(reinterpret_cast<char*>(&part), sizeof part); ++i)
    if (part.p_type == PT_LOAD && offset >= part.p_offset &&
        offset - part.p_offset < part.p_filesz)
      return offset - part.p_offset + part.p_vaddr;
  return offset;
}

/// What `addr2line` prints for the place, without its last line's end; empty if it cannot say.
std::string ask_addr2line(const std::string& file, std::uint64_t offset) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::string where = fmt::format("{:#x}", offset);
  std::string name = file;
  std::array<std::string, 4> words{"addr2line", "-sfCe", name, where};
  std::array<char*, 5> arguments{
      words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = 0;
  const bool started =
      posix_spawnp(&child, "addr2line", &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string said;
  std::array<char, 512> part{};
  for (ssize_t n = 0; started && (n = read(ends[0], part.data(), part.size())) > 0;)
    said.append(part.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  if (started) waitpid(child, nullptr, 0);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said;
}

}  // namespace

const std::vector<Places::Mapping>& Places::maps_of(std::uint32_t pid) {
  const auto [found, is_new] = maps_.try_emplace(pid);
  if (!is_new) return found->second;
  std::ifstream in(fmt::format("{}/{}{}", folder_, kMapsFile, pid));
  for (std::string line; std::getline(in, line);) {
    Mapping m{};
    int at = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &m.begin,
                    &m.end, &m.offset, &at) < 3 ||
        at == 0 || line[static_cast<std::size_t>(at)] != '/')
      continue;
    m.file = line.substr(static_cast<std::size_t>(at));
    found->second.push_back(std::move(m));
  }
  return found->second;
}

std::string Places::look_up(std::uint32_t pid, std::uint64_t address) {
  for (const auto& m : maps_of(pid)) {
    if (address < m.begin || address >= m.end) continue;
    // The return address is behind the call.
    const std::uint64_t offset = address_of(m.file, address - m.begin + m.offset - 1);
    const std::string said = ask_addr2line(m.file, offset);
    const auto split = said.find('\n');
    if (split != std::string::npos && said.compare(0, 2, "??") != 0)
      return said.find("?", split) == std::string::npos
                 ? fmt::format("{}() at {}", said.substr(0, split), said.substr(split + 1))
                 : fmt::format("{}() of {}", said.substr(0, split),
                               m.file.substr(m.file.rfind('/') + 1));
    return fmt::format("{}+{:#x}", m.file.substr(m.file.rfind('/') + 1), offset);
  }
  return "somewhere";
}

const std::string& Places::name(std::uint32_t pid, std::uint64_t address) {
  const auto [found, is_new] = names_.try_emplace({pid, address});
  if (is_new) found->second = look_up(pid, address);
  return found->second;
}

}  // namespace mrproof::watch
