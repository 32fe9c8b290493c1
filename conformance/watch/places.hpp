// Where in a program a call was made: its addresses as names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace mrproof::watch {

/// Names of places in the programs of one recording, by the maps that lie beside it and, while the
/// programs run (`live`), by those that they have now.
class Places {
 public:
  Places(std::string folder, bool live) : folder_(std::move(folder)), live_(live) {}
  /// "function at file:line" where the program has debug information and addr2line is installed,
  /// else "program+0x1234"; "somewhere" of an address that is in no file.
  const std::string& name(std::uint32_t pid, std::uint64_t address);

 private:
  struct Mapping {
    std::uint64_t begin, end, offset;
    std::string file;
  };
  [[nodiscard]] std::optional<Mapping> mapping_of(std::uint32_t pid, std::uint64_t address) const;
  [[nodiscard]] std::string look_up(std::uint32_t pid, std::uint64_t address) const;
  std::string folder_;
  bool live_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> names_;
};

/// Whether a place is in libc, which starts main() and threads, and copies memory for others.
bool is_in_libc(const std::string& name);

}  // namespace mrproof::watch
