// Rules of ibv_advise_mr(): advice changes no permission and no content, whatever it is.
#pragma once

#include "model/conditions/advice.hpp"
#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of advise_mr.
template <class D>
struct AdviceRules {
  using T = Term<D>;
  using C = CommonRules<D>;

  static void show(const View<D>& /*v*/, State<D>& after) {
    after.shown = after.shown | D::flags(kAdviseMr);
  }

  static constexpr T kOk[] = {{&advice_known<D>, true},      {&advice_flags_known<D>, true},
                              {&advised_key_live<D>, true},  {&advised_same_pd<D>, true},
                              {&advised_in_bounds<D>, true}, {&advised_on_demand<D>, true},
                              {&advised_writable<D>, true},  {&advised_mapped<D>, true}};
  static constexpr T kUnsupported[] = {{&says_not_supported<D>, true}};
  static constexpr T kFault[] = {{&says_fault<D>, true}};
  static constexpr T kInvalid[] = {{&says_invalid<D>, true}};
  static constexpr T kNotPermitted[] = {{&says_not_permitted<D>, true}};
  static constexpr T kNoEntry[] = {{&says_no_entry<D>, true}};

  static constexpr T kVerbMissing[] = {{&verb_available<D>, false}};
  static constexpr T kUnknown[] = {{&advice_known<D>, false}};
  static constexpr T kFaultReasons[] = {{&advised_in_bounds<D>, false},
                                        {&advised_mapped_now<D>, false},
                                        {&advised_key_live<D>, false},
                                        {&advised_writable<D>, false}};
  static constexpr T kInvalidReasons[] = {{&advised_same_pd<D>, false},
                                          {&advice_flags_known<D>, false},
                                          {&advised_key_live<D>, false}};
  static constexpr T kNotPermittedReasons[] = {{&advised_same_pd<D>, false},
                                               {&advised_writable<D>, false}};
  static constexpr T kNoEntryReasons[] = {{&advised_key_live<D>, false},
                                          {&advised_same_pd<D>, false}};
  static constexpr T kSilent[] = {{&advised_on_demand<D>, false},
                                  {&advised_something<D>, false}};

  static constexpr const char* kWhich =
      "ibv_advise_mr(3), RETURN VALUE: what is wrong fits several of the errors";
  static constexpr const char* kBestEffort =
      "ibv_advise_mr(3), NOTES: the operation is best-effort";
  static constexpr const char* kNoErrno =
      "gap: no error is named for a region that is not paged on demand, nor for length 0";

  static constexpr Rule<D> kAdvise[] = {
      {"ok", Outcome::ok, kOk, {}, show, nullptr, Weight::verdict, kBestEffort},
      {"not_supported", Outcome::refused, kUnsupported, kUnknown, nullptr, nullptr,
       Weight::verdict, kWhich},
      {"fault", Outcome::refused, kFault, kFaultReasons, nullptr, nullptr, Weight::verdict, kWhich},
      {"invalid", Outcome::refused, kInvalid, kInvalidReasons, nullptr, nullptr, Weight::verdict,
       kWhich},
      {"not_permitted", Outcome::refused, kNotPermitted, kNotPermittedReasons, nullptr, nullptr,
       Weight::verdict, kWhich},
      {"no_entry", Outcome::refused, kNoEntry, kNoEntryReasons, nullptr, nullptr, Weight::verdict,
       kWhich},
      {"refused_doubtful", Outcome::refused, C::kErrnoValue, kSilent, nullptr, nullptr,
       Weight::verdict, kNoErrno},
      {"unsupported", Outcome::refused, kUnsupported, kVerbMissing, nullptr, nullptr,
       Weight::unsupported},
      C::kNoResources};

  static constexpr const Condition<D>* kDuty[] = {&pd_live<D>};
  static constexpr VerbRules<D> kVerbs[] = {{Verb::advise_mr, kAdvise, kDuty}};
};

}  // namespace mrproof::model
