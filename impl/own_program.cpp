#include "impl/own_program.hpp"

#include <unistd.h>

#include <array>
#include <climits>
#include <fstream>
#include <string_view>

#include "impl/device.hpp"

namespace mrproof::impl {

std::string own_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) throw DeviceError("cannot find this program's own file: is /proc mounted?");
  return {path.data(), static_cast<std::size_t>(length)};
}

std::string build_id() {
  // A note of an ELF file, near its beginning: sizes of name and content, kind, name.
  constexpr std::string_view kNote("\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0", 16);
  constexpr std::size_t kSize = 20;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string page(4096, '\0');
  std::ifstream(own_program(), std::ios::binary).read(page.data(), 4096);
  const std::size_t note = page.find(kNote);
  std::string id;
  if (note < page.size() - kNote.size() - kSize)
    for (const char c : std::string_view(page).substr(note + kNote.size(), kSize)) {
      const auto byte = static_cast<unsigned char>(c);
      id += {kDigits[byte / 16U], kDigits[byte % 16U]};
    }
  return id;
}

}  // namespace mrproof::impl
