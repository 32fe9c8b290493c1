// How single values are written in traces: addresses, flags, keys, error numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/trace.hpp"

namespace mrproof {

/// "buf1+64", "buf1-1" near a buffer; else "0x..".
std::string print_address(std::uint64_t address);
/// "LOCAL_WRITE|REMOTE_READ"; bits without a name in hexadecimal; "0" for none.
std::string print_access(std::uint32_t access);
/// "mr0.rkey", "mr0.rkey^0x1", "0x1234".
std::string print_key(const KeyName& key);
/// "EINVAL"; "errno=N" for numbers without a name.
std::string print_errno(std::uint32_t error);
/// The number of an errno name.
std::optional<std::uint32_t> errno_by_name(std::string_view name);
/// The access flag of that name.
std::optional<std::uint32_t> access_by_name(std::string_view name);
/// "SUCCESS" or "ok", whichever the verb prints, and other outcomes by name.
std::string_view print_outcome(model::Outcome outcome, bool transfer);

/// The place of `name` in an array of names.
template <class Names>
std::optional<std::size_t> index_of(const Names& names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names.at(i) == name) return i;
  return std::nullopt;
}

}  // namespace mrproof
