#include "conformance/trace/notation.hpp"

#include <fmt/format.h>

#include <cstring>

#include "impl/layout.hpp"
#include "model/access.hpp"

namespace mrproof {

using namespace model;

std::string print_address(std::uint64_t address) {
  constexpr std::uint64_t kNear = 16 * kPageSize;
  for (std::size_t i = 0; i < kBufferCount; ++i) {
    const std::uint64_t start = buffer_address(i);
    if (address >= start && address <= start + buffer_size(i) + kNear)
      return fmt::format("buf{}+{}", i, address - start);
    if (address < start && address >= start - kNear)
      return fmt::format("buf{}-{}", i, start - address);
  }
  return fmt::format("{:#x}", address);
}

std::string print_access(std::uint32_t access) { return print_flags(kAccessNames, access); }

std::string print_flags(std::span<const NamedValue> names, std::uint32_t flags) {
  std::string text;
  const auto append = [&](std::string_view part) {
    if (!text.empty()) text += '|';
    text += part;
  };
  for (const auto& [flag, name] : names) {
    if ((flags & flag) == 0) continue;
    append(name);
    flags &= ~flag;
  }
  if (flags != 0) append(fmt::format("{:#x}", flags));
  return text.empty() ? "0" : text;
}

std::string print_named(std::span<const NamedValue> names, std::uint32_t value) {
  const auto name = name_of_value(names, value);
  return name ? std::string(*name) : std::to_string(value);
}

std::string print_key(const KeyName& key) {
  const auto of = [&](std::string_view object, std::string_view which) {
    const auto name = fmt::format("{}{}.{}", object, key.slot, which);
    return key.flip == 0 ? name : fmt::format("{}^{:#x}", name, key.flip);
  };
  switch (key.kind) {
    case KeyName::Kind::value: break;
    case KeyName::Kind::lkey: return of("mr", "lkey");
    case KeyName::Kind::rkey: return of("mr", "rkey");
    case KeyName::Kind::old_lkey: return of("mr", "old_lkey");
    case KeyName::Kind::old_rkey: return of("mr", "old_rkey");
    case KeyName::Kind::window_rkey: return of("mw", "rkey");
    case KeyName::Kind::old_window_rkey: return of("mw", "old_rkey");
  }
  return fmt::format("{:#x}", key.value);
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

std::optional<std::uint32_t> value_by_name(std::span<const NamedValue> names,
                                           std::string_view name) {
  for (const auto& [value, known] : names)
    if (known == name) return value;
  return std::nullopt;
}

std::optional<std::string_view> name_of_value(std::span<const NamedValue> names,
                                              std::uint32_t value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return std::nullopt;
}

std::string_view print_outcome(Outcome outcome, bool transfer) {
  if (outcome == Outcome::ok && transfer) return "SUCCESS";
  return kOutcomeNames.at(static_cast<std::size_t>(outcome));
}

}  // namespace mrproof
