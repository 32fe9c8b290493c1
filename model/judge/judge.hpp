// Judging one observed result against the rules.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/judge/rulebook.hpp"

namespace mrproof::model {

/// What a step says about the device.
enum class Verdict : std::uint8_t {
  conforms,
  deviates,
  crash,           ///< the process or the kernel died of it
  hang,            ///< a call did not return, or a completion did not come, in its time
  kernel_warning,  ///< the kernel logged a WARN or an oops during it
  unsupported,     ///< an optional feature is missing: nothing learnt
  inconclusive,    ///< resources ran out or the transport gave up: nothing learnt
};
inline constexpr std::size_t kVerdicts = 7;
inline constexpr std::array<std::string_view, kVerdicts> kVerdictNames{
    "conforms", "deviates", "crash", "hang", "kernel_warning", "unsupported", "inconclusive"};

/// In what way a step deviates.
enum class DeviationClass : std::uint8_t {
  none,
  accepted,  ///< it succeeded although it had to be refused
  rejected,  ///< it was refused although it had to succeed
  status,    ///< it was rightly refused, with the wrong status
  detail,    ///< right outcome, but something seen with it is wrong (errno, keys, states, ...)
  bytes,     ///< memory does not hold what it has to
};
inline constexpr std::array<std::string_view, 6> kClassNames{
    "none", "accepted", "rejected", "status", "detail", "bytes"};

/// A set of outcomes.
struct OutcomeSet : std::bitset<kOutcomes> {
  void add(Outcome outcome) { set(static_cast<std::size_t>(outcome)); }
  bool contains(Outcome o) const { return test(static_cast<std::size_t>(o)); }
};

/// Stand in a deviation where no condition of a rule is broken: nothing in the situation gives a
/// reason for the refusal seen; memory holds other bytes; no rule of the verb has the outcome.
extern const PlainCondition kNothingForbids, kBytesAsPredicted, kOutcomeKnown;

/// The answer about one step.
struct Judgement {
  Verdict verdict = Verdict::conforms;
  DeviationClass kind = DeviationClass::none;
  /// The rule that was taken; of a deviation, the one whose outcome was seen but did not apply
  /// (null if no rule has it).
  const PlainRule* rule = nullptr;
  std::vector<const PlainCondition*> broken;  ///< what it names
  /// Set: it is said of a call that overlapped the one judged, and that ended so.
  std::optional<std::pair<Verb, Outcome>> other = {};

  bool names(const PlainCondition* condition) const {
    return std::find(broken.begin(), broken.end(), condition) != broken.end();
  }
};

/// Judges a result: the first rule for it that applies decides; if none applies, the result
/// deviates, and `broken` names what would have had to be otherwise. Allocates only for a
/// deviation.
Judgement judge(const Rulebook& book, const PlainView& view);
/// Of two deviations the one that explains what was seen with fewer broken conditions; details
/// before refusals.
bool is_plainer(const Judgement& a, const Judgement& b);
/// The outcomes that the rules allow for this call in this state, resources aside.
OutcomeSet allowed(const Rulebook& book, const PlainView& view);
/// The judgement of a call that never came to an end (hang), killed somebody (crash) or made the
/// kernel complain: named by the conditions that its success would have broken, and by the
/// circumstances. What was seen with it does not matter.
Judgement judge_trouble(const Rulebook& book, const PlainView& view, Verdict verdict);
/// Adds to the judgement of a success that should not have come, if it broke bounds, the
/// circumstances by which such successes are told apart.
void tell_bounds_apart(Judgement& judgement, const PlainView& view);
/// Adds to the judgement the circumstances that hold (see model/conditions/circumstances.hpp).
void add_circumstances(Judgement& judgement, const PlainView& view);
/// Applies the rule's effect to the state.
inline void advance(const PlainRule& rule, const PlainView& view, State<Plain>& state) {
  if (rule.effect != nullptr) rule.effect(view, state);
}

}  // namespace mrproof::model
