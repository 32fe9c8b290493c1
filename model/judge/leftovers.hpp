// What is left of a case when all that it made was destroyed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/judge/deviation_name.hpp"
#include "model/judge/rulebook.hpp"

namespace mrproof::model {

/// What the kernel counts for a process on a device.
enum class Held : std::uint8_t {
  pinned,   ///< KiB of the process's memory that are pinned (VmPin of proc(5))
  regions,  ///< objects of each kind, as restrack lists them (rdma-resource(8))
  domains,
  users,  ///< of all the process's protection domains together
  pairs,
  queues,  ///< for completions
  files,   ///< open files of the device
  memory,  ///< bytes that the kernel has allocated: how many more after each of many equal rounds
};
inline constexpr std::size_t kHeld = 8;

/// How much of each there is; nothing of what the system does not tell.
struct Holdings : std::array<std::optional<std::uint64_t>, kHeld> {
  std::optional<std::uint64_t>& of(Held what) { return at(static_cast<std::size_t>(what)); }
};

/// One for each Held: names it where more of it is there than before. A process may hold less: a
/// case can end what it was given.
extern const std::array<PlainCondition, kHeld> kNothingLeft;

/// Of kNothingLeft those that do not hold.
std::vector<const PlainCondition*> left_behind(const Holdings& before, const Holdings& after);
/// The same in words: "pinned KiB: 4, memory regions: 1".
std::string print_left(const Holdings& before, const Holdings& after);

/// Whether it tells of memory that the kernel keeps.
bool is_of_kept_memory(const DeviationName& name);

}  // namespace mrproof::model
