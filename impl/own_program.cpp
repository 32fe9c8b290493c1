#include "impl/own_program.hpp"

#include <fmt/ranges.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "impl/device.hpp"

namespace mrproof::impl {
namespace {

/// The build among an ELF file's notes: for each the sizes of name and content, its kind, both.
std::string build_of(std::string_view notes) {
  constexpr std::string_view kGnu("GNU\0", 4);
  constexpr auto whole = [](std::size_t size) { return (size + 3) / 4 * 4; };
  std::array<std::uint32_t, 3> head{};
  while (notes.size() > sizeof head) {
    std::memcpy(head.data(), notes.data(), sizeof head);
    notes.remove_prefix(sizeof head);
    if (whole(head[0]) + whole(head[1]) > notes.size()) break;
    const auto* content = reinterpret_cast<const unsigned char*>(notes.data() + whole(head[0]));
    if (head[2] == NT_GNU_BUILD_ID && notes.substr(0, head[0]) == kGnu)
      return fmt::format("{:02x}", fmt::join(content, content + head[1], ""));
    notes.remove_prefix(whole(head[0]) + whole(head[1]));
  }
  return "";
}

/// Looks at the first object, which is the program, and at no other.
int look_for_build(dl_phdr_info* info, std::size_t /*size*/, void* found) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how the loader tells where it is
    const auto* notes = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
    auto& build = *static_cast<std::string*>(found);
    if (build.empty()) build = build_of({notes, part.p_memsz});
  }
  return 1;
}

}  // namespace

std::string own_program() {
  if (const char* wrapper = std::getenv("MRPROOF_PROGRAM"); wrapper != nullptr) return wrapper;
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) throw DeviceError("cannot find this program's own file: is /proc mounted?");
  return {path.data(), static_cast<std::size_t>(length)};
}

std::string build_id() {
  std::string build;
  dl_iterate_phdr(look_for_build, &build);
  return build;
}

}  // namespace mrproof::impl
