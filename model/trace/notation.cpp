#include "model/trace/notation.hpp"

#include <fmt/format.h>

#include <charconv>

#include "model/access.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::model {

void append_number(std::string& text, std::uint64_t number) {
  std::array<char, 20> digits;  // NOLINT(*-member-init): to_chars() writes what is read
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  text.append(digits.begin(), end);
}

void append_hexadecimal(std::string& text, std::uint64_t number) {
  std::array<char, 18> digits{'0', 'x'};
  const auto end = std::to_chars(digits.begin() + 2, digits.end(), number, 16).ptr;
  text.append(digits.begin(), end);
}

void append_address(std::string& text, std::uint64_t address) {
  constexpr std::uint64_t kNear = 16 * kPageSize;
  const auto place = [&](std::size_t buffer, char sign, std::uint64_t distance) {
    text += "buf";
    append_number(text, buffer);
    text += sign;
    append_number(text, distance);
  };
  for (std::size_t i = 0; i < kBufferCount; ++i) {
    const std::uint64_t start = buffer_address(i);
    if (address >= start && address <= start + buffer_size(i) + kNear)
      return place(i, '+', address - start);
    if (address < start && address >= start - kNear) return place(i, '-', start - address);
  }
  append_hexadecimal(text, address);
}

std::string print_address(std::uint64_t address) {
  std::string text;
  append_address(text, address);
  return text;
}

std::string print_access(std::uint32_t access) { return print_flags(kAccessNames, access); }

void append_flags(std::string& text, std::span<const NamedValue> names, std::uint32_t flags) {
  if (flags == 0) text += '0';
  const char* separator = "";
  for (const auto& [flag, name] : names) {
    if ((flags & flag) == 0) continue;
    text += separator;
    text += name;
    separator = "|";
    flags &= ~flag;
  }
  if (flags == 0) return;
  text += separator;
  append_hexadecimal(text, flags);
}

std::string print_flags(std::span<const NamedValue> names, std::uint32_t flags) {
  std::string text;
  append_flags(text, names, flags);
  return text;
}

void append_named(std::string& text, std::span<const NamedValue> names, std::uint32_t value) {
  if (const auto name = name_of_value(names, value))
    text += *name;
  else
    append_number(text, value);
}

std::string print_named(std::span<const NamedValue> names, std::uint32_t value) {
  std::string text;
  append_named(text, names, value);
  return text;
}

void append_key(std::string& text, const KeyName& key) {
  const auto of = [&](const char* object, const char* which) {
    text += object;
    append_number(text, key.slot);
    text += which;
    if (key.flip == 0) return;
    text += '^';
    append_hexadecimal(text, key.flip);
  };
  switch (key.kind) {
    case KeyName::Kind::value: return append_hexadecimal(text, key.value);
    case KeyName::Kind::lkey: return of("mr", ".lkey");
    case KeyName::Kind::rkey: return of("mr", ".rkey");
    case KeyName::Kind::old_lkey: return of("mr", ".old_lkey");
    case KeyName::Kind::old_rkey: return of("mr", ".old_rkey");
    case KeyName::Kind::window_rkey: return of("mw", ".rkey");
    case KeyName::Kind::old_window_rkey: return of("mw", ".old_rkey");
  }
}

std::string print_key(const KeyName& key) {
  std::string text;
  append_key(text, key);
  return text;
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

std::optional<std::uint32_t> value_by_name(
    std::span<const NamedValue> names, std::string_view name) {
  for (const auto& [value, known] : names)
    if (known == name) return value;
  return std::nullopt;
}

std::optional<std::string_view> name_of_value(
    std::span<const NamedValue> names, std::uint32_t value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return std::nullopt;
}

std::string_view print_outcome(Outcome outcome, bool transfer) {
  if (outcome == Outcome::ok && transfer) return "SUCCESS";
  return kOutcomeNames.at(static_cast<std::size_t>(outcome));
}

}  // namespace mrproof::model
