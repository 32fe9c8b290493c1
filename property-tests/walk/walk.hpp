// A seeded random walk that the model guides: legal calls, and calls that are wrong on purpose in
// one chosen respect, close to the edges of what is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/oracle/oracle.hpp"
#include "model/random.hpp"
#include "property-tests/walk/known_deviation_index.hpp"
#include "property-tests/walk/walk_aim.hpp"

namespace mrproof::property_tests {

/// How a walk mixes its calls.
struct WalkOptions {
  /// Percentage of work requests that are wrong on purpose; each costs a rebuilt pair.
  unsigned wrong_percent = 15;
  /// Of 1000 work requests, how many go to a peer that is not there any more. Few, where each costs
  /// seconds of retries.
  unsigned unanswered_permille = 2;
  /// How many live regions a case grows to, with a quarter as many windows and an eighth as many
  /// PDs; 0: no more of each than a few, which meet often.
  std::uint32_t objects = 0;
  /// Deviations found often enough: calls whose refusal is known not to happen are then left out,
  /// most of the time, so that the rest of a case can be reached.
  std::vector<model::DeviationName> known;
};

class CallMaker;

/// One case's worth of calls.
class Walk {
 public:
  /// `known`: what was found of options.known in cases before this one, if somebody keeps it.
  Walk(std::uint64_t seed, const WalkOptions& options, KnownDeviationIndex* known = nullptr)
      : random_(seed), options_(&options), kept_known_(known), overlaps_(seed % 4 == 0) {}

  /// The next step: its call may be made in the oracle's state, and its keys are resolved.
  model::Step next(const model::Oracle& oracle);
  /// The same, of which nothing can have been seen yet.
  model::PlannedCall next_call(const model::Oracle& oracle);

 private:
  /// The call that was made before, and what it was about to change.
  struct Before {
    model::PlannedCall made;
    std::optional<model::KeyName> revoked;  ///< the key that is not to be good any more after it
    bool wrong = false;
  };

  std::optional<model::PlannedCall> follow_up(CallMaker& make, const Before& before);
  std::optional<model::PlannedCall> after_bind(CallMaker& make,
                                               const model::Call<model::Plain>& call, bool wrong);
  model::PlannedCall propose(CallMaker& make, std::uint64_t roll, bool wrong);
  void post_inline(model::PlannedCall& step);
  /// Now and then a work request is not signaled, fenced, solicited or posted inline.
  void add_form(const model::Oracle& oracle, model::PlannedCall& step);
  void delay(model::PlannedCall& step);
  bool post(const model::Oracle& oracle, model::PlannedCall& step);
  std::optional<model::PlannedCall> end_right(const model::Oracle& oracle,
                                              const model::Call<model::Plain>& request);
  std::optional<model::PlannedCall> beside_flight(const model::Oracle& oracle, CallMaker& make);
  bool begin(const model::Oracle& oracle, model::PlannedCall& step);
  static void end_what_is_made(const model::Call<model::Plain>& made, model::PlannedCall& step);
  model::PlannedCall beside_begun(const model::Oracle& oracle, CallMaker& make);
  /// Whether the call of the view may be made, and is not one to avoid.
  bool admits(const model::Oracle& oracle, const model::PlainView& view);
  /// Of the step and some more that are wrong, the one that was tried least in this case.
  void choose_least_tried(const model::Oracle& oracle, CallMaker& make, std::uint64_t roll,
                          model::PlannedCall& step);
  KnownDeviationIndex& known() { return kept_known_ != nullptr ? *kept_known_ : own_known_; }

  model::Random random_;
  const WalkOptions* options_;
  KnownDeviationIndex* kept_known_;
  KnownDeviationIndex own_known_;
  bool overlaps_;  ///< calls overlap each other in this case
  Attempts attempts_;
  std::optional<Before> before_;
};

}  // namespace mrproof::property_tests
