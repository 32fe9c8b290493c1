// Rules of ibv_advise_mr(): advice changes no permission and no content, whatever it is.
#pragma once

#include "model/conditions/advice.hpp"
#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of advise_mr.
template <class D> struct AdviceRules {
  using C = CommonRules<D>;
  using R = Rule<D>;
  using enum Outcome;

  static void show(const View<D>& /*v*/, State<D>& after) {
    after.demonstrated_features = after.demonstrated_features | kAdviseMr;
  }

  static constexpr auto kSound =
      list<D, advice_known<D>, advice_flags_known<D>, advised_key_live<D>, advised_same_pd<D>,
          advised_in_bounds<D>, advised_on_demand<D>, advised_writable<D>, advised_mapped<D>>;
  static constexpr auto kUnsupported = hold<D, says_not_supported<D>>;
  static constexpr const char* kWhichKey = "gap.advise_key_errno gap.advise_pd_errno";

  static constexpr R kAdvise[] = {
      R{"ok", ok, hold<D, kSound>}.with(
          show, "advise_mr.best_effort gap.advise_no_fault_absent gap.advise_postponed_error"),
      R{"not_supported", refused, kUnsupported, fail<D, advice_known<D>>}.with(
          "gap.advise_unknown_errno"),
      R{"fault", refused, hold<D, says_fault<D>>,
          fail<D, advised_in_bounds_now<D>, advised_mapped_now<D>, advised_key_live<D>,
              advised_writable<D>>}
          .with("gap.advise_key_errno gap.advise_write_errno"),
      R{"invalid", refused, hold<D, says_invalid<D>>,
          fail<D, advised_same_pd<D>, advice_flags_known<D>, advised_key_live<D>>}
          .with(kWhichKey),
      R{"not_permitted", refused, hold<D, says_not_permitted<D>>,
          fail<D, advised_same_pd<D>, advised_writable<D>>}
          .with("gap.advise_pd_errno gap.advise_write_errno"),
      R{"no_entry", refused, hold<D, says_no_entry<D>>,
          fail<D, advised_key_live<D>, advised_same_pd<D>>}
          .with(kWhichKey),
      R{"refused_doubtful", refused, C::kErrnoValue,
          fail<D, advised_on_demand<D>, advised_something<D>>}
          .with("gap.advise_not_on_demand gap.advise_length_zero"),
      C::unsupported(kUnsupported, fail<D, verb_available<D>>), C::kNoResources};

  static constexpr VerbRules<D> kVerbs[] = {of_table<D, kAdvise>(
      Verb::advise_mr, list<D, pd_live<D>, advised_defined<D>, advised_ordinary<D>>)};
};

}  // namespace mrproof::model
