#include "conformance/watch/places.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

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

/// What `addr2line` prints for the place: a function and a file with a line, again and again for
/// what the function is inlined into; empty if it cannot say.
std::string ask_addr2line(const std::string& file, std::uint64_t offset) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::string where = fmt::format("{:#x}", offset);
  std::string name = file;
  std::array<std::string, 4> words{"addr2line", "-fiCe", name, where};
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
  return said;
}

/// "function() at file:line" of the innermost one that is the program's: much of the verbs is
/// inlined from their header. Empty if there is no debug information.
std::string place_in(const std::string& said) {
  std::istringstream lines(said);
  std::string function, line, place;
  while (std::getline(lines, function) && std::getline(lines, line)) {
    line.erase(std::min(line.find(" (discriminator"), line.size()));
    if (function == "??" || line.find('?') != std::string::npos) break;
    const auto colon = line.rfind(':');
    std::error_code none;  // a folder that was removed
    const auto here = std::filesystem::current_path(none).string() + "/";
    if (line.starts_with(here)) line.erase(0, here.size());
    place = fmt::format("{}() at {}", function, line);
    if (!std::string_view(line).substr(0, colon).ends_with("infiniband/verbs.h")) break;
  }
  return place;
}

/// The function's name alone, where lines are not known.
std::string function_in(const std::string& said) {
  const auto name = said.substr(0, said.find('\n'));
  return name == "??" ? "" : name;
}

}  // namespace

std::optional<Places::Mapping> Places::mapping_of(std::uint32_t pid,
                                                  std::uint64_t address) const {
  for (const auto& maps :
       {fmt::format("{}/{}{}", folder_, kMapsFile, pid), fmt::format("/proc/{}/maps", pid)}) {
    if (!live_ && maps.starts_with("/proc")) break;
    std::ifstream in(maps);
    for (std::string line; std::getline(in, line);) {
      Mapping m{};
      int at = 0;
      if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &m.begin,
                      &m.end, &m.offset, &at) < 3 ||
          at == 0 || line[static_cast<std::size_t>(at)] != '/' || address < m.begin ||
          address >= m.end)
        continue;
      m.file = line.substr(static_cast<std::size_t>(at));
      return m;
    }
  }
  return std::nullopt;
}

std::string Places::look_up(std::uint32_t pid, std::uint64_t address) const {
  const auto m = mapping_of(pid, address);
  if (!m) return "somewhere";
  const auto file = m->file.substr(m->file.rfind('/') + 1);
  // The return address is behind the call.
  const std::uint64_t offset = address_of(m->file, address - m->begin + m->offset - 1);
  const std::string said = ask_addr2line(m->file, offset);
  if (auto place = place_in(said); !place.empty()) return place;
  if (const auto name = function_in(said); !name.empty())
    return fmt::format("{}() of {}", name, file);
  return fmt::format("{}+{:#x}", file, offset);
}

bool is_in_libc(const std::string& name) {
  return name.starts_with("libc.so") || name.starts_with("__libc_start") ||
         name.find(" of libc.so") != std::string::npos;
}

const std::string& Places::name(std::uint32_t pid, std::uint64_t address) {
  const auto [found, is_new] = names_.try_emplace({pid, address});
  if (is_new) found->second = look_up(pid, address);
  return found->second;
}

}  // namespace mrproof::watch
