// Rules of ibv_advise_mr(): advice changes no permission and no content, whatever it is.
#pragma once

#include "model/conditions/advice.hpp"
#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of advise_mr.
template <class D>
struct AdviceRules {
  using C = CommonRules<D>;

  static void show(const View<D>& /*v*/, State<D>& after) {
    after.shown = after.shown | D::flags(kAdviseMr);
  }

  static constexpr auto kSound = list<D>(
      &advice_known<D>, &advice_flags_known<D>, &advised_key_live<D>, &advised_same_pd<D>,
      &advised_in_bounds<D>, &advised_on_demand<D>, &advised_writable<D>, &advised_mapped<D>);

  static constexpr auto kOk = hold<D>(kSound);
  static constexpr auto kUnsupported = hold<D>(list<D>(&says_not_supported<D>));
  static constexpr auto kFault = hold<D>(list<D>(&says_fault<D>));
  static constexpr auto kInvalid = hold<D>(list<D>(&says_invalid<D>));
  static constexpr auto kNotPermitted = hold<D>(list<D>(&says_not_permitted<D>));
  static constexpr auto kNoEntry = hold<D>(list<D>(&says_no_entry<D>));

  static constexpr auto kVerbMissing = fail<D>(list<D>(&verb_available<D>));
  static constexpr auto kUnknown = fail<D>(list<D>(&advice_known<D>));
  static constexpr auto kFaultReasons = fail<D>(list<D>(
      &advised_in_bounds<D>, &advised_mapped_now<D>, &advised_key_live<D>, &advised_writable<D>));
  static constexpr auto kInvalidReasons =
      fail<D>(list<D>(&advised_same_pd<D>, &advice_flags_known<D>, &advised_key_live<D>));
  static constexpr auto kNotPermittedReasons =
      fail<D>(list<D>(&advised_same_pd<D>, &advised_writable<D>));
  static constexpr auto kNoEntryReasons =
      fail<D>(list<D>(&advised_key_live<D>, &advised_same_pd<D>));
  static constexpr auto kSilent = fail<D>(list<D>(&advised_on_demand<D>, &advised_something<D>));

  static constexpr const char* kBestEffort =
      "advise_mr.best_effort gap.advise_no_fault_absent gap.advise_postponed_error";
  static constexpr const char* kWhichFault = "gap.advise_key_errno gap.advise_write_errno";
  static constexpr const char* kWhichKey = "gap.advise_key_errno gap.advise_pd_errno";
  static constexpr const char* kWhichRight = "gap.advise_pd_errno gap.advise_write_errno";
  static constexpr const char* kNoErrno = "gap.advise_not_on_demand gap.advise_length_zero";

  static constexpr Rule<D> kAdvise[] = {
      {"ok", Outcome::ok, kOk, {}, show, nullptr, Weight::verdict, kBestEffort},
      {"not_supported", Outcome::refused, kUnsupported, kUnknown, nullptr, nullptr, Weight::verdict,
       "gap.advise_unknown_errno"},
      {"fault", Outcome::refused, kFault, kFaultReasons, nullptr, nullptr, Weight::verdict,
       kWhichFault},
      {"invalid", Outcome::refused, kInvalid, kInvalidReasons, nullptr, nullptr, Weight::verdict,
       kWhichKey},
      {"not_permitted", Outcome::refused, kNotPermitted, kNotPermittedReasons, nullptr, nullptr,
       Weight::verdict, kWhichRight},
      {"no_entry", Outcome::refused, kNoEntry, kNoEntryReasons, nullptr, nullptr, Weight::verdict,
       kWhichKey},
      {"refused_doubtful", Outcome::refused, C::kErrnoValue, kSilent, nullptr, nullptr,
       Weight::verdict, kNoErrno},
      {"unsupported", Outcome::refused, kUnsupported, kVerbMissing, nullptr, nullptr,
       Weight::unsupported},
      C::kNoResources};

  static constexpr const Condition<D>* kDuty[] = {&pd_live<D>, &advised_defined<D>};
  static constexpr VerbRules<D> kVerbs[] = {{Verb::advise_mr, kAdvise, kDuty}};
};

}  // namespace mrproof::model
