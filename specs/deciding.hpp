// Which conditions of the rules cannot decide alone, on some devices or at all: found by Z3.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mrproof::specs {

/// Parts of what a case is run on.
struct DeviceParts {
  std::uint32_t access = 0;    ///< feature access flags (model::Access)
  std::uint32_t features = 0;  ///< model::Feature; kIwarp: queue pairs connected over iWARP
  bool roce = false;           ///< queue pairs that are not connected over iWARP
  bool memory =
      false;  ///< two buffers, or less than a page, can be too long a message for the port

  [[nodiscard]] bool none() const { return access == 0 && features == 0 && !roce && !memory; }
};

/// Of a rule and one of its conditions: what a device has to have so that there is a state and a
/// call in which the condition decides alone (is the only one broken of those that are required, or
/// the only reason of those that there are). Where nothing is needed there is no entry.
struct Needed {
  std::string_view rule;       ///< "reg_mr.ok"
  std::string_view condition;  ///< its id
  bool reason = false;         ///< it is a reason, not a requirement
  unsigned dialects = 0;       ///< of the rule: bit i is dialect i of model::kDialects
  bool never = false;          ///< there is no such state and call, whatever the device has
  DeviceParts all;             ///< each of these is needed
  DeviceParts any;             ///< one of these is needed, if there are any
  DeviceParts without;         ///< it has to be without one of these, if there are any
};

/// All entries, in the order of the catalogue. The table is made by `mrproof prove --deciding
/// --dialect linux`; the test prove.deciding (label long) fails where it is not up to date.
std::span<const Needed> needed_to_decide();

/// The entry of the rule's condition in the dialect; null if nothing is needed.
const Needed* find_needed(unsigned dialect, std::string_view rule, std::string_view condition,
                          bool reason);

}  // namespace mrproof::specs
