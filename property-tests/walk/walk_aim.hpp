// What a call tries out, so that a walk can prefer what it has tried least.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/oracle/oracle.hpp"
#include "model/random.hpp"

namespace mrproof::property_tests {

/// What a call would show if it were made: the same for calls that try the same.
struct Attempt {
  std::uint64_t what = 0;  ///< of the verb and its flaws
  std::uint64_t how =
      0;               ///< of the same, whose keys they are, and where ranges leave their objects
  unsigned flaws = 0;  ///< how many conditions speak against a success; 0: it has to succeed
};

/// The attempt that the call, which the view shows, would be. Its keys are resolved.
Attempt attempt_of(const model::Rulebook& book, const model::PlannedCall& step,
                   const model::PlainView& view);

/// How often a case has made each attempt.
class Attempts {
 public:
  /// The lower, the better it is to make this one: what is wrong in one respect tells more than
  /// what is wrong in several, and most of all what was not tried yet.
  [[nodiscard]] unsigned cost(const Attempt& attempt) const {
    const unsigned others = std::min(attempt.flaws, 4U) - std::min(attempt.flaws, 1U);
    return 8 * counts_[attempt.what % kSlots] + 12 * others + counts_[attempt.how % kSlots];
  }
  void add(const Attempt& attempt) {
    ++counts_[attempt.what % kSlots];
    ++counts_[attempt.how % kSlots];
  }

 private:
  /// Two attempts that share a slot hide one another now and then, and no more.
  static constexpr std::size_t kSlots = 1024;
  std::array<std::uint16_t, kSlots> counts_{};
};

}  // namespace mrproof::property_tests
