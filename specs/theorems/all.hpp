// All theorems, in the order of the table.
#pragma once

#include "specs/theorems/access.hpp"
#include "specs/theorems/changes.hpp"
#include "specs/theorems/equivalence.hpp"
#include "specs/theorems/keys.hpp"
#include "specs/theorems/lemmas.hpp"
#include "specs/theorems/reasons.hpp"
#include "specs/theorems/results.hpp"
#include "specs/theorems/seen.hpp"
#include "specs/theorems/success.hpp"

namespace mrproof::specs {

/// What no step does.
template <class D>
constexpr auto safety_theorems() {
  using A = AccessFacts<D>;
  using K = KeyFacts<D>;
  using C = ChangeFacts<D>;
  return std::array<StepTheorem<D>, 15>{{
      {"no_byte_outside",
       "No byte is moved that lies outside the live region, and the window, that the key names, "
       "for "
       "any addresses and lengths.",
       A::no_byte_outside},
      {"no_domain_crossed", "No byte is moved across protection domains.", A::no_domain_crossed},
      {"no_right_missing",
       "No byte is moved by a right that the region, and the window, do not grant.",
       A::no_right_missing},
      {"no_operation_unaccepted",
       "No byte is moved by an operation that the responding queue pair does not accept.",
       A::no_operation_unaccepted},
      {"window_through_its_pair",
       "A type 2B window is used through no queue pair but the one it was bound through.",
       A::window_through_its_pair},
      {"no_more_than_asked", "No more bytes are moved than were asked for.", A::no_more_than_asked},
      {"keys_come_from_calls",
       "A key that opens nothing goes on opening nothing until a call issues it.",
       K::keys_come_from_calls},
      {"revoked_key_is_dead",
       "A key that was revoked by deregistration, re-registration, rebinding, invalidation or "
       "deallocation opens nothing, unless the same call issues it anew.",
       K::revoked_key_is_dead},
      {"rereg_result_decides",
       "Each result of ibv_rereg_mr leads to exactly the region that its page gives it.",
       C::rereg_result_decides},
      {"rereg_is_dereg_then_reg",
       "A re-registration leaves the region that deregistration and a new registration would.",
       EquivalenceFacts<D>::rereg_is_dereg_then_reg},
      {"advice_changes_nothing", "ibv_advise_mr changes no permission and no content.",
       C::advice_changes_nothing},
      {"refusal_changes_nothing", "A call that is refused changes nothing.",
       C::refusal_changes_nothing},
      {"others_stay", "A call changes no object but those it is about.", C::others_stay},
      {"doubt_stays", "What is in doubt stays in doubt until it is freed.", C::doubt_stays},
      {"knowledge_stays", "What a device has shown is not forgotten.", C::knowledge_stays},
  }};
}

/// What each step does and shows.
template <class D>
constexpr auto effect_theorems() {
  using S = SuccessFacts<D>;
  using W = SeenFacts<D>;
  return std::array<StepTheorem<D>, 14>{{
      {"region_is_as_asked", "A new region is what was asked for.", S::region_is_as_asked},
      {"window_is_as_asked", "A new or bound window is what was asked for.", S::window_is_as_asked},
      {"freed_is_gone", "What is freed is gone, and windows are not bound to it any more.",
       S::freed_is_gone},
      {"queue_pair_is_as_asked", "A posted receive is what was asked for; connecting mends a pair.",
       S::queue_pair_is_as_asked},
      {"failure_stops_the_pair",
       "A failed work request takes its queue pair to ERR, and the windows bound through it into "
       "doubt.",
       S::failure_stops_the_pair},
      {"pages_are_as_asked",
       "Unmapped pages are missing in the buffer, and gone from the regions that hold them.",
       S::pages_are_as_asked},
      {"success_is_remembered", "What a device did once, it cannot call unsupported later.",
       S::success_is_remembered},
      {"completion_is_its_own", "A completion names the work request that it belongs to.",
       W::completion_is_its_own},
      {"states_seen_are_true",
       "The state that is seen of a queue pair is the one it is in; of one whose connection over "
       "iWARP has ended, any but RTS.",
       W::states_seen_are_true},
      {"receives_seen_are_true",
       "A receive completes when it leaves its queue, with success and the message's length if the "
       "message came.",
       W::receives_seen_are_true},
      {"receive_tells_the_fault", "A receive that was found wanting completes with its own fault.",
       W::receive_tells_the_fault},
      {"failed_pair_only_flushes",
       "A queue pair in ERR flushes and does nothing else; only one in RTS answers.",
       W::failed_pair_only_flushes},
      {"refusals_say_why", "A refusal is an errno, or one of the five codes of ibv_rereg_mr.",
       W::refusals_say_why},
      {"bound_window_known",
       "A bind that succeeds is no matter of doubt, if the key is the window's.",
       S::window_is_known},
  }};
}

/// Theorems about steps.
template <class D>
std::vector<StepTheorem<D>> step_theorems() {
  const auto safety = safety_theorems<D>();
  const auto effects = effect_theorems<D>();
  std::vector<StepTheorem<D>> all(safety.begin(), safety.end());
  all.insert(all.end(), effects.begin(), effects.end());
  return all;
}

/// Theorems about the results of calls.
template <class D>
constexpr auto choice_theorems() {
  using R = ResultFacts<D>;
  return std::array<ChoiceTheorem<D>, 6>{{
      {"some_result_is_allowed", "In every state each call that may be made has an allowed result.",
       R::some_result_is_allowed},
      {"freedom_is_listed",
       "Where both success and failure are allowed, the rule names what leaves the choice open.",
       R::freedom_is_listed},
      {"success_is_one", "No two rules allow one success with different effects.",
       R::success_is_one},
      {"success_exactly_when_permitted",
       "Success is allowed exactly when a second formulation of the pages permits it.",
       R::success_exactly_when_permitted},
      {"failure_exactly_when_there_is_reason",
       "A failure is allowed exactly when a second formulation of the pages has a reason for it.",
       Reasons<D>::failure_exactly_when_there_is_reason},
      {"regions_can_be_freed",
       "A region can be deregistered in every state once no window is bound to it, and a window "
       "can always be freed.",
       R::regions_can_be_freed},
  }};
}

/// Theorems about numbers and flags.
template <class D>
constexpr auto lemmas() {
  using L = LemmaFacts<D>;
  return std::array<Lemma<D>, 5>{{
      {"ranges_are_numbers", "The rules' arithmetic of ranges agrees with sums of 65 bits.",
       L::ranges_are_numbers},
      {"ranges_are_their_bytes", "A range lies inside another if and only if all its bytes do.",
       L::ranges_are_their_bytes},
      {"wrapping_ranges_are_outside", "A range that wraps around lies inside nothing.",
       L::wrapping_ranges_are_outside},
      {"iova_keeps_distances",
       "An address of a region's keys finds the byte at the same distance "
       "in memory.",
       L::iova_keeps_distances},
      {"flags_are_their_table",
       "The rule on access flags is the truth table of LOCAL_WRITE, REMOTE_WRITE, REMOTE_ATOMIC.",
       L::flags_are_their_table},
  }};
}

}  // namespace mrproof::specs
