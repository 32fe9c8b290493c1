#include "specs/deciding.hpp"

#include <algorithm>

namespace mrproof::specs {

namespace {
constexpr Needed kNeeded[] = {
#include "specs/deciding.inc"
};
}  // namespace

std::span<const Needed> needed_to_decide() { return kNeeded; }

const Needed* find_needed(unsigned dialect, std::string_view rule, std::string_view condition,
                          bool reason) {
  const auto* found = std::find_if(std::begin(kNeeded), std::end(kNeeded), [&](const Needed& n) {
    return n.rule == rule && n.condition == condition && n.reason == reason &&
           ((n.dialects >> dialect) & 1U) != 0;
  });
  return found == std::end(kNeeded) ? nullptr : found;
}

}  // namespace mrproof::specs
