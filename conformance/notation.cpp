#include "conformance/notation.hpp"

#include <fmt/format.h>

#include <cstring>

#include "model/access.hpp"
#include "model/layout.hpp"

namespace mrproof {

using namespace model;

std::string print_address(std::uint64_t address) {
  constexpr std::uint64_t kNear = 16 * kPageSize;
  for (std::size_t i = 0; i < kBufferCount; ++i) {
    const std::uint64_t start = buffer_address(i);
    if (address >= start && address <= start + kBufferSize + kNear)
      return fmt::format("buf{}+{}", i, address - start);
    if (address < start && address >= start - kNear)
      return fmt::format("buf{}-{}", i, start - address);
  }
  return fmt::format("{:#x}", address);
}

std::string print_access(std::uint32_t access) {
  std::string text;
  const auto append = [&](std::string_view part) {
    if (!text.empty()) text += '|';
    text += part;
  };
  for (const auto& [flag, name] : kAccessNames) {
    if ((access & flag) == 0) continue;
    append(name);
    access &= ~flag;
  }
  if (access != 0) append(fmt::format("{:#x}", access));
  return text.empty() ? "0" : text;
}

std::string print_key(const KeyName& key) {
  if (key.kind == KeyName::Kind::value) return fmt::format("{:#x}", key.value);
  const auto* which = key.kind == KeyName::Kind::lkey ? "lkey" : "rkey";
  if (key.flip == 0) return fmt::format("mr{}.{}", key.mr, which);
  return fmt::format("mr{}.{}^{:#x}", key.mr, which, key.flip);
}

std::string print_errno(std::uint32_t error) {
  const char* name = error < 4096 ? strerrorname_np(static_cast<int>(error)) : nullptr;
  if (name != nullptr && error != 0) return name;
  return fmt::format("errno={}", static_cast<std::int32_t>(error));
}

std::optional<std::uint32_t> errno_by_name(std::string_view name) {
  for (int error = 1; error < 4096; ++error) {
    const char* known = strerrorname_np(error);
    if (known != nullptr && name == known) return static_cast<std::uint32_t>(error);
  }
  return std::nullopt;
}

std::optional<std::uint32_t> access_by_name(std::string_view name) {
  for (const auto& [flag, known] : kAccessNames)
    if (known == name) return flag;
  return std::nullopt;
}

std::string_view print_outcome(Outcome outcome, bool transfer) {
  if (outcome == Outcome::ok && transfer) return "SUCCESS";
  return kOutcomeNames.at(static_cast<std::size_t>(outcome));
}

}  // namespace mrproof
