// A seeded random walk that the model guides: legal calls, and calls that are wrong on purpose in
// one chosen respect, close to the edges of what is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/oracle/oracle.hpp"
#include "conformance/walk/random.hpp"
#include "conformance/walk/walk_aim.hpp"

namespace mrproof {

/// A deviation by its name: what the walk need not meet again. Of a call that hangs, crashes or
/// makes the kernel complain: the rule of its success, kind "trouble", and the names that
/// trouble_name() gives.
struct KnownDeviation {
  static constexpr const char* kTrouble = "trouble";
  std::string rule;
  std::string kind;
  std::string broken;
  friend bool operator==(const KnownDeviation&, const KnownDeviation&) = default;
};

/// Whether all of `known`'s names, joined by '+', are among `names`: what is known to make trouble
/// makes it whatever else is wrong. "-" covers "-" only.
bool covers(const std::string& known, const std::string& names);

/// What judge_trouble() names for the call of the view, joined by '+'; "-" if nothing.
std::string trouble_name(const model::Rulebook& book, const model::PlainView& view);

/// Whether the call of the view is known to hang, to crash or to make the kernel complain.
bool is_known_trouble(const std::vector<KnownDeviation>& known, const model::Rulebook& book,
                      const model::PlainView& view);

/// How a walk mixes its calls.
struct WalkOptions {
  /// Percentage of work requests that are wrong on purpose; each costs a rebuilt pair.
  unsigned wrong_percent = 15;
  /// Of 1000 work requests, how many go to a peer that is not there any more. Few, where each costs
  /// seconds of retries.
  unsigned unanswered_permille = 2;
  /// Deviations found often enough: calls whose refusal is known not to happen are then left out,
  /// most of the time, so that the rest of a case can be reached.
  std::vector<KnownDeviation> known;
};

class CallMaker;

/// One case's worth of calls.
class Walk {
 public:
  Walk(std::uint64_t seed, const WalkOptions& options) : random_(seed), options_(&options) {}

  /// The next step: its call may be made in the oracle's state, and its keys are resolved.
  Step next(const Oracle& oracle);

 private:
  /// The call that was made before, and what it was about to change.
  struct Before {
    Step step;
    std::optional<KeyName> revoked;  ///< the key that is not to be good any more after it
    bool wrong = false;
  };

  [[nodiscard]] unsigned wrong_share(std::uint64_t roll) const;

  std::optional<Step> choose(CallMaker& make, std::uint64_t roll, bool wrong);
  std::optional<Step> follow_up(CallMaker& make, const Before& before);
  std::optional<Step> after_bind(CallMaker& make, const model::Call<model::Plain>& call,
                                 bool wrong);
  Step propose(CallMaker& make, std::uint64_t roll, bool wrong);
  /// Whether the step may be made, and is not one to avoid.
  bool admits(const Oracle& oracle, Step& step);
  /// Of the step and some more that are wrong, the one that was tried least in this case.
  void choose_least_tried(const Oracle& oracle, CallMaker& make, std::uint64_t roll, Step& step);
  /// The known deviation that the call would meet again; null if none.
  [[nodiscard]] const KnownDeviation* repeats(const Oracle& oracle, const Step& step) const;
  Random random_;
  const WalkOptions* options_;
  Attempts attempts_;
  std::optional<Before> before_;
};

}  // namespace mrproof
